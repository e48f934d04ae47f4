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
  constexpr std::array<std::pair<std::string_view, std::string_view>, 14> kTypes{
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
       {"s16", "short"},
       {"u8", "uchar"},
       {"b8", "uchar"},
       {"s8", "char"}}};
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
  const auto from = pointer_of(scope, instruction, instruction.operands[1], "const " + type);
  if (!from) return {};
  std::string text = access.function.empty()
                         ? fmt::format("{{ const {} ambidex_loaded = *{}", type, *from)
                         : fmt::format("{{ const {} ambidex_loaded = ambidex_port::{}({})", type,
                                       access.function, *from);
  if (!access.after.empty()) text += "; " + access.after;
  for (size_t i = 0; i < targets.parts.size(); ++i) {
    if (targets.parts[i].text == "_") continue;
    const std::string suffix = instruction.modifiers.back();
    const std::string member = fmt::format("ambidex_loaded.{}", "xyzw"[i]);
    const auto one = assignment(scope, targets.parts[i],
                                suffix == "s8" ? "(signed char)" + member : member, suffix);
    if (!one) return {};
    text += "; " + *one;
  }
  return text + "; }";
}

std::optional<std::string> store(const PtxScope& scope, const PtxInstruction& instruction,
                                 const PtxAccess& access, const std::string& type) {
  const auto to = pointer_of(scope, instruction, instruction.operands[0], type);
  if (!to) return {};
  std::string values;
  for (const PtxOperand& part : instruction.operands[1].parts) {
    const auto value = value_of(scope, part, instruction.modifiers.back());
    if (!value) return {};
    values += (values.empty() ? "" : ", ") + *value;
  }
  const std::string made = fmt::format("make_{}({})", type, values);
  const std::string text =
      access.function.empty() ? fmt::format("*{} = {}", *to, made)
                              : fmt::format("ambidex_port::{}({}, {})", access.function, *to, made);
  return access.before.empty() ? text : fmt::format("{{ {}; {}; }}", access.before, text);
}

// Whether the statement takes no carry that another has made, and leaves none to another.
bool keeps_its_carry(const PtxCode& code) {
  const auto& all = code.instructions;
  const auto first = std::find_if(all.begin(), all.end(), uses_carry);
  const auto last = std::find_if(all.rbegin(), all.rend(), uses_carry);
  return first != all.end() && !first->mnemonic.ends_with("c") && !has_modifier(*last, "cc");
}

// How wide a vector the functions that do not go through a pointer move.
constexpr int kMostBytes = 16;

}  // namespace

std::optional<PtxMeaning> vector_meaning_of(const PtxScope& scope,
                                            const PtxInstruction& instruction) {
  const bool is_load = instruction.mnemonic == "ld";
  const std::string type = vector_type(instruction);
  if ((!is_load && instruction.mnemonic != "st") || type.empty()) return {};
  const bool hinted = has_modifier(instruction, "L2::cache_hint");
  if (instruction.operands.size() != (hinted ? 3U : 2U)) return {};
  const PtxOperand& list = instruction.operands[is_load ? 0 : 1];
  const auto access = access_of(instruction);
  if (list.kind != PtxOperandKind::list || !access || access->is_volatile) return {};
  const int num = type.back() - '0';
  if (std::ssize(list.parts) != num) return {};
  const int num_bytes = num * bits_of_ptx(instruction.modifiers.back()) / 8;
  if (!access->function.empty() && num_bytes > kMostBytes && access->function != "ldg") return {};
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
  std::string type = instruction.modifiers.back();
  const bool multiplies = instruction.mnemonic.starts_with("mad");
  const bool known = type == "u32" || type == "u64" || type == "s32" || type == "s64";
  if (!known || instruction.operands.size() != (multiplies ? 4U : 3U)) return {};
  if (!keeps_its_carry(scope.code)) return {};
  const bool upper = has_modifier(instruction, "hi");
  const bool is_signed = type[0] == 's';
  const std::string bits = type.substr(1);
  if (!(multiplies && upper)) type = "u" + bits;  // the rest is the same of either sign
  const bool takes = instruction.mnemonic.ends_with("c");
  std::vector<std::string> values;
  for (size_t i = 1; i < instruction.operands.size(); ++i) {
    const auto value = value_of(scope, instruction.operands[i], i == 3 ? "u" + bits : type);
    if (!value) return {};
    values.push_back(*value);
  }
  if (multiplies) {
    const std::string function =
        fmt::format("__{}mul{}hi", is_signed ? "" : "u", bits == "64" ? "64" : "");
    const std::string product = upper ? fmt::format("{}({}, {})", function, values[0], values[1])
                                      : fmt::format("{} * {}", values[0], values[1]);
    values = {fmt::format("({})({})", type_of_ptx("u" + bits), product), values[2]};
  }
  const std::string_view sum = instruction.mnemonic.starts_with("sub") ? "sub" : "add";
  return PtxMeaning{
      fmt::format("ambidex_port::{}{}{}({}, {}, ambidex_carry)", sum, takes ? "c" : "",
                  has_modifier(instruction, "cc") ? "_cc" : "", values[0], values[1]),
      "u" + bits, "arithmetic"};
}

}  // namespace ambidex
