// SPDX-License-Identifier: Apache-2.0
#include "frontend/words.h"

#include <algorithm>

namespace ambidex {
namespace {

bool opens(std::string_view text) { return text == "(" || text == "[" || text == "{"; }

bool closes(std::string_view text, std::string_view open) {
  return (open == "(" && text == ")") || (open == "[" && text == "]") ||
         (open == "{" && text == "}");
}

void match(Words& words, std::vector<int64_t>& stack, int64_t i) {
  const std::string_view text = words.text(i);
  if (opens(text)) {
    stack.push_back(i);
  } else if ((text == ")" || text == "]" || text == "}") && !stack.empty() &&
             closes(text, words.text(stack.back()))) {
    words.partner[static_cast<size_t>(i)] = stack.back();
    words.partner[static_cast<size_t>(stack.back())] = i;
    stack.pop_back();
  }
}

// Brackets of one branch of an #if do not meet those of another: each starts from what was open at
// the #if.
void match_brackets(Words& words) {
  std::vector<int64_t> stack;
  std::vector<std::vector<int64_t>> saved;
  size_t next = 0;
  const auto& directives = words.file.directives;
  for (int64_t i = 0; i < words.size(); ++i) {
    if (next < directives.size() && directives[next].line.first == i) {
      const Directive& directive = directives[next++];
      if (directive.name.starts_with("if")) saved.push_back(stack);
      if (directive.name.starts_with("el") && !saved.empty()) stack = saved.back();
      if (directive.name == "endif" && !saved.empty()) saved.pop_back();
      std::vector<int64_t> own;
      for (; i < directive.line.last; ++i) match(words, own, i);
      --i;
      continue;
    }
    match(words, stack, i);
  }
}

// From the word that says so to the end of the body; a declaration has none.
void mark_device(Words& words, int64_t start) {
  for (int64_t i = start + 1; i < words.size(); ++i) {
    const std::string_view text = words.text(i);
    if (text == ";" || text == "}") return;
    if (text == "=" && words.text(i - 1) != "operator") return;
    const int64_t partner = words.partner_of(i);
    if (text == "{") {
      const int64_t last = partner < 0 ? words.size() : partner;
      std::fill(words.device.begin() + i, words.device.begin() + last, true);
      return;
    }
    if (partner > i) i = partner;
  }
}

bool is_angle_word(const Words& words, int64_t i) {
  const std::string_view text = words.text(i);
  if (words.is_word(i) || words.at(i).kind == TokenKind::number) return true;
  return text == "::" || text == "," || text == "*" || text == "&" || text == "..." ||
         text == "+" || text == "-" || text == "/";
}

}  // namespace

std::string_view Words::source(TokenRange range) const {
  if (range.first >= range.last) return {};
  const int64_t start = first(range.first);
  return std::string_view(*file.text)
      .substr(static_cast<size_t>(start), static_cast<size_t>(last(range.last - 1) - start));
}

Words words_of(const std::string& path, std::string text) {
  Words words;
  words.file = lexed(path, std::move(text));
  words.partner.assign(words.file.tokens.size(), -1);
  words.device.assign(words.file.tokens.size(), false);
  match_brackets(words);
  for (int64_t i = 0; i < words.size(); ++i) {
    if (words.text(i) == "__global__" || words.text(i) == "__device__") mark_device(words, i);
  }
  return words;
}

int64_t after_template_arguments(const Words& words, int64_t open) {
  int64_t depth = 0;
  for (int64_t i = open; i < words.size() && i < open + 200; ++i) {
    const std::string_view text = words.text(i);
    if (text == "<") {
      ++depth;
    } else if (text == ">" || text == ">>" || text == ">>>") {
      depth -= static_cast<int64_t>(text.size());
      if (depth <= 0) return depth == 0 ? i + 1 : -1;
    } else if (text == "(" && words.partner_of(i) > i) {
      i = words.partner_of(i);
    } else if (!is_angle_word(words, i)) {
      return -1;
    }
  }
  return -1;
}

std::vector<TokenRange> arguments_of(const Words& words, int64_t open) {
  const int64_t close = words.partner_of(open);
  std::vector<TokenRange> arguments;
  if (close < 0 || close == open + 1) return arguments;
  int64_t start = open + 1;
  for (int64_t i = start; i < close; ++i) {
    const std::string_view text = words.text(i);
    if (words.partner_of(i) > i) {
      i = words.partner_of(i);
    } else if (text == "<" && words.is_word(i - 1)) {
      const int64_t after = after_template_arguments(words, i);
      const std::string_view next = words.text(after);
      if (after > 0 && after <= close && (next == "(" || next == "::" || next == "{"))
        i = after - 1;
    } else if (text == ",") {
      arguments.push_back({start, i});
      start = i + 1;
    }
  }
  arguments.push_back({start, close});
  return arguments;
}

int64_t start_of_postfix(const Words& words, int64_t i) {
  int64_t start = -1;
  for (int64_t k = i - 1; k >= 0;) {
    const std::string_view text = words.text(k);
    if (text == ")" || text == "]") {
      const int64_t open = words.partner_of(k);
      if (open < 0) return -1;
      start = open;
      k = open - 1;
      if (text == ")" && !words.is_word(k)) return start;
      continue;
    }
    if (!words.is_word(k)) return start;
    start = k;
    const std::string_view before = words.text(k - 1);
    if (before != "." && before != "->" && before != "::") return start;
    k -= 2;
  }
  return start;
}

std::string_view declared_type(const Words& words, int64_t use, std::string_view name) {
  for (int64_t i = use - 1; i > 0; --i) {
    if (words.text(i) != name || !words.is_word(i)) continue;
    int64_t type = i - 1;
    while (words.text(type) == "*" || words.text(type) == "&" ||
           words.text(type) == "__restrict__" || words.text(type) == "const") {
      --type;
    }
    const std::string_view after = words.text(i + 1);
    const bool ends = after == ";" || after == "=" || after == "," || after == ")" ||
                      after == "[" || after == "(" || after == "{";
    if (words.is_word(type) && words.text(type) != "return" && ends) return words.text(type);
  }
  return {};
}

}  // namespace ambidex
