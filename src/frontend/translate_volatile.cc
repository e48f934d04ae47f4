// SPDX-License-Identifier: Apache-2.0
// S04: shared memory that the lanes of a warp exchange without a barrier, as before Volta. Each
// statement is made what a warp in lockstep does: all lanes read, all lanes write, then the next.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "frontend/translate.h"

namespace ambidex {
namespace {

constexpr std::string_view kRule = "warp.lockstep";
constexpr std::string_view kSync = "ambidex_port::syncwarp();";

// `s[i] op= value;`
struct Store {
  int64_t first = 0;          // the word `s`
  int64_t value = 0;          // the first word of the value
  int64_t last = 0;           // the `;`
  bool reads_others = false;  // an element of s that is another lane's
  bool reads_ahead = false;   // of s[i + ..]
};

bool is_store_sign(std::string_view text) {
  static constexpr std::array<std::string_view, 7> kSigns{"=", "+=", "-=", "*=", "&=", "|=", "^="};
  return std::find(kSigns.begin(), kSigns.end(), text) != kSigns.end();
}

bool starts_statement(const Words& words, int64_t i) {
  const std::string_view before = words.text(i - 1);
  if (before == ";" || before == "{" || before == "}" || before == "else") return true;
  if (before != ")") return false;
  const std::string_view head = words.text(words.partner_of(i - 1) - 1);
  return head == "if" || head == "for" || head == "while" || head == "constexpr";
}

int64_t end_of_statement(const Words& words, int64_t i) {
  for (; i < words.size() && words.text(i) != "}"; ++i) {
    if (words.text(i) == ";") return i;
    if (words.partner_of(i) > i) i = words.partner_of(i);
  }
  return -1;
}

// Whether [first, last) reads `name[..]` of another index than `index`, which is in its brackets.
bool reads_another(const Words& words, TokenRange range, std::string_view name,
                   std::string_view index) {
  for (int64_t i = range.first; i < range.last; ++i) {
    if (words.text(i) != name || words.text(i + 1) != "[") continue;
    if (words.source({i + 2, words.partner_of(i + 1)}) != index) return true;
  }
  return false;
}

bool reads_ahead(const Words& words, TokenRange range, std::string_view name,
                 std::string_view index) {
  for (int64_t i = range.first; i < range.last; ++i) {
    if (words.text(i) != name || words.text(i + 1) != "[") continue;
    const std::string_view other = words.source({i + 2, words.partner_of(i + 1)});
    const size_t sign = other.find_first_not_of(' ', std::min(index.size(), other.size()));
    if (other.starts_with(index) && sign != std::string_view::npos && other[sign] == '+') {
      return true;
    }
  }
  return false;
}

// None (last 0) if word i does not begin one.
Store store_at(const Words& words, int64_t i) {
  if (words.text(i + 1) != "[" || !starts_statement(words, i)) return {};
  const int64_t close = words.partner_of(i + 1);
  if (close < 0 || !is_store_sign(words.text(close + 1))) return {};
  const int64_t last = end_of_statement(words, close + 1);
  if (last < 0) return {};
  Store store{.first = i, .value = close + 2, .last = last};
  store.reads_others =
      reads_another(words, {store.value, last}, words.text(i), words.source({i + 2, close}));
  store.reads_ahead =
      reads_ahead(words, {store.value, last}, words.text(i), words.source({i + 2, close}));
  return store;
}

struct Variable {
  bool is_volatile = false;
  bool is_shared = false;     // __shared__, or a pointer to such
  bool is_local = false;      // an array of the thread's own
  bool is_exchanged = false;  // without a barrier
  int64_t odd_use = -1;       // a word that writes it in another form
};
using Variables = std::map<std::string_view, Variable>;

// The words before `name` that belong to its declaration.
TokenRange declarator_before(const Words& words, int64_t name, int64_t first) {
  int64_t start = name;
  while (start > first) {
    const std::string_view before = words.text(start - 1);
    const bool belongs = words.is_word(start - 1) || before == "*" || before == "&" ||
                         before == "::" || before == "<" || before == ">";
    if (!belongs || before == "return" || before == "else") break;
    --start;
  }
  return {start, name};
}

bool holds(const Words& words, TokenRange range, std::string_view text) {
  for (int64_t i = range.first; i < range.last; ++i) {
    if (words.text(i) == text) return true;
  }
  return false;
}

// Arrays and pointers declared in [first, last): parameters and body of a function.
Variables variables_in(const Words& words, int64_t first, int64_t last) {
  Variables variables;
  for (int64_t i = first + 1; i < last; ++i) {
    if (!words.is_word(i) || variables.contains(words.text(i))) continue;
    const TokenRange type = declarator_before(words, i, first);
    const bool is_array = words.text(i + 1) == "[";
    if (type.last - type.first < 1 ||
        (!is_array && words.text(i - 1) != "*" && words.text(i - 1) != "__restrict__")) {
      continue;
    }
    Variable variable{.is_volatile = holds(words, type, "volatile"),
                      .is_shared = holds(words, type, "__shared__")};
    variable.is_local = is_array && !variable.is_shared;
    if (words.text(i + 1) == "=") {
      for (int64_t k = i + 2; k < end_of_statement(words, i); ++k) {
        const auto found = variables.find(words.text(k));
        variable.is_shared |= found != variables.end() && found->second.is_shared;
      }
    }
    variables.emplace(words.text(i), variable);
  }
  return variables;
}

bool is_barrier(std::string_view text) {
  return text.starts_with("__syncthreads") || text == "__syncwarp" || text == "sync" ||
         text == "syncwarp" || text == "__barrier_sync";
}

// Whether a block's barrier follows the statement that ends at `last`.
bool meets_block(const Words& words, int64_t last) {
  int64_t next = last + 1;
  while (words.text(next) == "}") ++next;
  return words.text(next).starts_with("__syncthreads") || words.text(next + 2) == "sync";
}

// Lanes exchange what they keep in a volatile variable if one reads, without a barrier, an element
// of another index than was written last. In one that is not volatile, by two steps in a row.
void find_exchanges(const Words& words, TokenRange body, Variables& variables) {
  std::map<std::string_view, std::string_view> written;  // index, since the last barrier
  for (int64_t i = body.first; i < body.last; ++i) {
    if (is_barrier(words.text(i))) written.clear();
    const auto found = variables.find(words.text(i));
    if (found == variables.end() || words.text(i + 1) != "[") continue;
    Variable& variable = found->second;
    const Store store = store_at(words, i);
    const std::string_view index = words.source({i + 2, words.partner_of(i + 1)});
    if (store.last == 0) {
      const auto last = written.find(words.text(i));
      const bool is_other = last != written.end() && last->second != index;
      variable.is_exchanged |= variable.is_volatile && variable.is_shared && is_other;
      const std::string_view after = words.text(words.partner_of(i + 1) + 1);
      if (is_store_sign(after) || after == "++" || after == "--") variable.odd_use = i;
      continue;
    }
    if (store.reads_others && !meets_block(words, store.last)) {
      const Store next = store_at(words, store.last + 1);
      const bool is_run =
          store.reads_ahead && next.reads_ahead && words.text(next.first) == words.text(i);
      variable.is_exchanged |= (variable.is_volatile || is_run) && !variable.is_local;
    }
    written[words.text(i)] = index;
  }
}

void make_step(Translation& translation, const Store& store) {
  const Words& words = translation.words;
  const int64_t value = words.first(store.value);
  const int64_t end = words.first(store.last);
  const Piece target{.first = words.first(store.first), .last = value};
  Edit edit{.first = target.first,
            .last = words.last(store.last),
            .pieces = {},
            .rule = std::string(kRule),
            .hazard = "S04",
            .note = "all lanes read before one writes, in the order of the source"};
  if (store.reads_others) {
    edit.pieces = {{.text = "{ const auto ambidex_step = "},
                   {.first = value, .last = end},
                   {.text = fmt::format("; {} ", kSync)},
                   target,
                   {.text = fmt::format("ambidex_step; {} }}", kSync)}};
  } else {
    edit.pieces = {{.text = fmt::format("{{ {} ", kSync)},
                   {.first = target.first, .last = end},
                   {.text = fmt::format("; {} }}", kSync)}};
  }
  translation.needs_port = true;
  translation.edits.push_back(std::move(edit));
}

// Already a step of ours: `ambidex_port::syncwarp(); s[i] = ..`.
bool is_ordered(const Words& words, const Store& store) {
  return words.text(store.first - 1) == ";" && words.text(store.first - 4) == "syncwarp" &&
         words.text(store.last + 3) == "syncwarp";
}

void translate_function(Translation& translation, int64_t first, TokenRange body) {
  const Words& words = translation.words;
  Variables variables = variables_in(words, first, body.last);
  find_exchanges(words, body, variables);
  for (int64_t i = body.first; i < body.last; ++i) {
    const auto found = variables.find(words.text(i));
    if (found == variables.end() || !found->second.is_exchanged) continue;
    const Store store = store_at(words, i);
    if (store.last == 0) continue;
    const bool plain = !found->second.is_volatile && !store.reads_ahead;
    if (plain || is_ordered(words, store) || meets_block(words, store.last)) continue;
    make_step(translation, store);
  }
  for (const auto& [name, variable] : variables) {
    if (!variable.is_exchanged || variable.odd_use < 0) continue;
    refuse_word(translation, variable.odd_use, kRule, "S04",
                fmt::format("lanes of a warp exchange {} in lockstep, and it is written here in a "
                            "form that no rule can put barriers around",
                            name));
  }
}

// The first word of the parameters before the body that opens at `open`.
int64_t start_of_parameters(const Words& words, int64_t open) {
  for (int64_t k = open - 1; k > 0 && k > open - 8; --k) {
    if (words.text(k) == ")" && words.partner_of(k) > 0) return words.partner_of(k);
  }
  return open;
}

}  // namespace

void translate_volatile(Translation& translation) {
  const Words& words = translation.words;
  for (int64_t i = 1; i < words.size(); ++i) {
    const bool opens = words.text(i) == "{" && words.device[static_cast<size_t>(i)] &&
                       !words.device[static_cast<size_t>(i - 1)];
    const int64_t close = words.partner_of(i);
    if (!opens || close < 0 || words.at(i).amd_only || words.at(i).directive) continue;
    translate_function(translation, start_of_parameters(words, i), {i + 1, close});
  }
}

}  // namespace ambidex
