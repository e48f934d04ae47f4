// SPDX-License-Identifier: Apache-2.0
// Memory, warps and barriers of PTX in C++.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "frontend/ptx_rewrite.h"

namespace ambidex {
namespace {

std::string type_suffix(const PtxInstruction& instruction) {
  return instruction.modifiers.empty() ? "" : instruction.modifiers.back();
}

// Modifiers without the type, and without those that say nothing on AMD.
std::string options_of(const PtxInstruction& instruction) {
  std::string out;
  for (size_t i = 0; i + 1 < instruction.modifiers.size(); ++i) {
    const std::string& word = instruction.modifiers[i];
    if (word.starts_with("L1::") || word.starts_with("L2::") || word == "sync") continue;
    if (word == "v2" || word == "v4") continue;  // a matter of the type
    if (!out.empty()) out += ".";
    out += word;
  }
  return out;
}

const PtxAccess* access_of(const std::string& options, bool is_load) {
  static constexpr std::array<PtxAccess, 18> kLoads{
      {{"", "", false},
       {"global", "", false},
       {"ca", "ldca", false},
       {"global.ca", "ldca", false},
       {"global.nc", "ldg", false},
       {"cg", "ldcg", false},
       {"global.cg", "ldcg", false},
       {"cs", "ldcs", false},
       {"global.cs", "ldcs", false},
       {"global.lu", "ldlu", false},
       {"global.cv", "ldcv", false},
       {"volatile", "", true},
       {"volatile.global", "", true},
       {"acquire.gpu", "ld_acquire_gpu", false},
       {"acquire.gpu.global", "ld_acquire_gpu", false},
       {"relaxed.gpu.global", "ld_relaxed_gpu", false},
       {"acquire.sys.global", "ld_acquire_sys", false},
       {"acquire.sys", "ld_acquire_sys", false}}};
  static constexpr std::array<PtxAccess, 15> kStores{
      {{"", "", false},
       {"global", "", false},
       {"wb", "stwb", false},
       {"global.wb", "stwb", false},
       {"cg", "stcg", false},
       {"global.cg", "stcg", false},
       {"cs", "stcs", false},
       {"global.cs", "stcs", false},
       {"global.wt", "stwt", false},
       {"volatile", "", true},
       {"volatile.global", "", true},
       {"release.gpu", "st_release_gpu", false},
       {"release.gpu.global", "st_release_gpu", false},
       {"relaxed.gpu.global", "st_relaxed_gpu", false},
       {"release.sys.global", "st_release_sys", false}}};
  const auto search = [&](const auto& rows) -> const PtxAccess* {
    for (const PtxAccess& row : rows) {
      if (row.options == options) return &row;
    }
    return nullptr;
  };
  return is_load ? search(kLoads) : search(kStores);
}

std::optional<PtxMeaning> load_of(const PtxScope& scope, const PtxInstruction& instruction) {
  const std::string type = type_suffix(instruction);
  const PtxAccess* access = access_of(instruction);
  if (access == nullptr || instruction.operands.size() != 2 || type_of_ptx(type).empty()) return {};
  const auto pointer = pointer_of(
      scope, instruction.operands[1],
      fmt::format("const {}{}", access->is_volatile ? "volatile " : "", type_of_ptx(type)));
  if (!pointer) return {};
  return PtxMeaning{access->function.empty()
                        ? "*" + *pointer
                        : fmt::format("ambidex_port::{}({})", access->function, *pointer),
                    type, "load"};
}

std::optional<PtxMeaning> store_of(const PtxScope& scope, const PtxInstruction& instruction) {
  const std::string type = type_suffix(instruction);
  const PtxAccess* access = access_of(instruction);
  if (access == nullptr || instruction.operands.size() != 2 || type_of_ptx(type).empty()) return {};
  const auto pointer =
      pointer_of(scope, instruction.operands[0],
                 fmt::format("{}{}", access->is_volatile ? "volatile " : "", type_of_ptx(type)));
  const auto value = value_of(scope, instruction.operands[1], type);
  if (!pointer || !value) return {};
  return PtxMeaning{access->function.empty() ? fmt::format("*{} = {}", *pointer, *value)
                                             : fmt::format("ambidex_port::{}({}, {})",
                                                           access->function, *pointer, *value),
                    "", "store"};
}

// What is asked for without the words that say no more than HIP's atomic functions do: relaxed, of
// the device or less, on memory of any kind or the global one.
std::string operation_of(const PtxInstruction& instruction) {
  static constexpr std::array<std::string_view, 4> kImplied{"relaxed", "gpu", "cta", "global"};
  std::string left;
  for (size_t i = 0; i + 1 < instruction.modifiers.size(); ++i) {
    const std::string& word = instruction.modifiers[i];
    const bool is_implied = std::find(kImplied.begin(), kImplied.end(), word) != kImplied.end();
    if (!is_implied) left += left.empty() ? word : "." + word;
  }
  return left;
}

// red and atom without an order of their own: the atomic functions of CUDA are relaxed too.
std::optional<PtxMeaning> atomic_of(const PtxScope& scope, const PtxInstruction& instruction) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 10> kOperations{
      {{"add", "atomicAdd"},
       {"min", "atomicMin"},
       {"max", "atomicMax"},
       {"and", "atomicAnd"},
       {"or", "atomicOr"},
       {"xor", "atomicXor"},
       {"exch", "atomicExch"},
       {"cas", "atomicCAS"},
       {"inc", "atomicInc"},
       {"dec", "atomicDec"}}};
  const std::string type = type_suffix(instruction);
  const std::string operation = operation_of(instruction);
  const auto* row = std::find_if(kOperations.begin(), kOperations.end(),
                                 [&](const auto& pair) { return pair.first == operation; });
  const bool is_known = type == "u32" || type == "s32" || type == "b32" || type == "f32" ||
                        type == "u64" || type == "f64" || type == "b64";
  if (row == kOperations.end() || !is_known) return {};
  const size_t address = instruction.mnemonic == "atom" ? 1 : 0;
  const size_t num_values = row->second == "atomicCAS" ? 2 : 1;
  if (instruction.operands.size() != address + 1 + num_values) return {};
  const auto pointer = pointer_of(scope, instruction.operands[address], type_of_ptx(type));
  if (!pointer) return {};
  std::string text = fmt::format("{}({}", row->second, *pointer);
  for (size_t i = 0; i < num_values; ++i) {
    const auto value = value_of(scope, instruction.operands[address + 1 + i], type);
    if (!value) return {};
    text += ", " + *value;
  }
  return PtxMeaning{text + ")", address == 1 ? type : "", "atomic"};
}

std::optional<PtxMeaning> fence_of(const PtxInstruction& instruction) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 12> kFences{
      {{"membar.cta", "__threadfence_block()"},
       {"membar.gl", "__threadfence()"},
       {"membar.sys", "__threadfence_system()"},
       {"fence.acq_rel.cta", "__threadfence_block()"},
       {"fence.acq_rel.gpu", "__threadfence()"},
       {"fence.acq_rel.sys", "__threadfence_system()"},
       {"fence.sc.cta", "__threadfence_block()"},
       {"fence.sc.gpu", "__threadfence()"},
       {"fence.sc.sys", "__threadfence_system()"},
       {"trap", "ambidex_port::trap()"},
       {"activemask.b32", ""},
       {"nanosleep.u32", ""}}};
  const std::string whole = full_mnemonic(instruction);
  for (const auto& [ptx, cpp] : kFences) {
    if (ptx == whole && !cpp.empty()) return PtxMeaning{std::string(cpp), "", "fence"};
  }
  return {};
}

std::optional<PtxMeaning> barrier_of(const PtxScope& scope, const PtxInstruction& instruction) {
  const std::string whole = full_mnemonic(instruction);
  if (whole == "bar.warp.sync" && instruction.operands.size() == 1) {
    const auto mask = value_of(scope, instruction.operands[0], "u32");
    if (!mask) return {};
    return PtxMeaning{fmt::format("ambidex_port::syncwarp({})", *mask), "", "barrier"};
  }
  if (whole != "bar.sync" && whole != "barrier.sync" && whole != "barrier.sync.aligned") return {};
  // Barrier 0 of the whole block.
  if (instruction.operands.size() != 1 || instruction.operands[0].bits != uint64_t{0}) return {};
  return PtxMeaning{"__syncthreads()", "", "barrier"};
}

std::optional<PtxMeaning> warp_of(const PtxScope& scope, const PtxInstruction& instruction) {
  const std::string whole = full_mnemonic(instruction);
  if (whole == "activemask.b32") return PtxMeaning{"ambidex_port::activemask()", "b32", "warp"};
  if (whole == "vote.sync.ballot.b32" && instruction.operands.size() == 3) {
    const auto predicate = value_of(scope, instruction.operands[1], "pred");
    const auto mask = value_of(scope, instruction.operands[2], "b32");
    if (!predicate || !mask) return {};
    return PtxMeaning{fmt::format("ambidex_port::ballot_sync({}, {})", *mask, *predicate), "b32",
                      "warp"};
  }
  if (instruction.mnemonic == "redux" && instruction.operands.size() == 3) {
    const std::string type = type_suffix(instruction);
    const auto value = value_of(scope, instruction.operands[1], type);
    const auto mask = value_of(scope, instruction.operands[2], "b32");
    const std::string operation = options_of(instruction);
    if (!value || !mask || operation.find('.') != std::string::npos) return {};
    return PtxMeaning{fmt::format("ambidex_port::reduce_{}_sync({}, {})", operation, *mask, *value),
                      type, "warp"};
  }
  return {};
}

// shfl.sync.bfly.b32 d, a, lane, 0x1f, mask: clamps of a whole logical warp only.
std::optional<PtxMeaning> shuffle_of(const PtxScope& scope, const PtxInstruction& instruction) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kKinds{
      {{"idx", "shfl_sync"},
       {"bfly", "shfl_xor_sync"},
       {"down", "shfl_down_sync"},
       {"up", "shfl_up_sync"}}};
  const std::string options = options_of(instruction);
  const auto* row = std::find_if(kKinds.begin(), kKinds.end(),
                                 [&](const auto& pair) { return pair.first == options; });
  if (row == kKinds.end() || instruction.operands.size() != 5) return {};
  if (type_suffix(instruction) != "b32") return {};
  const uint64_t whole = options == "up" ? 0 : 31;
  if (instruction.operands[3].bits != whole) return {};
  const auto value = value_of(scope, instruction.operands[1], "b32");
  const auto lane = value_of(scope, instruction.operands[2], "b32");
  const auto mask = value_of(scope, instruction.operands[4], "b32");
  if (!value || !lane || !mask) return {};
  return PtxMeaning{
      fmt::format("ambidex_port::{}({}, {}, {}, 32)", row->second, *mask, *value, *lane), "b32",
      "warp"};
}

// cp.async [shared], [global], bytes, and what waits for it. "#0#" is the pointer that the address
// in operand 0 was made of.
std::optional<PtxMeaning> copy_of(const PtxScope& scope, const PtxInstruction& instruction) {
  const std::string whole = full_mnemonic(instruction);
  const auto& operands = instruction.operands;
  const std::string rule = "synchronous-copy";
  if (whole == "cp.async.commit_group") {
    return PtxMeaning{"ambidex_port::cp_async_commit_group()", "", rule};
  }
  if (whole == "cp.async.wait_all") {
    return PtxMeaning{"ambidex_port::cp_async_wait_all()", "", rule};
  }
  const auto number = [](const PtxOperand& operand) -> std::string {
    if (operand.bits) return std::to_string(*operand.bits);
    if (operand.kind != PtxOperandKind::placeholder) return "";
    return fmt::format("${}$", operand.index);
  };
  if (whole == "cp.async.wait_group" && operands.size() == 1) {
    return PtxMeaning{fmt::format("ambidex_port::cp_async_wait_group<{}>()", number(operands[0])),
                      "", rule};
  }
  const bool is_copy = whole.starts_with("cp.async.ca.shared.global") ||
                       whole.starts_with("cp.async.cg.shared.global");
  if (!is_copy || (operands.size() != 3 && operands.size() != 4)) return {};
  const PtxOperand& to = operands[0];
  const bool is_plain = to.kind == PtxOperandKind::address && to.parts.size() == 1 &&
                        to.offset == 0 && to.parts[0].kind == PtxOperandKind::placeholder;
  const auto from = pointer_of(scope, operands[1], "const void");
  const std::string bytes = number(operands[2]);
  if (!is_plain || !from || bytes.empty()) return {};
  std::string text =
      fmt::format("ambidex_port::cp_async<{}>(#{}#, {}", bytes, to.parts[0].index, *from);
  if (operands.size() == 4) text += ", " + number(operands[3]);
  return PtxMeaning{text + ")", "", rule};
}

}  // namespace

// `(const float*)p` of [p + 4]. Generic and global addresses only: those of shared memory are
// numbers of 32 bits that no pointer is made of.
std::optional<std::string> pointer_of(const PtxScope& scope, const PtxOperand& operand,
                                      std::string_view pointed) {
  if (operand.kind != PtxOperandKind::address || operand.parts.size() != 1) return {};
  if (operand.parts[0].kind == PtxOperandKind::immediate) return {};
  const auto base = value_of(scope, operand.parts[0], "u64");
  if (!base) return {};
  if (operand.offset == 0) return fmt::format("({}*)({})", pointed, *base);
  return fmt::format("({}*)({} + {})", pointed, *base, operand.offset);
}

const PtxAccess* access_of(const PtxInstruction& instruction) {
  const bool is_load = instruction.mnemonic == "ld";
  std::string options = options_of(instruction);
  if (is_load && options.starts_with("global.nc")) options = "global.nc";
  return access_of(options, is_load);
}

std::optional<PtxMeaning> memory_meaning_of(const PtxScope& scope,
                                            const PtxInstruction& instruction) {
  const std::string& mnemonic = instruction.mnemonic;
  if (mnemonic == "ld") return load_of(scope, instruction);
  if (mnemonic == "st") return store_of(scope, instruction);
  if (mnemonic == "red" || mnemonic == "atom") return atomic_of(scope, instruction);
  if (mnemonic == "bar" || mnemonic == "barrier") return barrier_of(scope, instruction);
  if (mnemonic == "cp") return copy_of(scope, instruction);
  if (mnemonic == "shfl") return shuffle_of(scope, instruction);
  if (mnemonic == "prefetch" || mnemonic == "prefetchu") return PtxMeaning{"", "", "hint"};
  if (auto meaning = fence_of(instruction)) return meaning;
  return warp_of(scope, instruction);
}

}  // namespace ambidex
