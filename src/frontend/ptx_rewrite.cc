// SPDX-License-Identifier: Apache-2.0
#include "frontend/ptx_rewrite.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace ambidex {
namespace {

const AsmOperand* operand_of(const AsmStatement& statement, int64_t index) {
  const auto outputs = std::ssize(statement.outputs);
  if (index < 0 || index >= outputs + std::ssize(statement.inputs)) return nullptr;
  return index < outputs ? &statement.outputs[static_cast<size_t>(index)]
                         : &statement.inputs[static_cast<size_t>(index - outputs)];
}

char constraint_of(const AsmOperand& operand) {
  return operand.constraint.empty() ? '?' : operand.constraint.back();
}

bool is_float(std::string_view suffix) { return suffix == "f32" || suffix == "f64"; }

const PtxRegister* register_of(const PtxCode& code, std::string_view name) {
  for (const PtxRegister& candidate : code.registers) {
    if (candidate.name == name) return &candidate;
  }
  return nullptr;
}

std::string special_value(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 24> kSpecials{
      {{"laneid", "ambidex_port::lane_id()"},
       {"lanemask_eq", "ambidex_port::lanemask_eq()"},
       {"lanemask_lt", "ambidex_port::lanemask_lt()"},
       {"lanemask_le", "ambidex_port::lanemask_le()"},
       {"lanemask_gt", "ambidex_port::lanemask_gt()"},
       {"lanemask_ge", "ambidex_port::lanemask_ge()"},
       {"WARP_SZ", "32"},
       {"clock", "ambidex_port::clock()"},
       {"clock64", "ambidex_port::clock64()"},
       {"globaltimer", "ambidex_port::globaltimer()"},
       {"smid", "ambidex_port::smid()"},
       {"nsmid", "ambidex_port::nsmid()"},
       {"tid.x", "threadIdx.x"},
       {"tid.y", "threadIdx.y"},
       {"tid.z", "threadIdx.z"},
       {"ntid.x", "blockDim.x"},
       {"ntid.y", "blockDim.y"},
       {"ntid.z", "blockDim.z"},
       {"ctaid.x", "blockIdx.x"},
       {"ctaid.y", "blockIdx.y"},
       {"ctaid.z", "blockIdx.z"},
       {"nctaid.x", "gridDim.x"},
       {"nctaid.y", "gridDim.y"},
       {"nctaid.z", "gridDim.z"}}};
  for (const auto& [ptx, cpp] : kSpecials) {
    if (ptx == name) return std::string(cpp);
  }
  return "";
}

// A value of one kind seen as another of the same size.
std::string bits_as(std::string value, char constraint, std::string_view suffix) {
  if (constraint == 'f' && !is_float(suffix)) {
    return fmt::format("__float_as_uint({})", value);
  }
  if (constraint == 'd' && !is_float(suffix)) {
    return fmt::format("(unsigned long long)__double_as_longlong({})", value);
  }
  if (constraint == 'r' && suffix == "f32") return fmt::format("__uint_as_float({})", value);
  if (constraint == 'l' && suffix == "f64") return fmt::format("__longlong_as_double({})", value);
  return fmt::format("({})({})", type_of_ptx(suffix), value);
}

std::optional<std::string> statement_of(const PtxScope& scope, const PtxInstruction& instruction,
                                        std::string& rule) {
  auto meaning = carry_meaning_of(scope, instruction);
  if (!meaning) meaning = vector_meaning_of(scope, instruction);
  if (!meaning) meaning = meaning_of(scope, instruction);
  if (!meaning) meaning = memory_meaning_of(scope, instruction);
  if (!meaning) return {};
  rule = meaning->rule;
  std::optional<std::string> text = meaning->text;
  if (!meaning->result.empty()) {
    if (instruction.operands.empty()) return {};
    text = assignment(scope, instruction.operands[0], meaning->text, meaning->result);
  }
  if (!text || instruction.guard.empty()) return text;
  std::string guard = instruction.guard;
  if (guard[0] == '%' || register_of(scope.code, guard) == nullptr) return {};
  return fmt::format("if ({}{}) {}", instruction.guard_negated ? "!" : "", guard, *text);
}

// Names of PTX's registers become those of variables; `%r1` is no word of C++.
bool is_word(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

std::optional<std::string> declarations_of(const PtxCode& code) {
  std::string text;
  for (const PtxRegister& declared : code.registers) {
    const std::string_view type = type_of_ptx(declared.type);
    if (type.empty() || declared.count > 0 || !is_word(declared.name)) return {};
    text += fmt::format("{} {}; ", type, declared.name);
  }
  return text;
}

bool has_hole(const AsmStatement& statement) {
  return statement.text.find(kPtxHole) != std::string::npos;
}

std::string hazard_of(const PtxCode& code) {
  for (const PtxInstruction& instruction : code.instructions) {
    const PtxRule* rule = ptx_rule(instruction);
    if (rule != nullptr && rule->hazard != "N01") return std::string(rule->hazard);
  }
  return "N01";
}

}  // namespace

std::string_view type_of_ptx(std::string_view suffix) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 15> kTypes{
      {{"u32", "unsigned"},
       {"b32", "unsigned"},
       {"s32", "int"},
       {"u64", "unsigned long long"},
       {"b64", "unsigned long long"},
       {"s64", "long long"},
       {"u16", "unsigned short"},
       {"b16", "unsigned short"},
       {"s16", "short"},
       {"f32", "float"},
       {"f64", "double"},
       {"pred", "bool"},
       {"u8", "unsigned char"},
       {"b8", "unsigned char"},
       {"s8", "signed char"}}};
  for (const auto& [ptx, cpp] : kTypes) {
    if (ptx == suffix) return cpp;
  }
  return "";
}

std::optional<std::string> value_of(const PtxScope& scope, const PtxOperand& operand,
                                    std::string_view suffix) {
  if (type_of_ptx(suffix).empty()) return {};
  std::string text;
  if (operand.kind == PtxOperandKind::placeholder) {
    const AsmOperand* source = operand_of(scope.statement, operand.index);
    if (source == nullptr || source->constraint.empty()) return {};
    const char constraint = constraint_of(*source);
    if (std::string_view("rlfdhn").find(constraint) == std::string_view::npos) return {};
    text = bits_as(fmt::format("${}$", operand.index), constraint, suffix);
  } else if (operand.kind == PtxOperandKind::special) {
    text = special_value(operand.text);
    if (text.empty()) return {};
    text = fmt::format("({}){}", type_of_ptx(suffix), text);
  } else if (operand.kind == PtxOperandKind::immediate && operand.bits && !is_float(suffix)) {
    text = fmt::format("({}){}", type_of_ptx(suffix), static_cast<int64_t>(*operand.bits));
    if (*operand.bits >> 63 == 0) {
      text = fmt::format("({}){}", type_of_ptx(suffix), *operand.bits);
    }
  } else if (operand.kind == PtxOperandKind::name &&
             register_of(scope.code, operand.text) != nullptr) {
    text = fmt::format("({}){}", type_of_ptx(suffix), operand.text);
  } else {
    return {};
  }
  return operand.negated ? (suffix == "pred" ? "!" : "-") + text : text;
}

std::optional<std::string> assignment(const PtxScope& scope, const PtxOperand& target,
                                      const std::string& value, std::string_view suffix) {
  if (target.kind == PtxOperandKind::name) {
    if (register_of(scope.code, target.text) == nullptr) return {};
    return fmt::format("{} = {}", target.text, value);
  }
  if (target.kind != PtxOperandKind::placeholder) return {};
  const AsmOperand* operand = operand_of(scope.statement, target.index);
  if (operand == nullptr) return {};
  const char constraint = constraint_of(*operand);
  if (constraint == 'f' && !is_float(suffix)) {
    return fmt::format("${}$ = __uint_as_float({})", target.index, value);
  }
  if (constraint == 'd' && !is_float(suffix)) {
    return fmt::format("${}$ = __longlong_as_double((long long)({}))", target.index, value);
  }
  if (constraint == 'r' && suffix == "f32") {
    return fmt::format("${}$ = __float_as_uint({})", target.index, value);
  }
  if (constraint == 'l' && suffix == "f64") {
    return fmt::format("${}$ = (unsigned long long)__double_as_longlong({})", target.index, value);
  }
  if (std::string_view("rlfdh").find(constraint) == std::string_view::npos) return {};
  return fmt::format("${}$ = {}", target.index, value);
}

PtxRewrite rewritten(const AsmStatement& statement, const PtxCode& code) {
  PtxRewrite out{.hazard = hazard_of(code)};
  auto declarations = declarations_of(code);
  if (has_hole(statement) || !declarations || !code.end_labels.empty()) {
    out.reason = "PTX that is put together by macros, or with register arrays or labels";
    return out;
  }
  const PtxScope scope{statement, code};
  std::string body;
  const bool carries = std::any_of(code.instructions.begin(), code.instructions.end(), uses_carry);
  if (carries) *declarations += "unsigned ambidex_carry = 0; ";
  for (const PtxInstruction& instruction : code.instructions) {
    auto text = instruction.labels.empty() ? statement_of(scope, instruction, out.rule)
                                           : std::optional<std::string>();
    if (!text) {
      out.reason = fmt::format("no rule says {} in C++ with exactly its meaning",
                               full_mnemonic(instruction));
      out.text.clear();
      return out;
    }
    if (!text->empty()) body += (body.empty() ? "" : "; ") + *text;
  }
  if (code.instructions.size() > 1) out.rule = "statements";
  const bool is_block =
      !declarations->empty() || body.find("; ") != std::string::npos || body.starts_with("if (");
  if (body.empty()) body = "(void)0";
  out.text = is_block ? fmt::format("do {{ {}{}; }} while (0)", *declarations, body) : body;
  return out;
}

}  // namespace ambidex
