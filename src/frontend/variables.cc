// SPDX-License-Identifier: Apache-2.0
// Declarations and assignments, as words show them.
#include <algorithm>

#include "frontend/program.h"

namespace ambidex::syntax {
namespace {

bool is_specifier(std::string_view word) {
  static const std::set<std::string_view> kWords{
      "const",        "constexpr",  "static",       "volatile",     "extern",      "register",
      "__shared__",   "__device__", "__constant__", "typename",     "struct",      "inline",
      "__restrict__", "__restrict", "mutable",      "thread_local", "__managed__", "constinit"};
  return kWords.contains(word);
}

bool is_basic(std::string_view word) {
  static const std::set<std::string_view> kWords{"unsigned", "signed", "long",  "short",
                                                 "char",     "int",    "float", "double",
                                                 "bool",     "auto",   "void"};
  return kWords.contains(word);
}

// Past the type that `at` starts, without * and &; `at` if it starts none.
int past_type(const Words& words, int at, int last) {
  bool basic = false;
  int i = at;
  while (i < last) {
    const std::string_view text = words.text(i);
    if (is_basic(text)) {
      basic = true;
      ++i;
    } else if (text == "alignas" || text == "__align__" || text == "__attribute__") {
      if (words.text(i + 1) != "(" || words.partner[static_cast<size_t>(i + 1)] < 0) return at;
      i = words.partner[static_cast<size_t>(i + 1)] + 1;
    } else if (is_specifier(text)) {
      ++i;
    } else {
      break;
    }
  }
  if (basic || i >= last) return i;
  if (!words.is_word(i) || is_keyword(words.text(i))) return at;
  for (;;) {
    ++i;
    if (words.text(i) == "<") {
      const int past = past_angles(words, i, last);
      if (past < 0) return at;
      i = past;
    }
    if (words.text(i) != "::" || !words.is_word(i + 1)) break;
    ++i;
  }
  while (i < last && is_specifier(words.text(i))) ++i;  // T const
  return std::min(i, last);
}

// One name of a declaration, from its stars to its comma.
void declarator(const Program& program, const Words& words, Span type, Span span,
                std::map<std::string, Variable>& into) {
  int i = span.first;
  Variable variable{.type = type, .words = &words};
  for (; i < span.last && (words.text(i) == "*" || words.text(i) == "&" || words.text(i) == "&&" ||
                           is_specifier(words.text(i)));
       ++i) {
    variable.pointer = variable.pointer || words.text(i) == "*";
  }
  if (i >= span.last || !words.is_word(i) || is_keyword(words.text(i))) return;
  variable.name_at = i;
  const std::string name(words.text(i));
  for (++i; i < span.last && words.text(i) == "[";) {
    const int close = words.partner[static_cast<size_t>(i)];
    if (close < 0) return;
    variable.bounds.push_back({i + 1, close});
    variable.array = true;
    i = close + 1;
  }
  const std::string_view next = words.text(i);
  if (i < span.last && (next == "=" || next == ":")) variable.init = {i + 1, span.last};
  if (i < span.last && (next == "(" || next == "{")) variable.init = {i + 1, span.last - 1};
  if (i < span.last && variable.init.first == 0) return;
  variable.shared = has_word(words, type, "__shared__");
  variable.is_volatile = has_word(words, type, "volatile");
  variable.width = width_of(program, words, type);
  into.insert_or_assign(name, variable);
}

int left_end(const Words& words, int i, int first, bool& element) {
  for (;;) {
    if (words.text(i) == "]" || words.text(i) == ")") {
      const int partner = words.partner[static_cast<size_t>(i)];
      if (partner <= first) return -1;
      element = true;
      if (words.text(i) == ")") {  // (*p), *(T*)p, (p + i)
        for (int k = partner + 1; k < i; ++k) {
          if (words.is_word(k) && !is_keyword(words.text(k)) && words.text(k + 1) != "*" &&
              words.text(k + 1) != "::" && !words.is_word(k + 1)) {
            return k;
          }
        }
        return -1;
      }
      i = partner - 1;
      continue;
    }
    if (!words.is_word(i)) return -1;
    const std::string_view before = words.text(i - 1);
    if (i - 1 > first && (before == "." || before == "->")) {
      element = element || before == "->";
      i -= 2;
      continue;
    }
    if (i - 1 >= first && before == "*" &&
        (i - 2 < first || (!words.is_word(i - 2) && words.text(i - 2) != ")"))) {
      element = true;
    }
    return i;
  }
}

bool is_assignment(std::string_view sign) {
  static const std::set<std::string_view> kSigns{
      "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="};
  return kSigns.contains(sign);
}

int statement_start(const Words& words, int i, int first) {
  while (i > first && words.text(i - 1) != ";" && words.text(i - 1) != "{" &&
         words.text(i - 1) != "}" && words.text(i - 1) != "(" && words.text(i - 1) != ",") {
    if (words.text(i - 1) == ")" || words.text(i - 1) == "]") {
      const int partner = words.partner[static_cast<size_t>(i - 1)];
      if (partner <= first) break;
      i = partner;
    } else {
      --i;
    }
  }
  return i;
}

void collect_assignments(const Words& words, Span body, std::vector<Assignment>& into) {
  for (int i = body.first; i < body.last; ++i) {
    if (!is_assignment(words.text(i))) continue;
    Assignment assignment{.sign = i};
    assignment.target = left_end(words, i - 1, body.first, assignment.element);
    if (assignment.target < 0) continue;
    assignment.left = {statement_start(words, assignment.target, body.first), i};
    int end = i + 1;
    while (end < body.last && words.text(end) != ";" && words.text(end) != "," &&
           words.text(end) != ")" && words.text(end) != "]" && words.text(end) != "}") {
      const int partner = words.partner[static_cast<size_t>(end)];
      end = partner > end ? partner + 1 : end + 1;
    }
    assignment.right = {i + 1, std::min(end, body.last)};
    into.push_back(assignment);
  }
}

void walk(const Program& program, const Words& words, const Statement& statement,
          std::map<std::string, Variable>& into) {
  if (statement.kind == StatementKind::simple) {
    collect_declarations(program, words, statement.head, into);
  } else if (!statement.head.empty() && statement.kind != StatementKind::return_of) {
    Span head = statement.head;  // for (int i = 0; ...), if (int x = ...)
    for (int i = head.first; i < head.last; ++i) {
      if (words.text(i) == ";") {
        head.last = i;
        break;
      }
    }
    collect_declarations(program, words, head, into);
  }
  for (const Statement& inner : statement.body) walk(program, words, inner, into);
  for (const Statement& inner : statement.otherwise) walk(program, words, inner, into);
}

}  // namespace

void collect_declarations(const Program& program, const Words& words, Span span,
                          std::map<std::string, Variable>& into) {
  const int past = past_type(words, span.first, span.last);
  if (past == span.first || past >= span.last) return;
  const Span type{span.first, past};
  const std::string_view next = words.text(past);
  if (!words.is_word(past) && next != "*" && next != "&" && next != "&&" && next != "[") return;
  if (next == "[" && !has_word(words, type, "auto")) return;
  if (next == "[") {  // auto [a, b] = ...
    const int close = words.partner[static_cast<size_t>(past)];
    for (int i = past + 1; i < close; ++i) {
      if (!words.is_word(i)) continue;
      into.insert_or_assign(std::string(words.text(i)), Variable{.width = Width::deduced,
                                                                 .type = type,
                                                                 .init = {close + 1, span.last},
                                                                 .name_at = i,
                                                                 .words = &words});
    }
    return;
  }
  for (const Span one : split_commas(words, {past, span.last})) {
    declarator(program, words, type, one, into);
  }
}

void collect_variables(const Program& program, const Function& function, FunctionFacts& facts) {
  const Words& words = *function.words;
  for (const Parameter& parameter : function.parameters) {
    if (parameter.name.empty()) continue;
    Variable variable{.parameter = true, .type = parameter.type, .words = &words};
    variable.pointer = has_word(words, parameter.type, "*") || has_word(words, parameter.type, "[");
    variable.is_volatile = has_word(words, parameter.type, "volatile");
    variable.width = width_of(program, words, parameter.type);
    facts.variables.insert_or_assign(parameter.name, variable);
  }
  walk(program, words, function.block, facts.variables);
  // Statements inside a lambda belong to the lambda's tree, but its captures see our variables.
  collect_assignments(words, function.body, facts.assignments);
}

}  // namespace ambidex::syntax
