// SPDX-License-Identifier: Apache-2.0
// PTX whose C++ is more than one expression: vectors in memory, and carries from one instruction
// to the next.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "frontend/ptx_rewrite.h"

namespace ambidex {
namespace {

// "uint4" of .v4.u32; "" where CUDA and HIP have no such type.
std::string vector_type(const PtxInstruction& instruction) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 11> kTypes{
      {{"u32", "uint"},
       {"b32", "uint"},
       {"s32", "int"},
       {"f32", "float"},
       {"u64", "ulonglong"},
       {"b64", "ulonglong"},
       {"s64", "longlong"},
       {"f64", "double"},
       {"u16", "ushort"},
       {"b16", "ushort"},
       {"s16", "short"}}};
  const bool two = has_modifier(instruction, "v2"), four = has_modifier(instruction, "v4");
  if ((!two && !four) || instruction.modifiers.empty()) return "";
  for (const auto& [suffix, name] : kTypes) {
    if (suffix == instruction.modifiers.back()) return fmt::format("{}{}", name, two ? 2 : 4);
  }
  return "";
}

std::optional<std::string> load(const PtxScope& scope, const PtxInstruction& instruction,
                                const PtxAccess& access, const std::string& type) {
  const PtxOperand& targets = instruction.operands[0];
  const auto from = pointer_of(scope, instruction.operands[1], "const " + type);
  if (!from) return {};
  std::string text =
      access.function.empty()
          ? fmt::format("{{ const {} loaded = *{}", type, *from)
          : fmt::format("{{ const {} loaded = ambidex_port::{}({})", type, access.function, *from);
  for (size_t i = 0; i < targets.parts.size(); ++i) {
    const auto one = assignment(scope, targets.parts[i], fmt::format("loaded.{}", "xyzw"[i]),
                                instruction.modifiers.back());
    if (!one) return {};
    text += "; " + *one;
  }
  return text + "; }";
}

std::optional<std::string> store(const PtxScope& scope, const PtxInstruction& instruction,
                                 const PtxAccess& access, const std::string& type) {
  const auto to = pointer_of(scope, instruction.operands[0], type);
  if (!to) return {};
  std::string values;
  for (const PtxOperand& part : instruction.operands[1].parts) {
    const auto value = value_of(scope, part, instruction.modifiers.back());
    if (!value) return {};
    values += (values.empty() ? "" : ", ") + *value;
  }
  const std::string made = fmt::format("make_{}({})", type, values);
  return access.function.empty()
             ? fmt::format("*{} = {}", *to, made)
             : fmt::format("ambidex_port::{}({}, {})", access.function, *to, made);
}

// Whether the statement takes no carry that another has made, and leaves none to another.
bool keeps_its_carry(const PtxCode& code) {
  const auto& all = code.instructions;
  const auto first = std::find_if(all.begin(), all.end(), uses_carry);
  const auto last = std::find_if(all.rbegin(), all.rend(), uses_carry);
  return first != all.end() && !first->mnemonic.ends_with("c") && !has_modifier(*last, "cc");
}

}  // namespace

std::optional<PtxMeaning> vector_meaning_of(const PtxScope& scope,
                                            const PtxInstruction& instruction) {
  const bool is_load = instruction.mnemonic == "ld";
  const std::string type = vector_type(instruction);
  if ((!is_load && instruction.mnemonic != "st") || type.empty()) return {};
  if (instruction.operands.size() != 2) return {};
  const PtxOperand& list = instruction.operands[is_load ? 0 : 1];
  const PtxAccess* access = access_of(instruction);
  if (list.kind != PtxOperandKind::list || access == nullptr || access->is_volatile) return {};
  if (std::to_string(list.parts.size()) != type.substr(type.size() - 1)) return {};
  const auto text =
      is_load ? load(scope, instruction, *access, type) : store(scope, instruction, *access, type);
  if (!text) return {};
  return PtxMeaning{*text, "", is_load ? "load" : "store"};
}

bool uses_carry(const PtxInstruction& instruction) {
  return has_modifier(instruction, "cc") || instruction.mnemonic == "addc" ||
         instruction.mnemonic == "subc" || instruction.mnemonic == "madc";
}

std::optional<PtxMeaning> carry_meaning_of(const PtxScope& scope,
                                           const PtxInstruction& instruction) {
  if (!uses_carry(instruction) || instruction.modifiers.empty()) return {};
  const std::string type = instruction.modifiers.back();
  const bool is_unsigned = type == "u32" || type == "u64" || type == "b32";
  const bool multiplies = instruction.mnemonic.starts_with("mad");
  if (!is_unsigned || instruction.operands.size() != (multiplies ? 4U : 3U)) return {};
  if (!keeps_its_carry(scope.code)) return {};
  const bool takes = instruction.mnemonic.ends_with("c");
  std::vector<std::string> values;
  for (size_t i = 1; i < instruction.operands.size(); ++i) {
    const auto value = value_of(scope, instruction.operands[i], type);
    if (!value) return {};
    values.push_back(*value);
  }
  if (multiplies) {
    const std::string product =
        has_modifier(instruction, "hi")
            ? fmt::format("{}({}, {})", type == "u64" ? "__umul64hi" : "__umulhi", values[0],
                          values[1])
            : fmt::format("{} * {}", values[0], values[1]);
    values = {fmt::format("({})({})", type_of_ptx(type), product), values[2]};
  }
  const std::string_view sum = instruction.mnemonic.starts_with("sub") ? "sub" : "add";
  return PtxMeaning{
      fmt::format("ambidex_port::{}{}{}({}, {}, ambidex_carry)", sum, takes ? "c" : "",
                  has_modifier(instruction, "cc") ? "_cc" : "", values[0], values[1]),
      type, "arithmetic"};
}

}  // namespace ambidex
