// SPDX-License-Identifier: Apache-2.0
// Constant expressions, widths of types, and the width of a warp by its many names.
#include <algorithm>
#include <charconv>

#include "frontend/program.h"

namespace ambidex::syntax {
namespace {

constexpr int kMaxDepth = 24;  // of names that stand for names

std::optional<int64_t> number_of(std::string_view text) {
  std::string digits;
  for (const char c : text) {
    if (c != '\'') digits += c;
  }
  int base = 10;
  size_t start = 0;
  if (digits.starts_with("0x") || digits.starts_with("0X")) {
    base = 16;
    start = 2;
  } else if (digits.starts_with("0b") || digits.starts_with("0B")) {
    base = 2;
    start = 2;
  } else if (digits.size() > 1 && digits[0] == '0') {
    base = 8;
  }
  uint64_t value = 0;
  const char* first = digits.data() + start;
  const auto [end, error] = std::from_chars(first, digits.data() + digits.size(), value, base);
  if (error != std::errc() || end == first) return std::nullopt;
  for (const char* c = end; c < digits.data() + digits.size(); ++c) {
    if (std::string_view("uUlLzZ").find(*c) == std::string_view::npos) return std::nullopt;
  }
  return static_cast<int64_t>(value);
}

int precedence(std::string_view sign) {
  static const std::map<std::string_view, int> kSigns{{"|", 1},  {"^", 2}, {"&", 3}, {"<<", 4},
                                                      {">>", 4}, {"+", 5}, {"-", 5}, {"*", 6},
                                                      {"/", 6},  {"%", 6}};
  const auto found = kSigns.find(sign);
  return found == kSigns.end() ? 0 : found->second;
}

std::optional<int64_t> applied(std::string_view sign, int64_t a, int64_t b) {
  const auto ua = static_cast<uint64_t>(a);
  const auto ub = static_cast<uint64_t>(b);
  if (sign == "|") return a | b;
  if (sign == "^") return a ^ b;
  if (sign == "&") return a & b;
  if (sign == "+") return static_cast<int64_t>(ua + ub);
  if (sign == "-") return static_cast<int64_t>(ua - ub);
  if (sign == "*") return static_cast<int64_t>(ua * ub);
  if (sign == "<<") return b < 0 || b > 63 ? std::nullopt : std::optional(int64_t(ua << b));
  if (sign == ">>") return b < 0 || b > 63 ? std::nullopt : std::optional(a >> b);
  if (b == 0 || b == -1) return std::nullopt;
  return sign == "/" ? a / b : a % b;
}

class Evaluator {
 public:
  Evaluator(const Program& program, const Words& words, Span span, int depth)
      : program_(program), words_(words), at_(span.first), last_(span.last), depth_(depth) {}

  std::optional<int64_t> whole() {
    if (at_ >= last_ || depth_ > kMaxDepth) return std::nullopt;
    const auto value = binary(1);
    return at_ == last_ ? value : std::nullopt;
  }

 private:
  std::optional<int64_t> binary(int least) {
    auto left = unary(0);
    while (left && at_ < last_) {
      const std::string_view sign = words_.text(at_);
      const int level = precedence(sign);
      if (level < least) break;
      ++at_;
      const auto right = binary(level + 1);
      if (!right) return std::nullopt;
      left = applied(sign, *left, *right);
    }
    return left;
  }

  std::optional<int64_t> unary(int signs) {
    if (at_ >= last_ || signs > kMaxDepth) return std::nullopt;
    const std::string_view text = words_.text(at_);
    const int here = at_++;
    if (text == "-" || text == "~" || text == "+") {
      const auto value = unary(signs + 1);
      if (!value || text == "+") return value;
      return text == "-" ? static_cast<int64_t>(0 - static_cast<uint64_t>(*value)) : ~*value;
    }
    if (text == "(") return parenthesis(here, signs);
    if (words_.token(here).kind == TokenKind::number) return number_of(text);
    if (!words_.is_word(here)) return std::nullopt;
    while (at_ + 1 < last_ && words_.text(at_) == "::") at_ += 2;  // the last name counts
    if (at_ < last_ && (words_.text(at_) == "(" || words_.text(at_) == "[" ||
                        words_.text(at_) == "." || words_.text(at_) == "->")) {
      return std::nullopt;
    }
    return name(words_.text(at_ - 1));
  }

  std::optional<int64_t> parenthesis(int open, int signs) {
    const int close = words_.partner[static_cast<size_t>(open)];
    if (close < 0 || close >= last_) return std::nullopt;
    at_ = close + 1;
    if (width_of(program_, words_, {open + 1, close}) != Width::unknown) return unary(signs + 1);
    return Evaluator(program_, words_, {open + 1, close}, depth_ + 1).whole();
  }

  std::optional<int64_t> name(std::string_view word) {
    if (const Function* function = function_at(program_, words_, at_ - 1)) {
      for (const Parameter& parameter : function->template_parameters) {
        if (parameter.name != word) continue;
        return Evaluator(program_, words_, parameter.fallback, depth_ + 1).whole();
      }
      const Variable* found = variable(program_, *function, word);
      if (found != nullptr) return initial(*function, *found, word);
    }
    const auto global = program_.globals.find(std::string(word));
    if (global != program_.globals.end() && !global->second.init.empty()) {
      return Evaluator(program_, *global->second.words, global->second.init, depth_ + 1).whole();
    }
    for (const int index : named(program_, word)) {
      const Function& macro = program_.functions[static_cast<size_t>(index)];
      if (macro.macro == nullptr || macro.macro->function_like) continue;
      return Evaluator(program_, *macro.words, macro.body, depth_ + 1).whole();
    }
    return std::nullopt;
  }

  std::optional<int64_t> initial(const Function& function, const Variable& found,
                                 std::string_view word) {
    if (found.init.empty() || found.array) return std::nullopt;
    if (!found.outside && !has_word(*found.words, found.type, "const") &&
        !has_word(*found.words, found.type, "constexpr")) {
      for (const Assignment& assignment : program_.facts_of(function).assignments) {
        if (words_.text(assignment.target) == word && assignment.sign != found.name_at + 1) {
          return std::nullopt;  // no constant
        }
      }
      for (int i = function.body.first; i < function.body.last; ++i) {
        if (words_.text(i) == word && (words_.text(i + 1) == "++" || words_.text(i - 1) == "++" ||
                                       words_.text(i + 1) == "--" || words_.text(i - 1) == "--")) {
          return std::nullopt;
        }
      }
    }
    return Evaluator(program_, *found.words, found.init, depth_ + 1).whole();
  }

  const Program& program_;
  const Words& words_;
  int at_;
  int last_;
  int depth_;
};

Width named_width(std::string_view word) {
  static const std::set<std::string_view> k32{"uint32_t", "int32_t",   "uint", "u32",
                                              "uint32",   "u_int32_t", "__u32"};
  static const std::set<std::string_view> k64{"uint64_t",  "int64_t",   "size_t",
                                              "ptrdiff_t", "uintptr_t", "ulong",
                                              "u64",       "uint64",    "ulonglong"};
  if (k32.contains(word)) return Width::bits32;
  return k64.contains(word) ? Width::bits64 : Width::unknown;
}

Width width_of_type(const Program& program, const Words& words, Span type, int depth) {
  Width width = Width::unknown;
  if (depth > kMaxDepth) return width;
  for (int i = type.first; i < type.last; ++i) {
    const std::string_view word = words.text(i);
    if (word == "long") return Width::bits64;
    if (word == "short" || word == "char" || word == "bool") return Width::narrow;
    if (word == "auto") return Width::deduced;
    if (word == "float" || word == "double" || word == "*" || word == "<") return Width::unknown;
    if (word == "unsigned" || word == "int" || word == "signed") width = Width::bits32;
    if (!words.is_word(i) || width != Width::unknown) continue;
    width = named_width(word);
    if (width != Width::unknown) continue;
    const auto alias = program.aliases.find(std::string(word));
    if (alias != program.aliases.end()) {
      width = width_of_type(program, *alias->second.first, alias->second.second, depth + 1);
    }
    for (const int index : named(program, word)) {
      const Function& macro = program.functions[static_cast<size_t>(index)];
      if (macro.macro == nullptr || macro.macro->function_like || width != Width::unknown) continue;
      width = width_of_type(program, *macro.words, macro.body, depth + 1);
    }
  }
  return width;
}

bool hardware_width(const Program& program, const Words& words, Span span, int depth) {
  for (int i = span.first; i < span.last; ++i) {
    if (!words.is_word(i)) continue;
    const std::string_view word = words.text(i);
    if (word == "warpSize" || word == "__AMDGCN_WAVEFRONT_SIZE" ||
        word == "__AMDGCN_WAVEFRONT_SIZE__") {
      return true;
    }
    if (depth > kMaxDepth) return false;
    for (const int index : named(program, word)) {
      const Function& macro = program.functions[static_cast<size_t>(index)];
      if (macro.macro != nullptr && !macro.macro->function_like && macro.words != &words &&
          hardware_width(program, *macro.words, macro.body, depth + 1)) {
        return true;
      }
    }
    const auto global = program.globals.find(std::string(word));
    if (global != program.globals.end() && !global->second.init.empty() &&
        global->second.name_at != i &&
        hardware_width(program, *global->second.words, global->second.init, depth + 8)) {
      return true;
    }
  }
  return false;
}

}  // namespace

std::optional<int64_t> constant_of(const Program& program, const Words& words, Span span) {
  return Evaluator(program, words, span, 0).whole();
}

bool names_hardware_width(const Program& program, const Words& words, Span span) {
  return hardware_width(program, words, span, 0);
}

bool is_32(const Program& program, const Words& words, Span span) {
  return constant_of(program, words, span) == 32;
}

Width width_of(const Program& program, const Words& words, Span type) {
  return width_of_type(program, words, type, 0);
}

}  // namespace ambidex::syntax
