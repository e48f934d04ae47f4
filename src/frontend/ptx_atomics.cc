// SPDX-License-Identifier: Apache-2.0
// atom and red of PTX in C++.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/word_list.h"
#include "frontend/ptx_rewrite.h"

namespace ambidex {
namespace {

struct Operation {
  std::string_view word;
  std::string_view function;  // HIP's: relaxed, of the device
  std::string_view types;
};

constexpr std::array<Operation, 10> kOperations{{
    {"add", "atomicAdd", "u32 s32 u64 f32 f64"},
    {"min", "atomicMin", "u32 s32 u64 s64"},
    {"max", "atomicMax", "u32 s32 u64 s64"},
    {"and", "atomicAnd", "b32 b64"},
    {"or", "atomicOr", "b32 b64"},
    {"xor", "atomicXor", "b32 b64"},
    {"exch", "atomicExch", "b32 b64"},
    {"cas", "atomicCAS", "b32 b64"},
    {"inc", "atomicInc", "u32"},
    {"dec", "atomicDec", "u32"},
}};

struct Manner {
  const Operation* operation = nullptr;
  std::string order = "relaxed", scope = "gpu";
  bool noftz = false, is_vector = false, is_hinted = false;
};

std::optional<Manner> manner_of(const PtxInstruction& in) {
  Manner out;
  for (size_t i = 0; i + 1 < in.modifiers.size(); ++i) {
    const std::string& word = in.modifiers[i];
    const auto* const found =
        std::find_if(kOperations.begin(), kOperations.end(),
                     [&](const Operation& operation) { return operation.word == word; });
    if (found != kOperations.end() && out.operation == nullptr) {
      out.operation = found;
    } else if (lists("relaxed acquire release acq_rel", word)) {
      out.order = word;
    } else if (lists("cta gpu sys", word)) {
      out.scope = word;
    } else if (word == "noftz") {
      out.noftz = true;
    } else if (lists("v2 v4", word)) {
      out.is_vector = true;
    } else if (word == "L2::cache_hint") {
      out.is_hinted = true;
    } else if (!lists("global shared shared::cta", word)) {
      return {};
    }
  }
  return out.operation == nullptr ? std::nullopt : std::optional(out);
}

// "atomicAdd" where that is what is asked for, else the port's function with order and scope.
std::string function_of(const Manner& manner, const std::string& type) {
  const bool plain = manner.order == "relaxed" && manner.scope != "sys";
  if (plain && lists(manner.operation->types, type)) return std::string(manner.operation->function);
  const bool halves = type.find("16") != std::string::npos && manner.noftz;
  const bool floats = type == "f32" || type == "f64";
  return fmt::format("ambidex_port::atom_{}{}<{}, {}>", manner.operation->word,
                     halves || floats ? "_" + type : "",
                     manner.order == "relaxed"   ? "__ATOMIC_RELAXED"
                     : manner.order == "acquire" ? "__ATOMIC_ACQUIRE"
                     : manner.order == "release" ? "__ATOMIC_RELEASE"
                                                 : "__ATOMIC_ACQ_REL",
                     manner.scope == "cta"   ? "__HIP_MEMORY_SCOPE_WORKGROUP"
                     : manner.scope == "gpu" ? "__HIP_MEMORY_SCOPE_AGENT"
                                             : "__HIP_MEMORY_SCOPE_SYSTEM");
}

bool has_type(const Manner& manner, const std::string& type) {
  if (manner.noftz) return manner.operation->word == "add" && lists("f16 f16x2 bf16 bf16x2", type);
  if (manner.operation->word == "cas" && type == "b16") return true;
  return lists(manner.operation->types, type);
}

// red.global.add.v4.f32 [p], {a, b, c, d}: each by itself, as PTX has it.
std::optional<PtxMeaning> vector_of(const PtxScope& scope, const PtxInstruction& in,
                                    const Manner& manner) {
  const std::string type = type_suffix(in);
  if (in.mnemonic != "red" || in.operands.size() != 2) return {};
  const auto& parts = in.operands[1].parts;
  const size_t num = has_modifier(in, "v2") ? 2 : 4;
  const auto pointer = pointer_of(scope, in, in.operands[0], type_of_ptx(type));
  if (!pointer || parts.size() != num || manner.operation->word != "add") return {};
  std::string text = fmt::format("{{ {}* const ambidex_to = {}", type_of_ptx(type), *pointer);
  for (size_t i = 0; i < num; ++i) {
    const auto value = value_of(scope, parts[i], type);
    if (!value) return {};
    text += fmt::format("; {}(ambidex_to + {}, {})", function_of(manner, type), i, *value);
  }
  return PtxMeaning{text + "; }", "", "atomic"};
}

}  // namespace

// red and atom without an order of their own: the atomic functions of CUDA are relaxed too.
std::optional<PtxMeaning> atomic_meaning_of(const PtxScope& scope,
                                            const PtxInstruction& instruction) {
  if (instruction.mnemonic != "atom" && instruction.mnemonic != "red") return {};
  const auto manner = manner_of(instruction);
  const std::string type = type_suffix(instruction);
  if (!manner || !has_type(*manner, type)) return {};
  if (manner->is_vector) return vector_of(scope, instruction, *manner);
  const size_t address = instruction.mnemonic == "atom" ? 1 : 0;
  const size_t num_values = manner->operation->word == "cas" ? 2 : 1;
  if (instruction.operands.size() != address + 1 + num_values + (manner->is_hinted ? 1 : 0)) {
    return {};
  }
  const auto pointer =
      pointer_of(scope, instruction, instruction.operands[address], type_of_ptx(type));
  if (!pointer) return {};
  std::string text = fmt::format("{}({}", function_of(*manner, type), *pointer);
  for (size_t i = 0; i < num_values; ++i) {
    const auto value = value_of(scope, instruction.operands[address + 1 + i], type);
    if (!value) return {};
    text += ", " + *value;
  }
  return PtxMeaning{text + ")", address == 1 ? type : "", "atomic"};
}

}  // namespace ambidex
