// SPDX-License-Identifier: Apache-2.0
// Names that a tree declares for itself, told from their surroundings.
#include <algorithm>
#include <array>

#include "frontend/translate.h"

namespace ambidex {
namespace {

bool is_keyword(std::string_view word) {
  static constexpr std::array<std::string_view, 13> kWords{
      "return", "do",   "else",      "case",  "throw",    "new",     "delete",
      "sizeof", "goto", "co_return", "using", "typename", "operator"};
  return std::find(kWords.begin(), kWords.end(), word) != kWords.end();
}

// `void f(`, `T* f(`, `vector<T> f(`, `struct S`, `int member;`
bool declares(const Words& words, int64_t i) {
  const std::string_view before = words.text(i - 1);
  const std::string_view after = words.text(i + 1);
  if (before == "define" && words.text(i - 2) == "#") return true;
  if (before == "struct" || before == "class" || before == "enum" || before == "union") {
    return after == "{" || after == ":" || after == "final";
  }
  if (before == "using" || before == "namespace") return after == "=";
  const bool typed = words.is_word(i - 1) && !is_keyword(before) && !words.at(i - 1).directive;
  if (after == "(") {
    // A call follows a sign, a declaration a type.
    const int64_t close = words.partner_of(i + 1);
    const std::string_view end = words.text(close + 1);
    const bool is_body = end == "{" || end == "const" || end == "noexcept" || end == "override";
    if (typed) return true;
    return is_body && (before == "*" || before == "&" || before == ">");
  }
  return typed && (after == ";" || after == "=") && before != "goto";
}

}  // namespace

void collect_declared(const Words& words, Tree& tree) {
  for (int64_t i = 1; i < words.size(); ++i) {
    if (words.is_word(i) && declares(words, i)) tree.declared.emplace(words.text(i));
  }
}

}  // namespace ambidex
