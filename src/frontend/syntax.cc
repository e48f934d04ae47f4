// SPDX-License-Identifier: Apache-2.0
#include "frontend/syntax.h"

#include <algorithm>

namespace ambidex::syntax {
namespace {

constexpr int kMaxAngles = 120;  // words of a list of template arguments

bool may_be_template_argument(const Words& words, int i) {
  static const std::set<std::string_view> kSigns{"::", ",", "*", "&", "(",   ")",  "[",  "]",
                                                 "+",  "-", "/", "%", "...", "&&", "==", "~"};
  const TokenKind kind = words.token(i).kind;
  return kind == TokenKind::word || kind == TokenKind::number || kind == TokenKind::character ||
         kSigns.contains(words.text(i));
}

}  // namespace

int past_angles(const Words& words, int open, int last) {
  int depth = 0;
  for (int i = open; i < last && i < open + kMaxAngles; ++i) {
    const std::string_view text = words.text(i);
    if (text == "<") {
      ++depth;
    } else if (text == ">") {
      if (--depth == 0) return i + 1;
    } else if (text == ">>") {
      depth -= 2;
      if (depth <= 0) return i + 1;
    } else if (text == ">>>") {
      depth -= 3;
      if (depth <= 0) return i + 1;
    } else if (text == "=") {
      continue;  // a default
    } else if (text == "(" || text == "{") {
      const int partner = words.partner[static_cast<size_t>(i)];
      if (partner < 0) return -1;
      i = partner;
    } else if (!may_be_template_argument(words, i)) {
      return -1;
    }
  }
  return -1;
}

std::vector<Span> split_commas(const Words& words, Span span) {
  std::vector<Span> parts;
  if (span.empty()) return parts;
  int start = span.first;
  for (int i = span.first; i < span.last; ++i) {
    const std::string_view text = words.text(i);
    if (text == "(" || text == "[" || text == "{") {
      const int partner = words.partner[static_cast<size_t>(i)];
      if (partner > i && partner < span.last) i = partner;
    } else if (text == "<" && words.is_word(i - 1)) {
      const int past = past_angles(words, i, span.last);
      // a < b, c > d is a list of arguments only after a name that is a type's or a function's
      if (past > 0 && (words.text(past) == "(" || words.text(past) == "::" || words.is_word(past) ||
                       words.text(past) == "," || past == span.last || words.text(past) == "*" ||
                       words.text(past) == "&")) {
        i = past - 1;
      }
    } else if (text == ",") {
      parts.push_back({start, i});
      start = i + 1;
    }
  }
  parts.push_back({start, span.last});
  return parts;
}

bool has_word(const Words& words, Span span, std::string_view word) {
  for (int i = span.first; i < span.last; ++i) {
    if (words.text(i) == word) return true;
  }
  return false;
}

bool is_keyword(std::string_view word) {
  static const std::set<std::string_view> kWords{
      "if",        "else",     "for",      "while",    "do",       "switch",   "return",
      "break",     "continue", "case",     "default",  "goto",     "sizeof",   "new",
      "delete",    "throw",    "catch",    "try",      "const",    "volatile", "static",
      "constexpr", "int",      "unsigned", "signed",   "long",     "short",    "char",
      "float",     "double",   "bool",     "void",     "auto",     "struct",   "class",
      "enum",      "union",    "typename", "template", "operator", "noexcept", "override",
      "final",     "alignof",  "decltype", "using",    "typedef",  "asm",      "__asm__",
      "__asm",     "and",      "or",       "not",      "extern",   "inline",   "static_assert"};
  return kWords.contains(word);
}

std::vector<Call> calls_in(const Words& words, Span span) {
  std::vector<Call> calls;
  for (int i = span.first; i < span.last; ++i) {
    if (!words.is_word(i) || (is_keyword(words.text(i)) && words.text(i) != "asm" &&
                              !words.text(i).starts_with("__asm"))) {
      continue;
    }
    Call call{.name = i, .open = i + 1};
    while (words.text(call.open) == "volatile" && words.text(i).find("asm") < 3) ++call.open;
    if (words.text(i + 1) == "__volatile__") ++call.open;
    if (words.text(i + 1) == "<") {
      const int past = past_angles(words, i + 1, span.last);
      if (past < 0 || words.text(past) != "(") continue;
      call.template_arguments = {i + 2, past - 1};
      call.open = past;
    }
    if (call.open >= span.last || words.text(call.open) != "(") continue;
    const int close = words.partner[static_cast<size_t>(call.open)];
    if (close < 0 || close >= span.last) continue;
    const std::string_view before = words.text(i - 1);
    call.member = i > 0 && (before == "." || before == "->");
    call.arguments = split_commas(words, {call.open + 1, close});
    calls.push_back(std::move(call));
  }
  return calls;
}

std::string spelled(const Words& words, Span span) {
  std::string out;
  for (int i = span.first; i < span.last && out.size() < 120; ++i) {
    const bool apart = i > span.first && words.token(i - 1).last != words.token(i).first;
    if (apart) out += ' ';
    out += words.text(i);
  }
  return out;
}

}  // namespace ambidex::syntax
