// SPDX-License-Identifier: Apache-2.0
// Integer arithmetic and bits of PTX in C++. Sums and products wrap in PTX, so they are unsigned
// here.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/word_list.h"
#include "frontend/ptx_rewrite.h"

namespace ambidex {
namespace {

struct Pattern {
  std::string_view mnemonic;
  std::string_view options;  // exactly
  std::string_view types;    // words that the type may be, separated by spaces
  std::string_view inputs;   // types of the inputs; t: the instruction's
  std::string_view text;     // {0} {1} {2} {3} the inputs, {t} the type
  std::string_view result;   // its type; t: the instruction's
};

constexpr std::array<Pattern, 100> kPatterns{{
    {"mov", "", "b16 b32 b64 u16 u32 u64 s16 s32 s64 f32 f64 pred", "t", "{0}", "t"},
    {"add", "", "u32 u64", "t t", "{0} + {1}", "t"},
    {"add", "", "s32", "u32 u32", "(int)({0} + {1})", "t"},
    {"add", "", "s64", "u64 u64", "(long long)({0} + {1})", "t"},
    {"add", "", "u16 s16", "t t", "({t})({0} + {1})", "t"},
    {"add", "", "u16x2 s16x2", "t t", "ambidex_port::vadd2({0}, {1})", "t"},
    {"add", "sat", "s32", "t t", "ambidex_port::add_sat({0}, {1})", "t"},
    {"sub", "", "u32 u64", "t t", "{0} - {1}", "t"},
    {"sub", "", "s32", "u32 u32", "(int)({0} - {1})", "t"},
    {"sub", "", "s64", "u64 u64", "(long long)({0} - {1})", "t"},
    {"sub", "", "u16 s16", "t t", "({t})({0} - {1})", "t"},
    {"sub", "sat", "s32", "t t", "ambidex_port::sub_sat({0}, {1})", "t"},
    {"mul", "lo", "u32 u64", "t t", "{0} * {1}", "t"},
    {"mul", "lo", "s32", "u32 u32", "(int)({0} * {1})", "t"},
    {"mul", "lo", "s64", "u64 u64", "(long long)({0} * {1})", "t"},
    {"mul", "lo", "u16 s16", "u16 u16", "({t})((unsigned){0} * {1})", "t"},
    {"mul", "hi", "u32", "t t", "__umulhi({0}, {1})", "t"},
    {"mul", "hi", "s32", "t t", "__mulhi({0}, {1})", "t"},
    {"mul", "hi", "u64", "t t", "__umul64hi({0}, {1})", "t"},
    {"mul", "hi", "s64", "t t", "__mul64hi({0}, {1})", "t"},
    {"mul", "hi", "u16", "t t", "(unsigned short)((unsigned){0} * {1} >> 16)", "t"},
    {"mul", "hi", "s16", "t t", "(short)((int){0} * {1} >> 16)", "t"},
    {"mul", "wide", "u32", "t t", "(unsigned long long){0} * {1}", "u64"},
    {"mul", "wide", "s32", "t t", "(long long){0} * {1}", "s64"},
    {"mul", "wide", "u16", "t t", "(unsigned){0} * {1}", "u32"},
    {"mul", "wide", "s16", "t t", "(int){0} * {1}", "s32"},
    {"mad", "lo", "u32 u64", "t t t", "{0} * {1} + {2}", "t"},
    {"mad", "lo", "s32", "u32 u32 u32", "(int)({0} * {1} + {2})", "t"},
    {"mad", "lo", "s64", "u64 u64 u64", "(long long)({0} * {1} + {2})", "t"},
    {"mad", "lo", "u16 s16", "u16 u16 u16", "({t})((unsigned){0} * {1} + {2})", "t"},
    {"mad", "hi", "u32", "t t t", "__umulhi({0}, {1}) + {2}", "t"},
    {"mad", "hi", "s32", "t t u32", "(int)((unsigned)__mulhi({0}, {1}) + {2})", "t"},
    {"mad", "hi.sat", "s32", "t t t", "ambidex_port::add_sat(__mulhi({0}, {1}), {2})", "t"},
    {"mad", "hi", "u64", "t t t", "__umul64hi({0}, {1}) + {2}", "t"},
    {"mad", "hi", "s64", "t t u64", "(long long)((unsigned long long)__mul64hi({0}, {1}) + {2})",
     "t"},
    {"mad", "wide", "u32", "t t u64", "(unsigned long long){0} * {1} + {2}", "u64"},
    {"mad", "wide", "s32", "t t u64",
     "(long long)((unsigned long long)((long long){0} * {1}) + {2})", "s64"},
    {"mad", "wide", "u16", "t t u32", "(unsigned){0} * {1} + {2}", "u32"},
    {"mad", "wide", "s16", "t t u32", "(int)((unsigned)((int){0} * {1}) + {2})", "s32"},
    {"mul24", "lo", "u32 s32", "t t", "ambidex_port::mul24_lo({0}, {1})", "t"},
    {"mul24", "hi", "u32 s32", "t t", "ambidex_port::mul24_hi({0}, {1})", "t"},
    {"mad24", "lo", "u32", "t t t", "ambidex_port::mul24_lo({0}, {1}) + {2}", "t"},
    {"mad24", "lo", "s32", "t t u32", "(int)((unsigned)ambidex_port::mul24_lo({0}, {1}) + {2})",
     "t"},
    {"mad24", "hi", "u32", "t t t", "ambidex_port::mul24_hi({0}, {1}) + {2}", "t"},
    {"div", "", "u32 s32 u64 s64", "t t", "{0} / {1}", "t"},
    {"div", "", "u16 s16", "t t", "({t})({0} / {1})", "t"},
    {"rem", "", "u32 s32 u64 s64", "t t", "{0} % {1}", "t"},
    {"rem", "", "u16 s16", "t t", "({t})({0} % {1})", "t"},
    {"and", "", "b16 b32 b64 pred", "t t", "{0} & {1}", "t"},
    {"or", "", "b16 b32 b64 pred", "t t", "{0} | {1}", "t"},
    {"xor", "", "b16 b32 b64 pred", "t t", "{0} ^ {1}", "t"},
    {"not", "", "b16", "t", "({t})~({0})", "t"},
    {"not", "", "b32 b64", "t", "~({0})", "t"},
    {"not", "", "pred", "t", "!({0})", "t"},
    {"cnot", "", "b16 b32 b64", "t", "({t})({0} == 0 ? 1 : 0)", "t"},
    {"neg", "", "s16 s32 s64", "t", "ambidex_port::negative({0})", "t"},
    {"abs", "", "s16 s32 s64", "t", "ambidex_port::absolute({0})", "t"},
    {"min", "", "u32 s32 u64 s64", "t t", "min({0}, {1})", "t"},
    {"max", "", "u32 s32 u64 s64", "t t", "max({0}, {1})", "t"},
    {"min", "", "u16 s16", "t t", "({t})min((int){0}, (int){1})", "t"},
    {"max", "", "u16 s16", "t t", "({t})max((int){0}, (int){1})", "t"},
    {"min", "relu", "s32", "t t", "max(min({0}, {1}), 0)", "t"},
    {"max", "relu", "s32", "t t", "max(max({0}, {1}), 0)", "t"},
    {"min", "", "u16x2", "t t", "ambidex_port::vminu2({0}, {1})", "t"},
    {"min", "", "s16x2", "t t", "ambidex_port::vmins2({0}, {1})", "t"},
    {"max", "", "u16x2", "t t", "ambidex_port::vmaxu2({0}, {1})", "t"},
    {"max", "", "s16x2", "t t", "ambidex_port::vmaxs2({0}, {1})", "t"},
    {"sad", "", "u32 s32 u64 s64 u16 s16", "t t t", "ambidex_port::sad_of({0}, {1}, {2})", "t"},
    {"popc", "", "b32", "t", "(unsigned)__popc({0})", "u32"},
    {"popc", "", "b64", "t", "(unsigned)__popcll({0})", "u32"},
    {"clz", "", "b32", "t", "(unsigned)__clz((int)({0}))", "u32"},
    {"clz", "", "b64", "t", "(unsigned)__clzll((long long)({0}))", "u32"},
    {"brev", "", "b32", "t", "__brev({0})", "t"},
    {"brev", "", "b64", "t", "__brevll({0})", "t"},
    {"bfind", "", "u32 s32 u64 s64", "t", "ambidex_port::bfind({0})", "u32"},
    {"bfind", "shiftamt", "u32 s32 u64 s64", "t", "ambidex_port::bfind_shiftamt({0})", "u32"},
    {"bfe", "", "u32", "t u32 u32", "ambidex_port::bfe_u32({0}, {1}, {2})", "t"},
    {"bfe", "", "s32", "t u32 u32", "ambidex_port::bfe_s32({0}, {1}, {2})", "t"},
    {"bfe", "", "u64", "t u32 u32", "ambidex_port::bfe_u64({0}, {1}, {2})", "t"},
    {"bfe", "", "s64", "t u32 u32", "ambidex_port::bfe_s64({0}, {1}, {2})", "t"},
    {"bfi", "", "b32", "t t u32 u32", "ambidex_port::bfi_b32({0}, {1}, {2}, {3})", "t"},
    {"bfi", "", "b64", "t t u32 u32", "ambidex_port::bfi_b64({0}, {1}, {2}, {3})", "t"},
    {"bmsk", "clamp", "b32", "t t", "ambidex_port::bmsk_clamp({0}, {1})", "t"},
    {"bmsk", "wrap", "b32", "t t", "ambidex_port::bmsk_wrap({0}, {1})", "t"},
    {"szext", "clamp", "u32 s32", "t u32", "ambidex_port::szext_clamp({0}, {1})", "t"},
    {"szext", "wrap", "u32 s32", "t u32", "ambidex_port::szext_wrap({0}, {1})", "t"},
    {"fns", "", "b32", "u32 u32 s32", "ambidex_port::fns({0}, {1}, {2})", "t"},
    {"prmt", "", "b32", "t t t", "ambidex_port::prmt_b32({0}, {1}, {2})", "t"},
    {"prmt", "b32", "f4e", "b32 b32 b32", "ambidex_port::prmt_f4e({0}, {1}, {2})", "b32"},
    {"prmt", "b32", "b4e", "b32 b32 b32", "ambidex_port::prmt_b4e({0}, {1}, {2})", "b32"},
    {"prmt", "b32", "rc8", "b32 b32 b32", "ambidex_port::prmt_rc8({0}, {1}, {2})", "b32"},
    {"prmt", "b32", "ecl", "b32 b32 b32", "ambidex_port::prmt_ecl({0}, {1}, {2})", "b32"},
    {"prmt", "b32", "ecr", "b32 b32 b32", "ambidex_port::prmt_ecr({0}, {1}, {2})", "b32"},
    {"prmt", "b32", "rc16", "b32 b32 b32", "ambidex_port::prmt_rc16({0}, {1}, {2})", "b32"},
    {"shf", "l.wrap", "b32", "t t t", "ambidex_port::shf_l_wrap_b32({0}, {1}, {2})", "t"},
    {"shf", "r.wrap", "b32", "t t t", "ambidex_port::shf_r_wrap_b32({0}, {1}, {2})", "t"},
    {"shf", "l.clamp", "b32", "t t t", "ambidex_port::shf_l_clamp_b32({0}, {1}, {2})", "t"},
    {"shf", "r.clamp", "b32", "t t t", "ambidex_port::shf_r_clamp_b32({0}, {1}, {2})", "t"},
    {"shl", "", "b16 b32 b64", "t u32", "ambidex_port::shl({0}, {1})", "t"},
    {"shr", "", "b16 b32 b64 u16 u32 u64 s16 s32 s64", "t u32", "ambidex_port::shr({0}, {1})", "t"},
}};

std::string filled(std::string_view text, const std::vector<std::string>& values,
                   std::string_view type) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '{' && i + 2 < text.size() && text[i + 2] == '}') {
      out += text[i + 1] == 't' ? std::string(type_of_ptx(type))
                                : values[static_cast<size_t>(text[i + 1] - '0')];
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

// "t u32" with t said.
std::string said(std::string_view inputs, const std::string& type) {
  std::string out;
  for (size_t at = 0; at < inputs.size();) {
    const size_t end = std::min(inputs.find(' ', at), inputs.size());
    const std::string_view word = inputs.substr(at, end - at);
    out += (out.empty() ? "" : " ") + (word == "t" ? type : std::string(word));
    at = end + 1;
  }
  return out;
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

}  // namespace

std::optional<PtxMeaning> meaning_of(const PtxScope& scope, const PtxInstruction& instruction) {
  if (instruction.mnemonic == "lop3") return lop3_of(scope, instruction);
  const std::string type = type_suffix(instruction);
  const std::string options = options_of(instruction);
  for (const Pattern& pattern : kPatterns) {
    if (pattern.mnemonic != instruction.mnemonic || pattern.options != options) continue;
    if (!lists(pattern.types, type)) continue;
    const auto values = values_of(scope, instruction, said(pattern.inputs, type));
    if (!values) continue;
    return PtxMeaning{filled(pattern.text, *values, type),
                      pattern.result == "t" ? type : std::string(pattern.result), "arithmetic"};
  }
  return {};
}

}  // namespace ambidex
