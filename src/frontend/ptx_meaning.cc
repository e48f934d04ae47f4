// SPDX-License-Identifier: Apache-2.0
// Arithmetic of PTX in C++.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "frontend/ptx_rewrite.h"

namespace ambidex {
namespace {

// The type of an instruction is its last modifier.
std::string type_suffix(const PtxInstruction& instruction) {
  return instruction.modifiers.empty() ? "" : instruction.modifiers.back();
}

bool is_float(std::string_view suffix) { return suffix == "f32" || suffix == "f64"; }

// Modifiers other than the type, in order: "rn.ftz".
std::string options_of(const PtxInstruction& instruction) {
  std::string out;
  for (size_t i = 0; i + 1 < instruction.modifiers.size(); ++i) {
    if (!out.empty()) out += ".";
    out += instruction.modifiers[i];
  }
  return out;
}

struct Operands {
  std::array<std::string, 4> values;  // operands 1 to 4
  bool known = true;
};

Operands operands_of(const PtxScope& scope, const PtxInstruction& instruction,
                     std::string_view suffix, size_t num) {
  Operands out;
  out.known = instruction.operands.size() == num + 1;
  for (size_t i = 1; out.known && i <= num; ++i) {
    const auto value = value_of(scope, instruction.operands[i], suffix);
    out.known = value.has_value();
    if (value) out.values[i - 1] = *value;
  }
  return out;
}

struct Pattern {
  std::string_view mnemonic;
  std::string_view options;  // exactly
  std::string_view types;    // words that the type may be, separated by spaces
  size_t num_inputs;
  std::string_view text;  // {0} {1} {2} {3} the inputs, {t} the type
};

// C++ of unsigned and signed arithmetic has PTX's meaning but for shifts, which PTX clamps.
constexpr std::array<Pattern, 50> kPatterns{{
    {"mov", "", "b16 b32 b64 u16 u32 u64 s16 s32 s64 f32 f64 pred", 1, "{0}"},
    {"add", "", "u16 u32 u64 s16 s32 s64", 2, "{0} + {1}"},
    {"sub", "", "u16 u32 u64 s16 s32 s64", 2, "{0} - {1}"},
    {"mul", "lo", "u16 u32 u64 s32 s64", 2, "{0} * {1}"},
    {"mul", "hi", "u32", 2, "__umulhi({0}, {1})"},
    {"mul", "hi", "s32", 2, "__mulhi({0}, {1})"},
    {"mul", "hi", "u64", 2, "__umul64hi({0}, {1})"},
    {"mul", "hi", "s64", 2, "__mul64hi({0}, {1})"},
    {"mad", "lo", "u16 u32 u64 s32 s64", 3, "{0} * {1} + {2}"},
    {"mad", "hi", "u32", 3, "__umulhi({0}, {1}) + {2}"},
    {"and", "", "b16 b32 b64 pred", 2, "{0} & {1}"},
    {"or", "", "b16 b32 b64 pred", 2, "{0} | {1}"},
    {"xor", "", "b16 b32 b64 pred", 2, "{0} ^ {1}"},
    {"not", "", "b16 b32 b64", 1, "~({0})"},
    {"not", "", "pred", 1, "!({0})"},
    {"neg", "", "s16 s32 s64", 1, "-({0})"},
    {"neg", "", "f32 f64", 1, "-({0})"},
    {"abs", "", "s32", 1, "abs({0})"},
    {"abs", "", "f32", 1, "fabsf({0})"},
    {"abs", "", "f64", 1, "fabs({0})"},
    {"min", "", "u32 s32 u64 s64", 2, "min({0}, {1})"},
    {"max", "", "u32 s32 u64 s64", 2, "max({0}, {1})"},
    {"min", "", "f32", 2, "fminf({0}, {1})"},
    {"max", "", "f32", 2, "fmaxf({0}, {1})"},
    {"add", "", "f32 f64", 2, "{0} + {1}"},
    {"add", "rn", "f32", 2, "ambidex_port::fadd_rn({0}, {1})"},
    {"add", "rz", "f32", 2, "ambidex_port::fadd_rz({0}, {1})"},
    {"mul", "rn", "f32", 2, "ambidex_port::fmul_rn({0}, {1})"},
    {"fma", "rn", "f32", 3, "fmaf({0}, {1}, {2})"},
    {"fma", "rn", "f64", 3, "fma({0}, {1}, {2})"},
    {"popc", "", "b32", 1, "(unsigned)__popc({0})"},
    {"clz", "", "b32", 1, "(unsigned)__clz((int)({0}))"},
    {"brev", "", "b32", 1, "__brev({0})"},
    {"bfe", "", "u32", 3, "ambidex_port::bfe_u32({0}, {1}, {2})"},
    {"bfe", "", "s32", 3, "ambidex_port::bfe_s32({0}, {1}, {2})"},
    {"bfi", "", "b32", 4, "ambidex_port::bfi_b32({0}, {1}, {2}, {3})"},
    {"prmt", "", "b32", 3, "ambidex_port::prmt_b32({0}, {1}, {2})"},
    {"shf", "l.wrap", "b32", 3, "ambidex_port::shf_l_wrap_b32({0}, {1}, {2})"},
    {"shf", "r.wrap", "b32", 3, "ambidex_port::shf_r_wrap_b32({0}, {1}, {2})"},
    {"shf", "l.clamp", "b32", 3, "ambidex_port::shf_l_clamp_b32({0}, {1}, {2})"},
    {"shf", "r.clamp", "b32", 3, "ambidex_port::shf_r_clamp_b32({0}, {1}, {2})"},
    {"ex2", "approx", "f32", 1, "ambidex_port::ex2_approx({0})"},
    {"lg2", "approx", "f32", 1, "ambidex_port::lg2_approx({0})"},
    {"rcp", "approx", "f32", 1, "ambidex_port::rcp_approx({0})"},
    {"rsqrt", "approx", "f32", 1, "ambidex_port::rsqrt_approx({0})"},
    {"sqrt", "approx", "f32", 1, "ambidex_port::sqrt_approx({0})"},
    {"sin", "approx", "f32", 1, "ambidex_port::sin_approx({0})"},
    {"cos", "approx", "f32", 1, "ambidex_port::cos_approx({0})"},
    {"tanh", "approx", "f32", 1, "ambidex_port::tanh_approx({0})"},
    {"dp4a", "s32", "s32", 3, "ambidex_port::dp4a({0}, {1}, {2})"},
}};

bool lists(std::string_view types, std::string_view type) {
  for (size_t at = 0; at < types.size();) {
    const size_t end = std::min(types.find(' ', at), types.size());
    if (types.substr(at, end - at) == type) return true;
    at = end + 1;
  }
  return false;
}

std::string filled(std::string_view text, const Operands& operands) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '{' && i + 2 < text.size() && text[i + 2] == '}') {
      out += operands.values[static_cast<size_t>(text[i + 1] - '0')];
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

// Flushing denormals to zero is what an .approx instruction does anyway; elsewhere it is a meaning.
std::string without_ftz(std::string options) {
  if (options == "approx.ftz") return "approx";
  return options;
}

std::optional<PtxMeaning> by_pattern(const PtxScope& scope, const PtxInstruction& instruction) {
  const std::string type = type_suffix(instruction);
  const std::string options = without_ftz(options_of(instruction));
  for (const Pattern& pattern : kPatterns) {
    if (pattern.mnemonic != instruction.mnemonic || pattern.options != options) continue;
    if (!lists(pattern.types, type)) continue;
    const Operands operands = operands_of(scope, instruction, type, pattern.num_inputs);
    if (!operands.known) continue;
    return PtxMeaning{filled(pattern.text, operands), type,
                      is_float(type) ? "float" : "arithmetic"};
  }
  return {};
}

// An amount of 32 or more shifts everything out; C++ leaves it open.
std::optional<PtxMeaning> shift_of(const PtxScope& scope, const PtxInstruction& instruction) {
  const std::string type = type_suffix(instruction);
  if (instruction.modifiers.size() != 1 || instruction.operands.size() != 3) return {};
  const auto value = value_of(scope, instruction.operands[1], type);
  const auto amount = value_of(scope, instruction.operands[2], "u32");
  if (!value || !amount) return {};
  const int bits = type.ends_with("64") ? 64 : type.ends_with("32") ? 32 : 0;
  if (bits == 0) return {};
  const bool is_left = instruction.mnemonic == "shl";
  if (!is_left && type[0] == 's') {
    return PtxMeaning{fmt::format("{0} >> ({1} > {2}u ? {2}u : {1})", *value, *amount, bits - 1),
                      type, "arithmetic"};
  }
  return PtxMeaning{
      fmt::format("{1} >= {3}u ? 0 : {0} {2} {1}", *value, *amount, is_left ? "<<" : ">>", bits),
      type, "arithmetic"};
}

// A product of twice the width.
std::optional<PtxMeaning> wide_of(const PtxScope& scope, const PtxInstruction& instruction) {
  const std::string type = type_suffix(instruction);
  if (type != "u32" && type != "s32") return {};
  const std::string wide = type == "u32" ? "u64" : "s64";
  const bool is_mad = instruction.mnemonic == "mad";
  if (instruction.operands.size() != (is_mad ? 4U : 3U)) return {};
  const auto a = value_of(scope, instruction.operands[1], type);
  const auto b = value_of(scope, instruction.operands[2], type);
  if (!a || !b) return {};
  std::string text = fmt::format("({0}){1} * {2}", type_of_ptx(wide), *a, *b);
  if (is_mad) {
    const auto c = value_of(scope, instruction.operands[3], wide);
    if (!c) return {};
    text += " + " + *c;
  }
  return PtxMeaning{text, wide, "arithmetic"};
}

std::optional<PtxMeaning> lop3_of(const PtxScope& scope, const PtxInstruction& instruction) {
  if (instruction.modifiers != std::vector<std::string>{"b32"}) return {};
  if (instruction.operands.size() != 5) return {};
  const PtxOperand& table = instruction.operands[4];
  const auto a = value_of(scope, instruction.operands[1], "b32");
  const auto b = value_of(scope, instruction.operands[2], "b32");
  const auto c = value_of(scope, instruction.operands[3], "b32");
  if (!a || !b || !c) return {};
  std::string index;
  if (table.bits) {
    index = std::to_string(*table.bits & 255);
  } else if (table.kind == PtxOperandKind::placeholder) {
    index = fmt::format("${}$", table.index);
  } else {
    return {};
  }
  return PtxMeaning{fmt::format("ambidex_port::lop3<{}>({}, {}, {})", index, *a, *b, *c), "b32",
                    "arithmetic"};
}

std::string_view comparison_of(std::string_view word) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 10> kSigns{{{"eq", "=="},
                                                                                  {"ne", "!="},
                                                                                  {"lt", "<"},
                                                                                  {"le", "<="},
                                                                                  {"gt", ">"},
                                                                                  {"ge", ">="},
                                                                                  {"lo", "<"},
                                                                                  {"ls", "<="},
                                                                                  {"hi", ">"},
                                                                                  {"hs", ">="}}};
  for (const auto& [ptx, cpp] : kSigns) {
    if (ptx == word) return cpp;
  }
  return "";
}

std::optional<PtxMeaning> predicate_of(const PtxScope& scope, const PtxInstruction& instruction) {
  const std::string type = type_suffix(instruction);
  if (instruction.mnemonic == "selp" && instruction.operands.size() == 4) {
    const auto a = value_of(scope, instruction.operands[1], type);
    const auto b = value_of(scope, instruction.operands[2], type);
    const auto p = value_of(scope, instruction.operands[3], "pred");
    if (!a || !b || !p) return {};
    return PtxMeaning{fmt::format("{} ? {} : {}", *p, *a, *b), type, "arithmetic"};
  }
  if (instruction.mnemonic != "setp" || instruction.modifiers.size() != 2) return {};
  if (instruction.operands.size() != 3) return {};
  const std::string_view sign = comparison_of(instruction.modifiers[0]);
  const auto a = value_of(scope, instruction.operands[1], type);
  const auto b = value_of(scope, instruction.operands[2], type);
  if (sign.empty() || !a || !b) return {};
  return PtxMeaning{fmt::format("{} {} {}", *a, sign, *b), "pred", "arithmetic"};
}

}  // namespace

std::optional<PtxMeaning> meaning_of(const PtxScope& scope, const PtxInstruction& instruction) {
  if (auto meaning = by_pattern(scope, instruction)) return meaning;
  if (instruction.mnemonic == "shl" || instruction.mnemonic == "shr") {
    return shift_of(scope, instruction);
  }
  if (instruction.mnemonic == "lop3") return lop3_of(scope, instruction);
  if (has_modifier(instruction, "wide")) return wide_of(scope, instruction);
  return predicate_of(scope, instruction);
}

}  // namespace ambidex
