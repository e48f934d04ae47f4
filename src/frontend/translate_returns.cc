// SPDX-License-Identifier: Apache-2.0
// S01: threads that return before a barrier. They stay, and do nothing: what follows is guarded
// statement by statement, and barriers are met by all.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "frontend/statement_ranges.h"
#include "frontend/translate.h"
#include "frontend/uniform.h"

namespace ambidex {
namespace {

struct Guarding {
  Translation& translation;
  TokenRange body;
  Uniformity names;
  std::set<std::string_view> barriers;  // functions that hold one
  std::string live;                     // the guard that holds here
  std::vector<Edit> edits;
  int64_t failed_at = -1;
  std::string reason;
};

bool fail(Guarding& guarding, int64_t word, std::string reason) {
  guarding.failed_at = word;
  guarding.reason = std::move(reason);
  return false;
}

bool is_barrier_word(std::string_view text) {
  return text == "__syncthreads" || text == "__syncthreads_count" || text == "__syncthreads_and" ||
         text == "__syncthreads_or";
}

bool holds_barrier(const Guarding& guarding, TokenRange range) {
  const Words& words = guarding.translation.words;
  for (int64_t i = range.first; i < range.last; ++i) {
    if (is_barrier_word(words.text(i))) return true;
    if (words.text(i + 1) == "(" && guarding.barriers.contains(words.text(i))) return true;
    if (words.text(i) == "sync" && words.text(i - 1) == "." && words.text(i + 1) == "(")
      return true;
  }
  return false;
}

bool holds_return(const Words& words, TokenRange range) {
  for (int64_t i = range.first; i < range.last; ++i) {
    if (words.text(i) == "return") return true;
  }
  return false;
}

// `if (c) return;` or `if (c) { return; }`
bool is_early_return(const Words& words, const RangeStatement& statement) {
  if (statement.kind != RangeStatementKind::branch || statement.bodies.size() != 1) return false;
  const TokenRange body = statement.bodies[0];
  return body.last - body.first == 2 && words.text(body.first) == "return" &&
         words.text(body.first + 1) == ";";
}

void insert(Guarding& guarding, int64_t offset, std::string text) {
  guarding.edits.push_back({.first = offset,
                            .last = offset,
                            .pieces = {{.text = std::move(text)}},
                            .rule = "schedule.early-return",
                            .hazard = "S01",
                            .note = "all threads of the block come to the barrier"});
}

std::string nothing_of(const Words& words, const Declaration& declaration,
                       const Declarator& declarator) {
  if (declarator.is_pointer) return "nullptr";
  const std::string type(words.source(declaration.type));
  const bool is_one_word = declaration.type.last - declaration.type.first == 1 ||
                           type.find("::") != std::string::npos ||
                           type.find('<') != std::string::npos;
  return is_one_word ? type + "()" : fmt::format("({})0", type);
}

bool guard_declaration(Guarding& guarding, const RangeStatement& statement) {
  const Words& words = guarding.translation.words;
  const auto declaration = declaration_of(words, statement.words);
  if (!declaration) return fail(guarding, statement.words.first, "a declaration of another form");
  for (const Declarator& declarator : declaration->declarators) {
    const TokenRange value = declarator.initialiser;
    if (value.first >= value.last || is_pure(words, value)) continue;
    const std::string_view type = words.text(declaration->type.first);
    if (declarator.is_reference || type == "auto" || words.text(value.first) == "{" ||
        words.text(value.first - 1) != "=") {
      return fail(guarding, declarator.name,
                  fmt::format("{} is declared with a value that only some threads may compute",
                              words.text(declarator.name)));
    }
    insert(guarding, words.first(value.first), guarding.live + " ? (");
    insert(guarding, words.last(value.last - 1),
           ") : " + nothing_of(words, *declaration, declarator));
  }
  return true;
}

bool guard_all(Guarding& guarding, TokenRange range);

// Whether a thread that should have returned may execute it, as it must where a function that is
// called holds a barrier: numbers are computed and nothing is read or written through an address.
bool is_harmless(const Words& words, TokenRange range) {
  for (int64_t i = range.first; i < range.last; ++i) {
    const std::string_view text = words.text(i), before = words.text(i - 1);
    const bool operand = words.is_word(i - 1) || before == ")" || before == "]";
    if (text == "[" || text == "->" || text == "++" || text == "--" || text == "/=") return false;
    if ((text == "*" || text == "&") && !operand) return false;
    if (text.starts_with("atomic") || text == "return" || text == "%") return false;
  }
  return true;
}

// A loop or branch with a barrier or a return inside: all threads must go the same way.
bool guard_inside(Guarding& guarding, const RangeStatement& statement) {
  const Words& words = guarding.translation.words;
  const bool has_barrier = holds_barrier(guarding, statement.words);
  const bool is_known = statement.kind == RangeStatementKind::block ||
                        statement.kind == RangeStatementKind::branch ||
                        statement.kind == RangeStatementKind::loop;
  if (!is_known) {
    return fail(guarding, statement.words.first,
                fmt::format("a {} inside of do or switch", has_barrier ? "barrier" : "return"));
  }
  if (statement.kind != RangeStatementKind::block &&
      !is_uniform(words, statement.head, guarding.names)) {
    return fail(guarding, statement.words.first,
                fmt::format("a {} is inside of a loop or branch that threads may take differently",
                            has_barrier                            ? "barrier"
                            : holds_return(words, statement.words) ? "return"
                                                                   : "break or continue"));
  }
  if (!guarding.live.empty() && holds_barrier(guarding, statement.head) &&
      !is_harmless(words, statement.head)) {
    return fail(guarding, statement.head.first, "a barrier inside of a condition");
  }
  return std::all_of(statement.bodies.begin(), statement.bodies.end(),
                     [&](TokenRange body) { return guard_all(guarding, body); });
}

void guard_group(Guarding& guarding, TokenRange group) {
  if (group.first >= group.last || guarding.live.empty()) return;
  const Words& words = guarding.translation.words;
  insert(guarding, words.first(group.first), fmt::format("if ({}) {{ ", guarding.live));
  insert(guarding, words.last(group.last - 1), " }");
}

// The barrier itself, or a call of a function that holds one, which every thread makes.
bool is_bare_barrier(const Words& words, const RangeStatement& statement) {
  return statement.kind == RangeStatementKind::plain &&
         statement.words.last - statement.words.first == 4 &&
         is_barrier_word(words.text(statement.words.first));
}

void make_live(Guarding& guarding, const RangeStatement& statement) {
  const Words& words = guarding.translation.words;
  const std::string name =
      guarding.live.empty()
          ? "ambidex_live"
          : fmt::format("{}_{}", "ambidex_live", words.at(statement.words.first).line);
  std::string before = fmt::format("const bool {} = ", name);
  if (!guarding.live.empty()) before += guarding.live + " && ";
  guarding.edits.push_back({.first = words.first(statement.words.first),
                            .last = words.last(statement.words.last - 1),
                            .pieces = {{.text = before + "!("},
                                       {.first = words.first(statement.head.first),
                                        .last = words.last(statement.head.last - 1)},
                                       {.text = ");"}},
                            .rule = "schedule.early-return",
                            .hazard = "S01",
                            .note = "all threads of the block come to the barrier"});
  guarding.live = name;
}

bool guard_one(Guarding& guarding, const RangeStatement& statement) {
  const Words& words = guarding.translation.words;
  const bool is_simple = statement.kind == RangeStatementKind::declaration ||
                         statement.kind == RangeStatementKind::plain;
  if (is_simple && holds_barrier(guarding, statement.words) &&
      (is_bare_barrier(words, statement) || is_harmless(words, statement.words))) {
    return true;
  }
  if (statement.kind == RangeStatementKind::declaration &&
      !holds_barrier(guarding, statement.words)) {
    return guard_declaration(guarding, statement);
  }
  if (is_simple) {
    return fail(guarding, statement.words.first,
                holds_barrier(guarding, statement.words)
                    ? "a barrier inside of an expression or of a function that is called"
                    : "a return inside of an expression");
  }
  return guard_inside(guarding, statement);
}

bool is_return(const Words& words, const RangeStatement& statement) {
  return statement.words.last - statement.words.first == 2 &&
         words.text(statement.words.first) == "return";
}

bool is_jump(const Words& words, const RangeStatement& statement) {
  const std::string_view word = words.text(statement.words.first);
  return statement.words.last - statement.words.first == 2 &&
         (word == "break" || word == "continue");
}

// Whether it holds a break or continue of the loop around it.
bool holds_jump(const Words& words, const RangeStatement& statement) {
  if (is_jump(words, statement)) return true;
  if (statement.kind != RangeStatementKind::branch && statement.kind != RangeStatementKind::block) {
    return false;
  }
  return std::any_of(statement.bodies.begin(), statement.bodies.end(), [&](TokenRange body) {
    const auto statements = statements_of(words, body);
    return statements && std::any_of(statements->begin(), statements->end(),
                                     [&](const auto& inner) { return holds_jump(words, inner); });
  });
}

// Whether a barrier may come behind `statement` of `range`. What is looked into holds a barrier or
// a return, and a loop comes back to it, unless all that come in leave at its end.
bool is_barred(const Guarding& guarding, TokenRange range, const RangeStatement& statement,
               const RangeStatement& last) {
  const Words& words = guarding.translation.words;
  const bool is_body = range.first == guarding.body.first;
  if (!is_body && !is_return(words, last)) return true;
  return holds_barrier(guarding, {statement.words.last, range.last});
}

bool guard_all(Guarding& guarding, TokenRange range) {
  const Words& words = guarding.translation.words;
  const auto statements = statements_of(words, range);
  if (!statements) return fail(guarding, range.first, "statements that cannot be told apart");
  TokenRange group{range.first, range.first};
  for (const RangeStatement& statement : *statements) {
    const bool has_barrier = holds_barrier(guarding, statement.words);
    const bool leaves = holds_return(words, statement.words) &&
                        statement.kind != RangeStatementKind::declaration &&  // of a lambda's
                        is_barred(guarding, range, statement, statements->back());
    const bool starts = leaves && is_early_return(words, statement) &&
                        range.first == guarding.body.first &&
                        !is_uniform(words, statement.head, guarding.names);
    // Threads that should have returned leave a loop with the others, or they stay in it.
    const bool jumps = !guarding.live.empty() && holds_jump(words, statement);
    const bool stands_alone = leaves || jumps || has_barrier || is_return(words, statement) ||
                              statement.kind == RangeStatementKind::declaration;
    if (!stands_alone) {
      group.last = statement.words.last;
      continue;
    }
    guard_group(guarding, group);
    group = {statement.words.last, statement.words.last};
    if (starts) {
      make_live(guarding, statement);
    } else if (is_return(words, statement) || is_jump(words, statement)) {
      continue;  // all that come here leave
    } else if (!guarding.live.empty() || leaves ||
               (has_barrier && holds_return(words, statement.words))) {
      if (!guard_one(guarding, statement)) return false;
    }
  }
  guard_group(guarding, group);
  return true;
}

// Names of functions of the file that hold a barrier, through calls too.
std::set<std::string_view> barrier_functions(const Words& words) {
  std::set<std::string_view> out;
  for (size_t before = 1; before != out.size();) {
    before = out.size();
    for (int64_t i = 0; i < words.size(); ++i) {
      if (words.text(i) != "{" || words.text(i - 1) != ")" ||
          !words.device[static_cast<size_t>(i)]) {
        continue;
      }
      const int64_t open = words.partner_of(i - 1);
      if (!words.is_word(open - 1)) continue;
      for (int64_t k = i; k < words.partner_of(i); ++k) {
        const bool calls = words.text(k + 1) == "(" && out.contains(words.text(k));
        if (is_barrier_word(words.text(k)) || calls) {
          if (words.text(open - 1) != "if" && words.text(open - 1) != "for" &&
              words.text(open - 1) != "while") {
            out.insert(words.text(open - 1));
          }
          break;
        }
      }
    }
    if (before == out.size()) break;
  }
  return out;
}

void translate_body(Translation& translation, int64_t open,
                    const std::set<std::string_view>& barriers) {
  const Words& words = translation.words;
  Guarding guarding{.translation = translation,
                    .body = {open + 1, words.partner_of(open)},
                    .names = {},
                    .barriers = barriers,
                    .live = "",
                    .edits = {},
                    .failed_at = -1,
                    .reason = ""};
  if (guarding.body.last < 0 || !holds_return(words, guarding.body)) return;
  if (!holds_barrier(guarding, guarding.body)) return;
  guarding.names = uniformity_of(words, guarding.body);
  if (guard_all(guarding, guarding.body)) {
    for (Edit& edit : guarding.edits) translation.edits.push_back(std::move(edit));
    return;
  }
  refuse_word(translation, guarding.failed_at, "schedule.early-return", "S01",
              "threads return before a barrier that others wait at, and no rule makes them stay: " +
                  guarding.reason);
}

}  // namespace

void translate_returns(Translation& translation) {
  const Words& words = translation.words;
  const auto barriers = barrier_functions(words);
  for (int64_t i = 0; i < words.size(); ++i) {
    if (words.text(i) != "__global__" || words.at(i).amd_only || words.at(i).directive) continue;
    int64_t open = i + 1;
    while (open < words.size() && words.text(open) != "{" && words.text(open) != ";") {
      open = words.partner_of(open) > open ? words.partner_of(open) + 1 : open + 1;
    }
    if (words.text(open) == "{") translate_body(translation, open, barriers);
  }
}

}  // namespace ambidex
