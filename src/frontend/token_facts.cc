// SPDX-License-Identifier: Apache-2.0
#include "frontend/token_facts.h"

#include <algorithm>
#include <set>

namespace ambidex {
namespace {

constexpr int64_t kMaxReach = 20000;  // words between brackets
constexpr int64_t kMaxAngles = 200;   // words of a list of template arguments
constexpr int64_t kMaxBack = 20000;   // words from a use back to its declaration

int64_t size_of(const SourceFile& file) { return std::ssize(file.tokens); }

bool opens(std::string_view text) { return text == "(" || text == "[" || text == "{"; }
bool closes(std::string_view text) { return text == ")" || text == "]" || text == "}"; }

int64_t closing_angle(const SourceFile& file, int64_t open) {
  int depth = 0;
  for (int64_t i = open; i < std::min(size_of(file), open + kMaxAngles); ++i) {
    const std::string_view text = text_at(file, i);
    if (text == ";" || text == "{" || text == "}" || text == "&&" || text == "||") return -1;
    if (text == "(") i = std::max(i, closing(file, i));
    if (text == "<") ++depth;
    depth -= text == ">" ? 1 : text == ">>" ? 2 : text == ">>>" ? 3 : 0;
    if (depth <= 0) return i;
  }
  return -1;
}

bool is_type_word(std::string_view word) {
  static const std::set<std::string_view> kWords{
      "const", "volatile",  "unsigned", "signed", "long",   "short",  "int",         "char",
      "float", "double",    "bool",     "void",   "auto",   "size_t", "half",        "static",
      "half2", "constexpr", "typename", "struct", "extern", "inline", "__restrict__"};
  return kWords.contains(word) || word.ends_with("_t") || word.starts_with("__nv_");
}

bool never_before_a_name(std::string_view word) {
  static const std::set<std::string_view> kWords{
      "return",   "else",   "case",  "goto",  "new",    "delete",  "throw",     "using",   "sizeof",
      "typename", "define", "undef", "ifdef", "ifndef", "defined", "namespace", "operator"};
  return kWords.contains(word);
}

/// The words of a type that end before `name`: from the back over *, &, ::, <...> and words.
int64_t type_start(const SourceFile& file, int64_t name) {
  int64_t i = name - 1;
  while (i >= 0 && (text_at(file, i) == "*" || text_at(file, i) == "&" ||
                    text_at(file, i) == "__restrict__" || text_at(file, i) == "const")) {
    --i;
  }
  if (text_at(file, i) == ">") {
    int depth = 1;
    for (--i; i >= 0 && depth > 0 && name - i < kMaxAngles; --i) {
      depth += text_at(file, i) == ">" ? 1 : text_at(file, i) == "<" ? -1 : 0;
    }
  }
  if (!is_word_at(file, i) || never_before_a_name(text_at(file, i))) return -1;
  while (i > 0 && (text_at(file, i - 1) == "::" ||
                   (is_word_at(file, i - 1) && !never_before_a_name(text_at(file, i - 1))))) {
    i -= 1;
  }
  return i;
}

TokenRange initialiser(const SourceFile& file, int64_t name) {
  int64_t i = name + 1;
  while (text_at(file, i) == "[") i = std::max(i, closing(file, i)) + 1;
  const std::string_view next = text_at(file, i);
  if (next == "(" || next == "{") return {i + 1, std::max(i + 1, closing(file, i))};
  if (next != "=") return {};
  const int64_t start = ++i;
  for (; i < size_of(file); ++i) {
    const std::string_view text = text_at(file, i);
    if (text == ";" || text == "," || closes(text)) break;
    if (opens(text)) i = std::max(i, closing(file, i));
  }
  return {start, i};
}

/// `int a = 1, b = 2`: the type of b is before a.
int64_t first_of_list(const SourceFile& file, int64_t comma) {
  for (int64_t i = comma - 1; i > 0 && comma - i < kMaxAngles; --i) {
    const std::string_view text = text_at(file, i);
    if (text == ";" || text == "{" || text == "}" || text == "(") return -1;
    const std::string_view next = text_at(file, i + 1);
    const bool ends = next == "=" || next == "," || next == "[";
    if (is_word_at(file, i) && ends && is_word_at(file, i - 1) && type_start(file, i) >= 0 &&
        text_at(file, i - 1) != ",") {
      return i;
    }
  }
  return -1;
}

bool declares(const SourceFile& file, int64_t name) {
  const std::string_view next = text_at(file, name + 1);
  static const std::set<std::string_view> kAfter{"=", ";", ",", ")", "(", "{", "[", ":"};
  return kAfter.contains(next);
}

}  // namespace

std::string_view text_at(const SourceFile& file, int64_t i) {
  return i < 0 || i >= size_of(file) ? std::string_view()
                                     : file.tokens[static_cast<size_t>(i)].text;
}

bool is_word_at(const SourceFile& file, int64_t i) {
  return i >= 0 && i < size_of(file) && file.tokens[static_cast<size_t>(i)].kind == TokenKind::word;
}

int64_t closing(const SourceFile& file, int64_t open) {
  if (text_at(file, open) == "<") return closing_angle(file, open);
  int depth = 0;
  for (int64_t i = open; i < std::min(size_of(file), open + kMaxReach); ++i) {
    const std::string_view text = text_at(file, i);
    if (opens(text)) ++depth;
    if (closes(text) && --depth == 0) return i;
  }
  return -1;
}

int64_t call_open(const SourceFile& file, int64_t i) {
  if (text_at(file, i + 1) == "(") return i + 1;
  if (text_at(file, i + 1) != "<") return -1;
  const int64_t close = closing(file, i + 1);
  return close > 0 && text_at(file, close + 1) == "(" ? close + 1 : -1;
}

std::vector<TokenRange> arguments_of(const SourceFile& file, int64_t open) {
  std::vector<TokenRange> arguments;
  const int64_t close = closing(file, open);
  if (close < 0 || close == open + 1) return arguments;
  int64_t start = open + 1;
  for (int64_t i = start; i < close; ++i) {
    const std::string_view text = text_at(file, i);
    if (opens(text)) i = std::max(i, closing(file, i));
    if (text == "<" && is_word_at(file, i - 1)) {
      const int64_t end = closing(file, i);
      const std::string_view after = text_at(file, end + 1);
      const bool is_list = end > 0 && end < close &&
                           (after == "(" || after == "::" || after == ">" || after == "{" ||
                            after == "*" || after == "&" || is_word_at(file, end + 1));
      if (is_list) i = end;
    }
    if (text != ",") continue;
    arguments.push_back({start, i});
    start = i + 1;
  }
  arguments.push_back({start, close});
  return arguments;
}

std::string spelled(const SourceFile& file, TokenRange range) {
  std::string out;
  for (int64_t i = range.first; i < range.last; ++i) {
    if (i > range.first) out += ' ';
    out += text_at(file, i);
  }
  return out;
}

bool has_word(const SourceFile& file, TokenRange range, std::string_view word) {
  for (int64_t i = range.first; i < range.last; ++i) {
    if (text_at(file, i) == word) return true;
  }
  return false;
}

TokenRange statement_around(const SourceFile& file, int64_t i) {
  const auto ends = [&](int64_t k) {
    const std::string_view text = text_at(file, k);
    return text.empty() || text == ";" || text == "{" || text == "}";
  };
  TokenRange range{i, i + 1};
  while (!ends(range.first - 1)) --range.first;
  while (!ends(range.last)) ++range.last;
  return range;
}

Declared declaration_of(const SourceFile& file, int64_t at, std::string_view name) {
  for (int64_t i = at - 1; i > 0 && at - i < kMaxBack; --i) {
    if (text_at(file, i) != name || !declares(file, i)) continue;
    int64_t first = i;
    if (text_at(file, i - 1) == ",") {
      const int64_t head = first_of_list(file, i - 1);
      if (head >= 0) first = head;
    }
    const int64_t start = type_start(file, first);
    if (start < 0) continue;
    return {.found = true, .type = spelled(file, {start, first}), .init = initialiser(file, i)};
  }
  return {};
}

std::string root_name(const SourceFile& file, TokenRange range) {
  for (int64_t i = range.first; i < range.last; ++i) {
    if (!is_word_at(file, i) || is_type_word(text_at(file, i))) continue;
    if (text_at(file, i).ends_with("_cast") && text_at(file, i + 1) == "<") {
      i = std::max(i, closing(file, i + 1));
      continue;
    }
    const bool is_cast = text_at(file, i - 1) == "(" &&
                         (text_at(file, i + 1) == "*" || text_at(file, i + 1) == ")") &&
                         i + 2 < range.last && text_at(file, i + 2) != "(";
    if (is_cast && text_at(file, i + 1) == "*" && text_at(file, i + 2) == ")") continue;
    if (call_open(file, i) >= 0 && call_open(file, i) < range.last) continue;
    return std::string(text_at(file, i));
  }
  return "";
}

}  // namespace ambidex
