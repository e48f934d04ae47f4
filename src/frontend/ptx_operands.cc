// SPDX-License-Identifier: Apache-2.0
// Operands of PTX as values of C++, and assignments to them.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/word_list.h"
#include "frontend/ptx_names.h"
#include "frontend/ptx_rewrite.h"

namespace ambidex {
namespace {

struct TypeWord {
  std::string_view suffix;
  std::string_view word;
  int bits;
};

const TypeWord* type_word(std::string_view suffix) {
  static constexpr std::array<TypeWord, 25> kTypes{{{"u32", "unsigned", 32},
                                                    {"b32", "unsigned", 32},
                                                    {"s32", "int", 32},
                                                    {"u64", "unsigned long long", 64},
                                                    {"b64", "unsigned long long", 64},
                                                    {"s64", "long long", 64},
                                                    {"u16", "unsigned short", 16},
                                                    {"b16", "unsigned short", 16},
                                                    {"s16", "short", 16},
                                                    {"f32", "float", 32},
                                                    {"f64", "double", 64},
                                                    {"pred", "bool", 1},
                                                    {"u8", "unsigned char", 8},
                                                    {"b8", "unsigned char", 8},
                                                    {"s8", "signed char", 8},
                                                    {"f16", "unsigned short", 16},
                                                    {"bf16", "unsigned short", 16},
                                                    {"f16x2", "unsigned", 32},
                                                    {"bf16x2", "unsigned", 32},
                                                    {"u16x2", "unsigned", 32},
                                                    {"s16x2", "unsigned", 32},
                                                    {"b16x2", "unsigned", 32},
                                                    {"tf32", "unsigned", 32},
                                                    {"e4m3x2", "unsigned short", 16},
                                                    {"e5m2x2", "unsigned short", 16}}};
  for (const TypeWord& type : kTypes) {
    if (type.suffix == suffix) return &type;
  }
  return nullptr;
}

std::string special_value(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 27> kSpecials{
      {{"laneid", "ambidex_port::lane_id()"},
       {"lanemask_eq", "ambidex_port::lanemask_eq()"},
       {"lanemask_lt", "ambidex_port::lanemask_lt()"},
       {"lanemask_le", "ambidex_port::lanemask_le()"},
       {"lanemask_gt", "ambidex_port::lanemask_gt()"},
       {"lanemask_ge", "ambidex_port::lanemask_ge()"},
       {"WARP_SZ", "32"},
       {"clock", "ambidex_port::clock()"},
       {"clock_hi", "(ambidex_port::clock64() >> 32)"},
       {"clock64", "ambidex_port::clock64()"},
       {"globaltimer", "ambidex_port::globaltimer()"},
       {"globaltimer_lo", "ambidex_port::globaltimer()"},
       {"globaltimer_hi", "(ambidex_port::globaltimer() >> 32)"},
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

// Where a value lives: f float, d double, p predicate, h r l an integer of 16, 32 or 64 bits.
char holder_of(std::string_view type) {
  if (type == "f32") return 'f';
  if (type == "f64") return 'd';
  if (type == "pred") return 'p';
  const int bits = bits_of_ptx(type);
  return bits == 64 ? 'l' : bits == 32 ? 'r' : 'h';
}

// A value of one kind seen as another of the same size.
std::optional<std::string> bits_as(const std::string& value, char holder, std::string_view suffix) {
  const bool f32 = suffix == "f32", f64 = suffix == "f64";
  if (holder == 'p' && suffix != "pred") return {};
  if (holder == 'f' && !f32) {
    if (f64 || suffix == "pred") return {};
    return fmt::format("({})__float_as_uint({})", type_of_ptx(suffix), value);
  }
  if (holder == 'd' && !f64) {
    if (f32 || suffix == "pred") return {};
    return fmt::format("({})__double_as_longlong({})", type_of_ptx(suffix), value);
  }
  if (f32 && holder != 'f') {
    if (holder != 'r' && holder != 'n') return {};
    return fmt::format("__uint_as_float({})", value);
  }
  if (f64 && holder != 'd') {
    if (holder != 'l' && holder != 'n') return {};
    return fmt::format("__longlong_as_double((long long)({}))", value);
  }
  return fmt::format("({})({})", type_of_ptx(suffix), value);
}

std::optional<std::string> immediate_value(const PtxOperand& operand, std::string_view suffix) {
  const std::string digits = operand.text.substr(operand.text.starts_with('-') ? 1 : 0);
  const bool has_bits = digits.starts_with("0f") || digits.starts_with("0F");
  const bool has_wide_bits = digits.starts_with("0d") || digits.starts_with("0D");
  const bool is_decimal =
      !operand.bits && digits.find_first_not_of("0123456789.eE+-") == std::string::npos;
  if (suffix == "f32" || suffix == "f64") {
    if (is_decimal) return fmt::format("({}){}", type_of_ptx(suffix), operand.text);
    if (has_bits && operand.bits && suffix == "f32") {
      return fmt::format("__uint_as_float({}u)", *operand.bits);
    }
    if (has_wide_bits && operand.bits && suffix == "f64") {
      return fmt::format("__longlong_as_double((long long){}ull)", *operand.bits);
    }
    return {};
  }
  if (!operand.bits) return {};
  if (suffix == "pred") return *operand.bits != 0 ? "true" : "false";
  if (*operand.bits >> 63 == 0) {
    return fmt::format("({}){}", type_of_ptx(suffix), *operand.bits);
  }
  return fmt::format("({}){}", type_of_ptx(suffix), static_cast<int64_t>(*operand.bits));
}

std::optional<std::string> placeholder_value(const PtxScope& scope, const PtxOperand& operand,
                                             std::string_view suffix) {
  const AsmOperand* source = operand_of(scope.statement, operand.index);
  if (source == nullptr || source->constraint.empty()) return {};
  const char constraint = constraint_of(*source);
  const std::string mark = fmt::format("${}$", operand.index);
  if (constraint == 'f' || constraint == 'd') return bits_as(mark, constraint, suffix);
  if (std::string_view("rlhn").find(constraint) == std::string_view::npos) return {};
  if (suffix == "f32" && constraint == 'r') return fmt::format("__uint_as_float({})", mark);
  if (suffix == "f64" && constraint == 'l') {
    return fmt::format("__longlong_as_double((long long)({}))", mark);
  }
  if (suffix == "f32" || suffix == "f64") return {};
  return fmt::format("({})({})", type_of_ptx(suffix), mark);
}

// The value of `suffix` as what a holder takes.
std::optional<std::string> stored(const std::string& value, char holder, std::string_view suffix) {
  const bool f32 = suffix == "f32", f64 = suffix == "f64";
  if ((holder == 'p') != (suffix == "pred")) return {};
  if (holder == 'f') {
    if (f32) return value;
    return f64 ? std::optional<std::string>() : fmt::format("__uint_as_float({})", value);
  }
  if (holder == 'd') {
    if (f64) return value;
    return f32 ? std::optional<std::string>()
               : fmt::format("__longlong_as_double((long long)({}))", value);
  }
  if (f32) return fmt::format("__float_as_uint({})", value);
  if (f64) return fmt::format("(unsigned long long)__double_as_longlong({})", value);
  return value;
}

}  // namespace

std::string_view type_of_ptx(std::string_view suffix) {
  const TypeWord* const type = type_word(suffix);
  return type == nullptr ? "" : type->word;
}

int bits_of_ptx(std::string_view suffix) {
  const TypeWord* const type = type_word(suffix);
  return type == nullptr ? 0 : type->bits;
}

std::string type_suffix(const PtxInstruction& instruction) {
  return instruction.modifiers.empty() ? "" : instruction.modifiers.back();
}

std::string options_of(const PtxInstruction& instruction) {
  std::string out;
  for (size_t i = 0; i + 1 < instruction.modifiers.size(); ++i) {
    if (!out.empty()) out += ".";
    out += instruction.modifiers[i];
  }
  return out;
}

bool read_modifiers(std::span<const std::string> modifiers, std::string_view roundings,
                    std::string& rounding, std::initializer_list<PtxFlag> flags) {
  for (const std::string& word : modifiers) {
    const auto* const flag = std::find_if(flags.begin(), flags.end(),
                                          [&](const PtxFlag& one) { return one.word == word; });
    if (flag != flags.end()) {
      *flag->is_set = true;
    } else if (rounding.empty() && lists(roundings, word)) {
      rounding = word;
    } else {
      return false;
    }
  }
  return true;
}

int width_of(const PtxScope& scope, const PtxOperand& operand) {
  if (operand.kind == PtxOperandKind::placeholder) {
    const AsmOperand* const source = operand_of(scope.statement, operand.index);
    const char letter = source == nullptr ? '?' : constraint_of(*source);
    return letter == 'l' || letter == 'd'   ? 64
           : letter == 'r' || letter == 'f' ? 32
           : letter == 'h'                  ? 16
                                            : 0;
  }
  const PtxRegister* const declared = register_of(scope.code, operand.text);
  return declared == nullptr ? 0 : bits_of_ptx(declared->type);
}

std::optional<std::string> value_of(const PtxScope& scope, const PtxOperand& operand,
                                    std::string_view suffix) {
  if (type_of_ptx(suffix).empty()) return {};
  std::optional<std::string> text;
  const PtxRegister* const declared = register_of(scope.code, operand.text);
  if (operand.kind == PtxOperandKind::placeholder) {
    text = placeholder_value(scope, operand, suffix);
  } else if (operand.kind == PtxOperandKind::immediate) {
    return immediate_value(operand, suffix);
  } else if (declared != nullptr &&
             (operand.kind == PtxOperandKind::name || operand.kind == PtxOperandKind::special)) {
    text = bits_as(spelled(operand.text), holder_of(declared->type), suffix);
  } else if (operand.kind == PtxOperandKind::special || operand.text == "WARP_SZ") {
    const std::string special = special_value(operand.text);
    if (!special.empty()) text = fmt::format("({}){}", type_of_ptx(suffix), special);
  }
  if (!text || !operand.negated) return text;
  if (suffix != "pred" && suffix != "f32" && suffix != "f64") return {};
  return (suffix == "pred" ? "!" : "-") + *text;
}

std::optional<std::vector<std::string>> values_of(const PtxScope& scope,
                                                  const PtxInstruction& instruction,
                                                  std::string_view suffixes) {
  std::vector<std::string> values;
  for (size_t at = 0; at < suffixes.size();) {
    const size_t end = std::min(suffixes.find(' ', at), suffixes.size());
    const size_t index = values.size() + 1;
    if (index >= instruction.operands.size()) return {};
    const auto value = value_of(scope, instruction.operands[index], suffixes.substr(at, end - at));
    if (!value) return {};
    values.push_back(*value);
    at = end + 1;
  }
  if (values.size() + 1 != instruction.operands.size()) return {};
  return values;
}

std::optional<std::string> assignment(const PtxScope& scope, const PtxOperand& target,
                                      const std::string& value, std::string_view suffix) {
  if (target.kind == PtxOperandKind::name && target.text == "_") return "(void)(" + value + ")";
  if (target.kind == PtxOperandKind::name || target.kind == PtxOperandKind::special) {
    const PtxRegister* const declared = register_of(scope.code, target.text);
    if (declared == nullptr) return {};
    const auto text = stored(value, holder_of(declared->type), suffix);
    if (!text) return {};
    return fmt::format("{} = {}", spelled(target.text), *text);
  }
  if (target.kind != PtxOperandKind::placeholder) return {};
  if (target.index >= std::ssize(scope.statement.outputs)) return {};
  const AsmOperand* operand = operand_of(scope.statement, target.index);
  if (operand == nullptr) return {};
  const char constraint = constraint_of(*operand);
  if (std::string_view("rlfdh").find(constraint) == std::string_view::npos) return {};
  const auto text = stored(value, constraint, suffix);
  if (!text) return {};
  return fmt::format("${}$ = {}", target.index, *text);
}

}  // namespace ambidex
