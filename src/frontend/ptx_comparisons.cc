// SPDX-License-Identifier: Apache-2.0
// PTX that compares and chooses: setp, set, selp, slct, testp.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "frontend/ptx_rewrite.h"

namespace ambidex {
namespace {

using Text = std::optional<std::string>;

// {0} and {1} compared.
struct Comparison {
  std::string_view ptx;
  std::string_view integers;  // empty: not of integers
  std::string_view floats;
};

const Comparison* comparison_of(std::string_view word) {
  static constexpr std::array<Comparison, 18> kAll{
      {{"eq", "{} == {}", "{} == {}"},
       {"ne", "{} != {}", "ambidex_port::ordered_unequal({}, {})"},
       {"lt", "{} < {}", "{} < {}"},
       {"le", "{} <= {}", "{} <= {}"},
       {"gt", "{} > {}", "{} > {}"},
       {"ge", "{} >= {}", "{} >= {}"},
       {"lo", "{} < {}", ""},
       {"ls", "{} <= {}", ""},
       {"hi", "{} > {}", ""},
       {"hs", "{} >= {}", ""},
       {"equ", "", "!ambidex_port::ordered_unequal({}, {})"},
       {"neu", "", "{} != {}"},
       {"ltu", "", "!({} >= {})"},
       {"leu", "", "!({} > {})"},
       {"gtu", "", "!({} <= {})"},
       {"geu", "", "!({} < {})"},
       {"num", "", "ambidex_port::ordered({}, {})"},
       {"nan", "", "!ambidex_port::ordered({}, {})"}}};
  const auto* const found =
      std::find_if(kAll.begin(), kAll.end(), [&](const Comparison& it) { return it.ptx == word; });
  return found == kAll.end() ? nullptr : found;
}

bool is_half(std::string_view type) { return type == "f16" || type == "bf16"; }

// lo, ls, hi, hs are of unsigned numbers.
bool fits(std::string_view how, std::string_view type) {
  const bool is_unsigned_word = how == "lo" || how == "ls" || how == "hi" || how == "hs";
  if (is_unsigned_word) return type[0] == 'u';
  return type[0] != 'b' || type == "bf16" || how == "eq" || how == "ne";
}

Text compared(const PtxScope& scope, const PtxInstruction& in, std::string_view how,
              std::string_view type) {
  const Comparison* const it = comparison_of(how);
  if (it == nullptr || type.empty() || in.operands.size() < 3 || !fits(how, type)) return {};
  auto a = value_of(scope, in.operands[1], type);
  auto b = value_of(scope, in.operands[2], type);
  const bool is_float = type == "f32" || type == "f64" || is_half(type);
  const std::string_view form = is_float ? it->floats : it->integers;
  if (!a || !b || form.empty() || bits_of_ptx(type) < 16) return {};
  if (has_modifier(in, "ftz")) {
    if (type != "f32") return {};
    a = "ambidex_port::ftz(" + *a + ")";
    b = "ambidex_port::ftz(" + *b + ")";
  }
  if (is_half(type)) {
    a = fmt::format("ambidex_port::{}_value({})", type, *a);
    b = fmt::format("ambidex_port::{}_value({})", type, *b);
  }
  return fmt::format(fmt::runtime(form), *a, *b);
}

// Modifiers besides the comparison and `num_types` types at the end; the operator of .and, .or or
// .xor, "" if there is none, nothing if there are others.
Text operator_of(const PtxInstruction& in, size_t num_types) {
  Text out = "";
  for (size_t i = 1; i + num_types < in.modifiers.size(); ++i) {
    const std::string& word = in.modifiers[i];
    if (word == "ftz") continue;
    if (!out->empty() || (word != "and" && word != "or" && word != "xor")) return {};
    out = word == "and" ? "&" : word == "or" ? "|" : "^";
  }
  const size_t num_operands = out->empty() ? 3 : 4;
  if (in.operands.size() != num_operands) return {};
  return out;
}

// Both halves: `setp.lt.f16x2 p|q, a, b`.
std::optional<PtxMeaning> pair_of_halves(const PtxScope& scope, const PtxInstruction& in,
                                         const std::string& type) {
  const std::string each = type.substr(0, type.size() - 2);
  const PtxOperand& to = in.operands[0];
  const auto values = values_of(scope, in, type + " " + type);
  if (!values || in.modifiers.size() != 2 || to.kind != PtxOperandKind::pair) return {};
  if (comparison_of(in.modifiers[0]) == nullptr || comparison_of(in.modifiers[0])->floats.empty()) {
    return {};
  }
  const std::string mask = fmt::format("ambidex_port::mask_{}_{}x2({}, {})", in.modifiers[0], each,
                                       (*values)[0], (*values)[1]);
  const auto low = assignment(scope, to.parts[0], "(ambidex_mask & 0xffffu) != 0", "pred");
  const auto high = assignment(scope, to.parts[1], "ambidex_mask >> 16 != 0", "pred");
  if (!low || !high) return {};
  return PtxMeaning{
      fmt::format("{{ const unsigned ambidex_mask = {}; {}; {}; }}", mask, *low, *high), "",
      "arithmetic"};
}

std::optional<PtxMeaning> setp_of(const PtxScope& scope, const PtxInstruction& in) {
  if (in.modifiers.size() < 2 || in.operands.size() < 3) return {};
  const std::string type = type_suffix(in);
  if (type == "f16x2" || type == "bf16x2") return pair_of_halves(scope, in, type);
  const Text sign = operator_of(in, 1);
  const Text holds = compared(scope, in, in.modifiers[0], type);
  if (!sign || !holds) return {};
  Text other;
  if (!sign->empty()) {
    other = value_of(scope, in.operands[3], "pred");
    if (!other) return {};
  }
  const PtxOperand& to = in.operands[0];
  if (to.kind != PtxOperandKind::pair) {
    return PtxMeaning{other ? fmt::format("({}) {} {}", *holds, *sign, *other) : *holds, "pred",
                      "arithmetic"};
  }
  const std::string tail = other ? " " + *sign + " ambidex_other" : "";
  const auto yes = assignment(scope, to.parts[0], "ambidex_holds" + tail, "pred");
  const auto no = assignment(scope, to.parts[1], "!ambidex_holds" + tail, "pred");
  if (!yes || !no) return {};
  return PtxMeaning{fmt::format("{{ const bool ambidex_holds = {}{}; {}; {}; }}", *holds,
                                other ? ", ambidex_other = " + *other : "", *yes, *no),
                    "", "arithmetic"};
}

std::optional<PtxMeaning> set_of(const PtxScope& scope, const PtxInstruction& in) {
  if (in.modifiers.size() < 3 || in.operands.size() < 3) return {};
  const std::string from = type_suffix(in), to = in.modifiers[in.modifiers.size() - 2];
  const Text sign = operator_of(in, 2);
  if (!sign) return {};
  if (from == "f16x2" || from == "bf16x2") {
    const Comparison* const how = comparison_of(in.modifiers[0]);
    const auto values = values_of(scope, in, from + " " + from);
    const bool as_mask = to == "u32" || to == "s32";
    if (how == nullptr || how->floats.empty() || !values || !sign->empty()) return {};
    if ((!as_mask && to != from) || has_modifier(in, "ftz")) return {};
    return PtxMeaning{fmt::format("ambidex_port::{}_{}_{}({}, {})", as_mask ? "mask" : "set",
                                  in.modifiers[0], from, (*values)[0], (*values)[1]),
                      as_mask ? "u32" : from, "arithmetic"};
  }
  Text holds = compared(scope, in, in.modifiers[0], from);
  if (!holds) return {};
  if (!sign->empty()) {
    const Text other = value_of(scope, in.operands[3], "pred");
    if (!other) return {};
    holds = fmt::format("({}) {} {}", *holds, *sign, *other);
  }
  if (to == "f32") return PtxMeaning{fmt::format("({}) ? 1.0f : 0.0f", *holds), to, "float"};
  if (to == "f16" || to == "bf16") {
    return PtxMeaning{
        fmt::format("(unsigned short)(({}) ? {} : 0)", *holds, to == "f16" ? "0x3c00" : "0x3f80"),
        to, "float"};
  }
  if (to != "u32" && to != "s32") return {};
  return PtxMeaning{fmt::format("({}) ? ~0u : 0u", *holds), "u32", "arithmetic"};
}

std::optional<PtxMeaning> choice_of(const PtxScope& scope, const PtxInstruction& in) {
  if (in.mnemonic == "selp" && in.modifiers.size() == 1) {
    const std::string type = type_suffix(in);
    const auto values = values_of(scope, in, type + " " + type + " pred");
    if (!values) return {};
    return PtxMeaning{fmt::format("{} ? {} : {}", (*values)[2], (*values)[0], (*values)[1]), type,
                      "arithmetic"};
  }
  const std::string selector = type_suffix(in);
  const bool flushes = has_modifier(in, "ftz");
  if (in.mnemonic != "slct" || in.modifiers.size() != (flushes ? 3U : 2U)) return {};
  if (selector != "s32" && selector != "f32") return {};
  const std::string type = in.modifiers[flushes ? 1 : 0];
  auto values = values_of(scope, in, type + " " + type + " " + selector);
  if (!values) return {};
  if (flushes) (*values)[2] = "ambidex_port::ftz(" + (*values)[2] + ")";
  return PtxMeaning{
      fmt::format("ambidex_port::slct({}, {}, {})", (*values)[0], (*values)[1], (*values)[2]), type,
      "arithmetic"};
}

std::optional<PtxMeaning> testp_of(const PtxScope& scope, const PtxInstruction& in) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kTests{
      {{"finite", "ambidex_port::is_finite"},
       {"infinite", "ambidex_port::is_infinite"},
       {"number", "ambidex_port::is_number"},
       {"notanumber", "!ambidex_port::is_number"},
       {"normal", "ambidex_port::is_normal"},
       {"subnormal", "ambidex_port::is_subnormal"}}};
  const std::string type = type_suffix(in);
  if (in.modifiers.size() != 2 || (type != "f32" && type != "f64")) return {};
  const auto values = values_of(scope, in, type);
  for (const auto& [word, function] : kTests) {
    if (word == in.modifiers[0] && values) {
      return PtxMeaning{fmt::format("{}({})", function, (*values)[0]), "pred", "arithmetic"};
    }
  }
  return {};
}

}  // namespace

std::optional<PtxMeaning> comparison_meaning_of(const PtxScope& scope,
                                                const PtxInstruction& instruction) {
  if (instruction.mnemonic == "setp") return setp_of(scope, instruction);
  if (instruction.mnemonic == "set") return set_of(scope, instruction);
  if (instruction.mnemonic == "testp") return testp_of(scope, instruction);
  return choice_of(scope, instruction);
}

}  // namespace ambidex
