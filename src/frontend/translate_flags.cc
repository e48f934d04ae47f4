// SPDX-License-Identifier: Apache-2.0
// S08: flags that blocks pass to each other through volatile memory. Where the file shows both
// sides, who stores and who waits, their accesses become stores with release and loads with acquire
// at the scope of the device; nothing is asked of a volatile access that these do not give.
#include <algorithm>
#include <array>

#include "frontend/translate.h"

namespace ambidex {
namespace {

constexpr const char* kRule = "memory.flag";
constexpr const char* kNote = "caches of the dies of one GPU are not coherent for plain accesses";

bool is_scalar_word(std::string_view word) {
  static constexpr std::array<std::string_view, 13> kWords{
      "int",  "unsigned", "long",    "short",    "char",    "float",   "double",
      "bool", "size_t",   "int32_t", "uint32_t", "int64_t", "uint64_t"};
  return std::find(kWords.begin(), kWords.end(), word) != kWords.end();
}

bool is_qualifier(std::string_view word) {
  return word == "const" || word == "volatile" || word == "__restrict__" || word == "__restrict";
}

// `volatile int* flags`, `__device__ volatile int ready[8]`
struct Flag {
  std::string_view name;
  TokenRange scope;         // of words in which it has this meaning
  bool is_pointer = false;  // or an array: accesses have [] or *
};

// The body that a parameter list or a place in a body belongs to.
TokenRange scope_of(const Words& words, int64_t i) {
  if (words.device[static_cast<size_t>(i)]) {
    int64_t end = i;
    while (end < words.size() && words.device[static_cast<size_t>(end)]) ++end;
    return {i, end};
  }
  int64_t close = i;
  while (close < words.size() && words.text(close) != ")" && words.text(close) != ";") {
    close = words.partner_of(close) > close ? words.partner_of(close) + 1 : close + 1;
  }
  int64_t open = close + 1;
  while (open < words.size() && words.text(open) != "{" && words.text(open) != ";") {
    open = words.partner_of(open) > open ? words.partner_of(open) + 1 : open + 1;
  }
  const int64_t end = words.text(open) == "{" ? words.partner_of(open) : -1;
  const bool is_device = end > open && words.device[static_cast<size_t>(open + 1)];
  return is_device ? TokenRange{open, end} : TokenRange{0, 0};
}

bool is_in_statement_with(const Words& words, int64_t i, std::string_view word) {
  for (int64_t k = i; k > i - 6 && k >= 0; --k) {
    if (words.text(k) == ";" || words.text(k) == "}" || words.text(k) == "{") return false;
    if (words.text(k) == word) return true;
  }
  return false;
}

// The flag whose declaration has its `volatile` at word i; an empty name if it has another form.
Flag flag_at(const Words& words, int64_t i) {
  bool has_type = false;
  int64_t k = i - 1;  // int volatile*
  while (is_scalar_word(words.text(k)) || is_qualifier(words.text(k))) {
    has_type = has_type || is_scalar_word(words.text(k--));
  }
  for (k = i + 1; is_scalar_word(words.text(k)) || is_qualifier(words.text(k)); ++k) {
    has_type = has_type || is_scalar_word(words.text(k));
  }
  if (!has_type || is_in_statement_with(words, i, "__shared__")) return {};
  const bool is_pointer = words.text(k) == "*";
  if (is_pointer) ++k;
  while (is_qualifier(words.text(k))) ++k;
  const std::string_view next = words.text(k + 1);
  const bool ends = next == "," || next == ")" || next == "=" || next == ";" || next == "[";
  if (!words.is_word(k) || !ends) return {};
  if (is_pointer) return {words.text(k), scope_of(words, k), next != "["};
  const bool is_global =
      is_in_statement_with(words, i, "__device__") || is_in_statement_with(words, i, "__managed__");
  if (!is_global || words.device[static_cast<size_t>(i)]) return {};
  return {words.text(k), {k + 1, words.size()}, next == "["};
}

// An access of the flag whose name is word i: its words, and what has its address.
struct Access {
  TokenRange all;      // flags[b], *flag, *(flag + b), ready
  TokenRange address;  // with is_pointer: flag, flag + b; else what & is put before
  bool is_pointer = false;
};

// The ) of if (...), behind which a statement begins.
bool closes_condition(const Words& words, int64_t i) {
  if (words.text(i) != ")") return false;
  const std::string_view before = words.text(words.partner_of(i) - 1);
  return before == "if" || before == "while" || before == "for" || before == "switch";
}

bool is_operand(const Words& words, int64_t i) {
  const std::string_view word = words.text(i);
  if (word == "return" || word == "else" || word == "do" || closes_condition(words, i))
    return false;
  return words.is_word(i) || words.text(i) == ")" || words.text(i) == "]" ||
         words.at(i).kind == TokenKind::number;
}

Access access_at(const Words& words, int64_t i, const Flag& flag) {
  if (!flag.is_pointer) return {{i, i + 1}, {i, i + 1}, false};
  if (words.text(i + 1) == "[" && words.partner_of(i + 1) > i) {
    const int64_t end = words.partner_of(i + 1) + 1;
    return {{i, end}, {i, end}, false};
  }
  const auto is_star = [&](int64_t k) { return words.text(k) == "*" && !is_operand(words, k - 1); };
  if (is_star(i - 1)) return {{i - 1, i + 1}, {i, i + 1}, true};
  const int64_t end = words.partner_of(i - 1);
  if (words.text(i - 1) == "(" && is_star(i - 2) && end > i) {
    return {{i - 2, end + 1}, {i, end}, true};
  }
  return {};
}

enum class Use : uint8_t { load, store, other };

Use use_of(const Words& words, TokenRange access) {
  const std::string_view before = words.text(access.first - 1), after = words.text(access.last);
  const bool is_address = before == "&" && !is_operand(words, access.first - 2);
  if (is_address || before == "++" || before == "--" || before == "." || before == "->") {
    return Use::other;
  }
  const bool starts = before == ";" || before == "{" || before == "}" || before == "else" ||
                      before == "do" || closes_condition(words, access.first - 1);
  if (after == "=") return starts ? Use::store : Use::other;
  const bool changes = after == "++" || after == "--" || after == "." || after == "[" ||
                       (after.size() >= 2 && after.ends_with("=") && after != "==" &&
                        after != "!=" && after != "<=" && after != ">=");
  return changes ? Use::other : Use::load;
}

struct Found {
  Access access;
  Use use = Use::other;
};

std::vector<Found> accesses_of(const Words& words, const Flag& flag) {
  std::vector<Found> found;
  for (int64_t i = flag.scope.first; i < flag.scope.last; ++i) {
    const std::string_view before = words.text(i - 1);
    if (words.text(i) != flag.name || !words.is_word(i) || before == "." || before == "->" ||
        before == "::" || !words.device[static_cast<size_t>(i)]) {
      continue;
    }
    const Access access = access_at(words, i, flag);
    if (access.all.first < access.all.last) {
      found.push_back({access, use_of(words, access.all)});
    }
  }
  return found;
}

// Whether the load decides how long a loop goes on: it is in the head of a while, in the body of a
// do loop, or in an `if` within a loop.
bool is_waited_for(const Words& words, int64_t at) {
  bool is_asked = false;
  for (int64_t k = at - 1; k > 0 && words.device[static_cast<size_t>(k)]; --k) {
    const std::string_view text = words.text(k);
    const int64_t partner = words.partner_of(k);
    if (partner >= 0 && partner < k) {
      k = partner;  // a group that ended before
      continue;
    }
    if (text == "(" && words.text(k - 1) == "while") return true;
    if (text == "(" && words.text(k - 1) == "if") is_asked = true;
    if (text != "{" || partner < at) continue;
    const std::string_view before = words.text(k - 1);
    const std::string_view head =
        before == ")" ? words.text(words.partner_of(k - 1) - 1) : std::string_view();
    if (before == "do") return true;
    if (is_asked && (head == "while" || head == "for")) return true;
  }
  return false;
}

// __threadfence(); flags[b] = 1;   __threadfence(); if (threadIdx.x == 0) flags[b] = 1;
bool is_behind_fence(const Words& words, int64_t first) {
  int64_t k = first - 1;
  if (words.text(k) == "{") --k;
  if (words.text(k) == ")" && words.text(words.partner_of(k) - 1) == "if") {
    k = words.partner_of(k) - 2;
  }
  if (words.text(k) == "{") --k;
  if (words.text(k) == ";") --k;
  return words.text(k) == ")" && words.text(words.partner_of(k) - 1).starts_with("__threadfence");
}

// A counter of blocks, counted by atomics: they store.
bool is_counted(const Words& words, std::string_view name) {
  for (int64_t i = 0; i < words.size(); ++i) {
    if (!words.text(i).starts_with("atomic") || words.text(i + 1) != "(") continue;
    for (int64_t k = i + 2; k < words.partner_of(i + 1); ++k) {
      if (words.text(k) == name) return true;
    }
  }
  return false;
}

void rewrite(Translation& translation, const Found& found) {
  const Words& words = translation.words;
  const auto& [access, use] = found;
  const Piece address{.first = words.first(access.address.first),
                      .last = words.last(access.address.last - 1)};
  const std::string mark = access.is_pointer ? "" : "&";
  Edit edit{.first = words.first(access.all.first),
            .last = words.last(access.all.last - 1),
            .pieces = {{.text = "ambidex_port::ld_acquire_gpu(" + mark}, address, {.text = ")"}},
            .rule = kRule,
            .hazard = "S08",
            .note = kNote};
  if (use == Use::store) {
    int64_t end = access.all.last + 1;
    while (end < words.size() && words.text(end) != ";") {
      end = words.partner_of(end) > end ? words.partner_of(end) + 1 : end + 1;
    }
    edit.last = words.last(end - 1);
    edit.pieces = {{.text = "ambidex_port::st_release_gpu(" + mark},
                   address,
                   {.text = ", "},
                   {.first = words.first(access.all.last + 1), .last = words.last(end - 1)},
                   {.text = ")"}};
  }
  translation.needs_port = true;
  translation.edits.push_back(std::move(edit));
}

}  // namespace

void translate_flags(Translation& translation) {
  const Words& words = translation.words;
  std::map<std::string_view, std::vector<Found>> accesses;
  for (int64_t i = 0; i < words.size(); ++i) {
    if (words.text(i) != "volatile" || words.at(i).amd_only || words.at(i).directive) continue;
    const Flag flag = flag_at(words, i);
    if (flag.name.empty()) continue;
    for (const Found& found : accesses_of(words, flag)) accesses[flag.name].push_back(found);
  }
  for (const auto& [name, all] : accesses) {
    const auto any = [&](auto wanted) { return std::any_of(all.begin(), all.end(), wanted); };
    const bool is_waited = any([&](const Found& found) {
      return found.use == Use::load && is_waited_for(words, found.access.all.first);
    });
    const bool is_published = any([&](const Found& found) {
      return found.use == Use::store && is_behind_fence(words, found.access.all.first);
    });
    const bool is_stored = any([](const Found& found) { return found.use == Use::store; });
    const bool is_changed = any([](const Found& found) { return found.use == Use::other; });
    if (is_changed && !is_counted(words, name)) continue;  // ready++: no store that could release
    if (!is_published && !(is_waited && (is_stored || is_counted(words, name)))) continue;
    for (const Found& found : all) {
      if (found.use != Use::other) rewrite(translation, found);
    }
  }
}

}  // namespace ambidex
