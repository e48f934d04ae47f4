// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "frontend/program.h"

namespace ambidex::syntax {
namespace {

constexpr int kMaxDepth = 16;

Width wider(Width a, Width b) {
  if (a == Width::bits64 || b == Width::bits64) return Width::bits64;
  if (a == Width::deduced || b == Width::deduced) return Width::deduced;
  if (a == Width::unknown) return b;
  if (b == Width::unknown) return a;
  return std::max(a, b);
}

class WidthWalk {
 public:
  explicit WidthWalk(const Program& program) : program_(program) {}

  Width value(const Function& function, Span span, int depth) {
    if (depth > kMaxDepth) return Width::unknown;
    const Words& words = *function.words;
    Width width = Width::unknown;
    for (int i = span.first; i < span.last; ++i) {
      const std::string_view text = words.text(i);
      if (text == "<<" || text == ">>") {  // the left operand's type
        ++i;
        if (words.text(i) == "(") i = std::max(i, words.partner[static_cast<size_t>(i)]);
        continue;
      }
      if (words.token(i).kind == TokenKind::number) {
        width = wider(width, number(text));
      } else if (text == "(" && width == Width::unknown) {
        const int close = words.partner[static_cast<size_t>(i)];
        const Width cast = close > i ? width_of(program_, words, {i + 1, close}) : Width::unknown;
        if (cast == Width::bits32 || cast == Width::bits64) {
          if (close + 1 < span.last) return cast;  // (unsigned)...
        }
      } else if (words.is_word(i)) {
        width = wider(width, word(function, i, span.last, depth));
      }
    }
    return width;
  }

 private:
  static Width number(std::string_view text) {
    if (text.find_first_of("lL") != std::string_view::npos) return Width::bits64;
    size_t digits = 0;
    for (const char c : text) digits += c != '\'' && c != 'u' && c != 'U';
    return digits > 10 ? Width::bits64 : Width::bits32;
  }

  Width word(const Function& function, int& i, int last, int depth) {
    const Words& words = *function.words;
    const std::string_view text = words.text(i);
    if (text == "static_cast" || text == "reinterpret_cast") {
      const int past = past_angles(words, i + 1, last);
      if (past < 0) return Width::unknown;
      const Width cast = width_of(program_, words, {i + 2, past - 1});
      i = std::max(i, words.text(past) == "(" ? words.partner[static_cast<size_t>(past)] : past);
      return cast;
    }
    if (text == "true" || text == "false") return Width::narrow;
    const Width type = width_of(program_, words, {i, i + 1});
    const bool call = i + 1 < last && words.text(i + 1) == "(";
    if (type == Width::bits32 || type == Width::bits64) {
      if (call) i = std::max(i, words.partner[static_cast<size_t>(i + 1)]);
      return type;
    }
    if (text.starts_with("__ballot") || text == "__activemask" || text.starts_with("__match_")) {
      if (call) i = std::max(i, words.partner[static_cast<size_t>(i + 1)]);
      return Width::bits64;  // here
    }
    const Variable* found = call ? nullptr : variable(program_, function, text);
    if (found != nullptr) return of_variable(function, *found, depth);
    const Width named_width = of_name(text, depth);
    if (call) i = std::max(i, words.partner[static_cast<size_t>(i + 1)]);
    return named_width;
  }

  Width of_variable(const Function& function, const Variable& found, int depth) {
    if (found.width != Width::deduced || found.init.empty()) return found.width;
    return found.words == function.words ? value(function, found.init, depth + 1) : Width::unknown;
  }

  Width of_name(std::string_view name, int depth) {
    Width width = Width::unknown;
    for (const int index : named(program_, name)) {
      const Function& function = program_.functions[static_cast<size_t>(index)];
      width = wider(width, function.macro != nullptr
                               ? value(function, function.body, depth + 1)
                               : program_.facts[static_cast<size_t>(index)].return_width);
    }
    return width;
  }

  const Program& program_;
};

}  // namespace

Width width_of_value(const Program& program, const Function& function, Span span) {
  return WidthWalk(program).value(function, span, 0);
}

}  // namespace ambidex::syntax
