// SPDX-License-Identifier: Apache-2.0
// Constant expressions by their words: what launch sizes and array bounds are made of.
#include <algorithm>
#include <charconv>
#include <map>

#include "frontend/token_facts.h"

namespace ambidex {
namespace {

constexpr int kMaxDepth = 16;  // of names that stand for names

using Value = std::optional<int64_t>;

Value literal(std::string_view text) {
  std::string digits;
  for (const char c : text) {
    if (c != '\'') digits += c;
  }
  const bool hexadecimal = digits.starts_with("0x") || digits.starts_with("0X");
  const int base = hexadecimal ? 16 : digits.size() > 1 && digits[0] == '0' ? 8 : 10;
  const char* const first = digits.data() + (hexadecimal ? 2 : 0);
  const char* const last = digits.data() + digits.size();
  int64_t value = 0;
  const auto [end, failure] = std::from_chars(first, last, value, base);
  if (failure != std::errc() || end == first) return std::nullopt;
  const std::string_view suffix(end, static_cast<size_t>(last - end));
  if (suffix.find_first_not_of("uUlLzZ") != std::string_view::npos) return std::nullopt;
  return value;
}

bool is_integer_type(const std::string& type) {
  static const std::map<std::string_view, int> kTypes{{"size_t", 1},
                                                      {"int", 1},
                                                      {"unsigned", 1},
                                                      {"unsigned int", 1},
                                                      {"long", 1},
                                                      {"int64_t", 1},
                                                      {"uint64_t", 1},
                                                      {"long long", 1},
                                                      {"uint32_t", 1},
                                                      {"int32_t", 1},
                                                      {"unsigned long", 1},
                                                      {"std :: size_t", 1},
                                                      {"unsigned long long", 1}};
  return kTypes.contains(type);
}

int precedence(std::string_view sign) {
  if (sign == "*" || sign == "/" || sign == "%") return 3;
  if (sign == "+" || sign == "-") return 2;
  return sign == "<<" || sign == ">>" ? 1 : 0;
}

Value applied(std::string_view sign, int64_t a, int64_t b) {
  int64_t out = 0;
  if (sign == "+") return __builtin_add_overflow(a, b, &out) ? Value() : out;
  if (sign == "-") return __builtin_sub_overflow(a, b, &out) ? Value() : out;
  if (sign == "*") return __builtin_mul_overflow(a, b, &out) ? Value() : out;
  if (sign == "<<" || sign == ">>") {
    if (b < 0 || b > 40 || a < 0 || a > (int64_t{1} << 22)) return std::nullopt;
    return sign == "<<" ? a << b : a >> b;
  }
  if (b <= 0) return std::nullopt;
  return sign == "/" ? a / b : a % b;
}

struct Folder {
  const SourceView& view;
  const SourceFile& file;
  int64_t at;
  int64_t last;
  int depth;

  Value whole() {
    if (at >= last || depth > kMaxDepth) return std::nullopt;
    const Value value = binary(1);
    return at == last ? value : std::nullopt;
  }
  Value binary(int least) {
    Value left = unary();
    while (left && at < last && precedence(text_at(file, at)) >= least) {
      const std::string_view sign = text_at(file, at++);
      const Value right = binary(precedence(sign) + 1);
      left = right ? applied(sign, *left, *right) : Value();
    }
    return left;
  }
  Value inner(TokenRange range) const {
    return Folder{view, file, range.first, range.last, depth + 1}.whole();
  }
  Value unary();
  Value named(int64_t word) const;
  Value of_macro(std::string_view name) const;
};

Value Folder::unary() {
  if (at >= last || ++depth > 4 * kMaxDepth) return std::nullopt;
  const int64_t here = at++;
  const std::string_view text = text_at(file, here);
  if (text == "(" || text == "sizeof" || text == "static_cast") {
    const int64_t open = text == "(" ? here : call_open(file, here);
    const int64_t close = open < 0 ? -1 : closing(file, open);
    if (close < 0 || close >= last) return std::nullopt;
    at = close + 1;
    const std::string words = spelled(file, {open + 1, close});
    if (text == "sizeof") return plain_size(words);
    if (text == "(" && is_integer_type(words)) return unary();
    return inner({open + 1, close});
  }
  if (file.tokens[static_cast<size_t>(here)].kind == TokenKind::number) return literal(text);
  if (!is_word_at(file, here)) return std::nullopt;
  while (at + 1 < last && text_at(file, at) == "::") at += 2;
  const std::string_view next = at < last ? text_at(file, at) : "";
  if (next == "(" || next == "[" || next == "." || next == "->" || next == "<") return std::nullopt;
  return named(at - 1);
}

Value Folder::of_macro(std::string_view name) const {
  for (const Macro& macro : view.macros) {
    if (macro.name != name || macro.function_like) continue;
    const SourceFile& there = view.files[macro.file];
    return Folder{view, there, macro.body.first, macro.body.last, depth + 1}.whole();
  }
  return std::nullopt;
}

Value Folder::named(int64_t word) const {
  const std::string_view name = text_at(file, word);
  if (const Value value = of_macro(name)) return value;
  const Declared declared = declaration_of(file, word, name);
  if (declared.found) {
    return declared.init.first < declared.init.last ? inner(declared.init) : std::nullopt;
  }
  for (const SourceFile& other : view.files) {  // a constant of a header
    if (&other == &file) continue;
    const Declared there = declaration_of(other, std::ssize(other.tokens), name);
    if (!there.found || there.init.first >= there.init.last) continue;
    return Folder{view, other, there.init.first, there.init.last, depth + 1}.whole();
  }
  return std::nullopt;
}

}  // namespace

std::optional<int64_t> plain_size(std::string type) {
  static const std::map<std::string_view, int64_t> kSizes{
      {"char", 1},    {"int8_t", 1},   {"uint8_t", 1},  {"bool", 1},      {"short", 2},
      {"int16_t", 2}, {"uint16_t", 2}, {"half", 2},     {"__half", 2},    {"__nv_bfloat16", 2},
      {"int", 4},     {"unsigned", 4}, {"float", 4},    {"int32_t", 4},   {"uint32_t", 4},
      {"half2", 4},   {"__half2", 4},  {"long", 8},     {"double", 8},    {"int64_t", 8},
      {"size_t", 8},  {"float2", 8},   {"int2", 8},     {"uint64_t", 8},  {"float4", 16},
      {"int4", 16},   {"uint4", 16},   {"double2", 16}, {"cuComplex", 8}, {"cuDoubleComplex", 16},
      {"float3", 12}, {"int3", 12}};
  if (type.ends_with("*")) return 8;
  for (const std::string_view prefix : {"const ", "unsigned ", "signed ", "long ", "std :: "}) {
    if (type.starts_with(prefix)) {
      if (prefix == "long " && type.find("double") == std::string::npos) return 8;
      type.erase(0, prefix.size());
    }
  }
  const auto found = kSizes.find(type);
  return found == kSizes.end() ? std::optional<int64_t>() : found->second;
}

std::optional<int64_t> constant_in(const SourceView& view, const SourceFile& file,
                                   TokenRange range) {
  return Folder{view, file, range.first, range.last, 0}.whole();
}

}  // namespace ambidex
