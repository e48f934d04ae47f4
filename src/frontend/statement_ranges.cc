// SPDX-License-Identifier: Apache-2.0
#include "frontend/statement_ranges.h"

#include <array>

#include "base/word_list.h"

namespace ambidex {
namespace {

int64_t end_of_plain(const Words& words, int64_t i, int64_t last) {
  for (; i < last; ++i) {
    if (words.text(i) == ";") return i + 1;
    if (words.partner_of(i) > i) i = words.partner_of(i);
  }
  return -1;
}

int64_t parse(const Words& words, int64_t i, int64_t last, RangeStatement& statement);

// A statement below if, for or while: its words without braces.
int64_t parse_body(const Words& words, int64_t i, int64_t last, RangeStatement& statement) {
  if (words.text(i) == "{" && words.partner_of(i) > i) {
    statement.bodies.push_back({i + 1, words.partner_of(i)});
    return words.partner_of(i) + 1;
  }
  RangeStatement body;
  const int64_t end = parse(words, i, last, body);
  if (end > 0) statement.bodies.push_back({i, end});
  return end;
}

int64_t parse_headed(const Words& words, int64_t i, int64_t last, RangeStatement& statement) {
  int64_t open = i + 1;
  if (words.text(open) == "constexpr") ++open;
  const int64_t close = words.partner_of(open);
  if (words.text(open) != "(" || close < 0) return -1;
  statement.head = {open + 1, close};
  int64_t end = parse_body(words, close + 1, last, statement);
  if (words.text(i) != "if") return end;
  while (end > 0 && end < last && words.text(end) == "else") {
    end = parse_body(words, end + 1, last, statement);
  }
  return end;
}

// The word after the statement that starts at `i`; -1 if it cannot be told.
int64_t parse(const Words& words, int64_t i, int64_t last, RangeStatement& statement) {
  while (i < last && words.at(i).directive) {
    const int64_t line = words.at(i).line;
    if (words.text(i) == "#" && words.text(i + 1) != "pragma") return -1;
    while (i < last && words.at(i).directive && words.at(i).line == line) ++i;
  }
  if (i >= last) return -1;
  const std::string_view text = words.text(i);
  if (text == "{") {
    statement.kind = RangeStatementKind::block;
    return parse_body(words, i, last, statement);
  }
  if (text == "if" || text == "for" || text == "while") {
    statement.kind = text == "if" ? RangeStatementKind::branch : RangeStatementKind::loop;
    return parse_headed(words, i, last, statement);
  }
  if (text == "do" || text == "switch" || text == "try" || text == "else") {
    statement.kind = RangeStatementKind::other;
    RangeStatement ignored;
    const int64_t head = text == "do" ? i + 1 : i + 2;
    const int64_t start = text == "do" ? head : words.partner_of(i + 1) + 1;
    const int64_t end = start > i ? parse_body(words, start, last, ignored) : -1;
    return text == "do" && end > 0 ? end_of_plain(words, end, last) : end;
  }
  const int64_t end = end_of_plain(words, i, last);
  if (end > 0 && declaration_of(words, {i, end})) statement.kind = RangeStatementKind::declaration;
  return end;
}

bool is_qualifier(std::string_view word) {
  static constexpr std::array<std::string_view, 6> kWords{"const",    "constexpr", "static",
                                                          "volatile", "register",  "typename"};
  return is_any(word, kWords);
}

bool starts_no_type(std::string_view word) {
  static constexpr std::array<std::string_view, 12> kWords{
      "return", "delete", "goto",    "break",         "continue", "case",
      "using",  "throw",  "typedef", "static_assert", "asm",      "new"};
  return is_any(word, kWords);
}

// The word where the name of the first declarator stands, and whether stars precede it.
int64_t first_name(const Words& words, TokenRange statement) {
  int64_t num_words = 0;
  for (int64_t i = statement.first; i < statement.last; ++i) {
    const std::string_view text = words.text(i);
    const std::string_view next = words.text(i + 1);
    if (text == "<" && num_words > 0) {
      i = after_template_arguments(words, i) - 1;
      if (i < statement.first) return -1;
      continue;
    }
    if (text == "::" || text == "*" || text == "&" || text == "__restrict__") continue;
    if (!words.is_word(i)) return -1;
    if (is_qualifier(text)) continue;
    ++num_words;
    const bool ends = next == "=" || next == ";" || next == "[" || next == "," || next == "{";
    if (ends && words.text(i - 1) != "::") return num_words > 1 ? i : -1;
  }
  return -1;
}

Declarator declarator_of(const Words& words, TokenRange range) {
  Declarator declarator;
  for (int64_t i = range.first; i < range.last; ++i) {
    const std::string_view text = words.text(i);
    if (text == "*") declarator.is_pointer = true;
    if (text == "&") declarator.is_reference = true;
    if (words.is_word(i) && !is_qualifier(text) && text != "__restrict__") {
      declarator.name = i;
    } else if (text == "=") {
      declarator.initialiser = {i + 1, range.last};
      return declarator;
    } else if (text == "[" || text == "{" || text == "(") {
      if (text != "[") declarator.initialiser = {i, range.last};
      if (words.partner_of(i) > i) i = words.partner_of(i);
    }
  }
  return declarator;
}

bool is_impure_at(const Words& words, int64_t i) {
  static constexpr std::array<std::string_view, 13> kSigns{
      "[", "->", "++", "--", "=", "+=", "-=", "*=", "/=", "|=", "&=", "^=", "{"};
  const std::string_view text = words.text(i);
  if (is_any(text, kSigns)) return true;
  if (text == "*") return is_unary_star(words, i);
  if (text == "/" || text == "%") {
    // By zero it has no value.
    const Token& next = words.at(i + 1);
    const bool is_macro =
        next.kind == TokenKind::word && std::none_of(next.text.begin(), next.text.end(),
                                                     [](char c) { return c >= 'a' && c <= 'z'; });
    return next.kind != TokenKind::number && !is_macro &&
           words.source({i + 1, i + 4}) != "blockDim.x";
  }
  if (text == "(" && words.is_word(i - 1)) return !is_harmless_call(words.text(i - 1));
  return text == "(" && words.text(i - 1) == ">";
}

}  // namespace

bool is_unary_star(const Words& words, int64_t i) {
  const std::string_view before = words.text(i - 1);
  const bool is_value = words.is_word(i - 1) || words.at(i - 1).kind == TokenKind::number ||
                        before == ")" || before == "]";
  return !is_value || before == "return";
}

bool is_harmless_call(std::string_view name) {
  static constexpr std::array<std::string_view, 14> kNames{
      "min",      "max",    "int",         "float",    "unsigned", "size_t",  "int64_t",
      "uint32_t", "sizeof", "static_cast", "uint64_t", "long",     "int32_t", "abs"};
  return is_any(name, kNames);
}

std::optional<std::vector<RangeStatement>> statements_of(const Words& words, TokenRange range) {
  std::vector<RangeStatement> out;
  for (int64_t i = range.first; i < range.last;) {
    RangeStatement statement;
    const int64_t end = parse(words, i, range.last, statement);
    if (end <= i || end > range.last) return {};
    statement.words = {i, end};
    out.push_back(statement);
    i = end;
  }
  return out;
}

std::optional<Declaration> declaration_of(const Words& words, TokenRange statement) {
  if (starts_no_type(words.text(statement.first))) return {};
  const int64_t name = first_name(words, statement);
  if (name < 0) return {};
  Declaration out;
  int64_t start = name;
  while (words.text(start - 1) == "*" || words.text(start - 1) == "&" ||
         words.text(start - 1) == "__restrict__") {
    --start;
  }
  int64_t type = statement.first;
  while (is_qualifier(words.text(type))) ++type;
  out.type = {type, start};
  for (int64_t i = start, from = start; i < statement.last; ++i) {
    if (words.text(i) == "," || words.text(i) == ";") {
      out.declarators.push_back(declarator_of(words, {from, i}));
      from = i + 1;
    } else if (words.partner_of(i) > i) {
      i = words.partner_of(i);
    }
  }
  return out;
}

bool is_pure(const Words& words, TokenRange expression) {
  for (int64_t i = expression.first; i < expression.last; ++i) {
    if (is_impure_at(words, i)) return false;
  }
  return true;
}

}  // namespace ambidex
