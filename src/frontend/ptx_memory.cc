// SPDX-License-Identifier: Apache-2.0
// Loads, stores, fences and asynchronous copies of PTX in C++.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/word_list.h"
#include "frontend/ptx_rewrite.h"

namespace ambidex {
namespace {

// The words of ld and st.
struct Manner {
  std::string order;  // volatile, relaxed, acquire, release, or none
  std::string scope;  // cta, gpu, sys, or none
  std::string hint;   // nc, ca, cg ...
  bool is_vector = false, is_shared = false;
};

std::optional<Manner> manner_of(const PtxInstruction& in) {
  Manner out;
  for (size_t i = 0; i + 1 < in.modifiers.size(); ++i) {
    const std::string& word = in.modifiers[i];
    if (is_any(word, {"weak", "global"}) || word.starts_with("L1::") || word.starts_with("L2::")) {
      continue;
    }
    if (is_any(word, {"shared", "shared::cta"})) {
      out.is_shared = true;
    } else if (is_any(word, {"v2", "v4"})) {
      out.is_vector = true;
    } else if (is_any(word, {"volatile", "relaxed", "acquire", "release"}) && out.order.empty()) {
      out.order = word;
    } else if (is_any(word, {"cta", "gpu", "sys"}) && out.scope.empty()) {
      out.scope = word;
    } else if (is_any(word, {"ca", "cg", "cs", "lu", "cv", "wb", "wt", "nc"})) {
      if (out.hint != "nc") out.hint = word;
    } else {
      return {};
    }
  }
  return out;
}

std::string fence_of_scope(const std::string& scope) {
  if (scope == "cta") return "__threadfence_block()";
  return scope == "gpu" ? "__threadfence()" : "__threadfence_system()";
}

// As one access: PTX promises less of a vector, and programs rely on more.
PtxAccess ordered_vector(const Manner& manner, bool is_load) {
  PtxAccess out;
  out.function = is_load ? "ldcv" : "stwt";
  if (manner.order == "acquire") out.after = fence_of_scope(manner.scope);
  if (manner.order == "release") out.before = fence_of_scope(manner.scope);
  return out;
}

// A load or store of one value: how, and of which type.
struct ScalarAccess : PtxAccess {
  std::string type;
};

std::optional<ScalarAccess> scalar_access_of(const PtxInstruction& in) {
  const auto access = access_of(in);
  std::string type = type_suffix(in);
  if (!access || bits_of_ptx(type) < 8) return {};
  const bool hinted = has_modifier(in, "L2::cache_hint");
  if (in.operands.size() != (hinted ? 3U : 2U)) return {};
  if (has_modifier(in, "v2") || has_modifier(in, "v4")) return {};
  if (access->is_ordered && type[0] == 'f') type[0] = 'b';
  return ScalarAccess{*access, type};
}

std::optional<PtxMeaning> load_of(const PtxScope& scope, const PtxInstruction& in) {
  const auto access = scalar_access_of(in);
  if (!access) return {};
  const auto pointer = pointer_of(
      scope, in, in.operands[1],
      fmt::format("const {}{}", access->is_volatile ? "volatile " : "", type_of_ptx(access->type)));
  if (!pointer) return {};
  return PtxMeaning{access->function.empty()
                        ? "*" + *pointer
                        : fmt::format("ambidex_port::{}({})", access->function, *pointer),
                    access->type, "load"};
}

std::optional<PtxMeaning> store_of(const PtxScope& scope, const PtxInstruction& in) {
  const auto access = scalar_access_of(in);
  if (!access) return {};
  const auto pointer = pointer_of(
      scope, in, in.operands[0],
      fmt::format("{}{}", access->is_volatile ? "volatile " : "", type_of_ptx(access->type)));
  const auto value = value_of(scope, in.operands[1], access->type);
  if (!pointer || !value) return {};
  return PtxMeaning{access->function.empty() ? fmt::format("*{} = {}", *pointer, *value)
                                             : fmt::format("ambidex_port::{}({}, {})",
                                                           access->function, *pointer, *value),
                    "", "store"};
}

std::optional<PtxMeaning> fence_of(const PtxInstruction& instruction) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 10> kFences{
      {{"membar.cta", "__threadfence_block()"},
       {"membar.gl", "__threadfence()"},
       {"membar.sys", "__threadfence_system()"},
       {"fence.acq_rel.cta", "__threadfence_block()"},
       {"fence.acq_rel.gpu", "__threadfence()"},
       {"fence.acq_rel.sys", "__threadfence_system()"},
       {"fence.sc.cta", "__threadfence_block()"},
       {"fence.sc.gpu", "__threadfence()"},
       {"fence.sc.sys", "__threadfence_system()"},
       {"trap", "ambidex_port::trap()"}}};
  const std::string whole = full_mnemonic(instruction);
  for (const auto& [ptx, cpp] : kFences) {
    if (ptx == whole) return PtxMeaning{std::string(cpp), "", "fence"};
  }
  return {};
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
  PtxInstruction from_global;
  const auto from = pointer_of(scope, from_global, operands[1], "const void");
  const std::string bytes = number(operands[2]);
  if (!is_plain || !from || bytes.empty()) return {};
  std::string text =
      fmt::format("ambidex_port::cp_async<{}>(#{}#, {}", bytes, to.parts[0].index, *from);
  if (operands.size() == 4) text += ", " + number(operands[3]);
  return PtxMeaning{text + ")", "", rule};
}

// What only asks the caches, of an address of global memory.
std::optional<PtxMeaning> hint_of(const PtxScope& scope, const PtxInstruction& in) {
  if (has_modifier(in, "tensormap") || has_modifier(in, "const") || has_modifier(in, "param")) {
    return {};
  }
  if (in.mnemonic != "createpolicy") return PtxMeaning{"", "", "hint"};
  if (in.operands.empty() || width_of(scope, in.operands[0]) != 64) return {};
  return PtxMeaning{"0ull", "b64", "hint"};
}

}  // namespace

std::optional<std::string> pointer_of(const PtxScope& scope, const PtxInstruction& instruction,
                                      const PtxOperand& operand, std::string_view pointed) {
  if (operand.kind != PtxOperandKind::address || operand.parts.size() != 1) return {};
  const PtxOperand& base = operand.parts[0];
  const int width = width_of(scope, base);
  if (has_modifier(instruction, "shared") || has_modifier(instruction, "shared::cta")) {
    const auto address = value_of(scope, base, "u32");
    if (!address || (width != 32 && width != 64)) return {};
    const std::string offset =
        operand.offset == 0 ? "" : fmt::format(" + {}u", static_cast<uint32_t>(operand.offset));
    return fmt::format("ambidex_port::shared_pointer<{}>({}{})", pointed, *address, offset);
  }
  const auto address = value_of(scope, base, "u64");
  if (!address || width != 64) return {};
  if (operand.offset == 0) return fmt::format("({}*)({})", pointed, *address);
  return fmt::format("({}*)({} + {})", pointed, *address, operand.offset);
}

std::optional<PtxAccess> access_of(const PtxInstruction& instruction) {
  const bool is_load = instruction.mnemonic == "ld";
  const auto manner = manner_of(instruction);
  if (!manner || manner->order == (is_load ? "release" : "acquire")) return {};
  const std::string& order = manner->order;
  PtxAccess out;
  if (order == "relaxed" || order == "acquire" || order == "release") {
    if (manner->scope.empty()) return {};
    if (manner->is_vector) return ordered_vector(*manner, is_load);
    out.function = fmt::format("{}_{}_{}", is_load ? "ld" : "st", order, manner->scope);
    out.is_ordered = true;
    return out;
  }
  if (!manner->scope.empty()) return {};
  if (order == "volatile") {
    if (manner->is_vector) return ordered_vector(*manner, is_load);
    out.is_volatile = true;
    return out;
  }
  if (manner->is_shared || manner->hint.empty()) return out;
  const bool known = is_load ? is_any(manner->hint, {"nc", "ca", "cg", "cs", "lu", "cv"})
                             : is_any(manner->hint, {"wb", "cg", "cs", "wt"});
  if (!known) return {};
  out.function = manner->hint == "nc" ? "ldg" : (is_load ? "ld" : "st") + manner->hint;
  return out;
}

std::optional<PtxMeaning> memory_meaning_of(const PtxScope& scope,
                                            const PtxInstruction& instruction) {
  const std::string& mnemonic = instruction.mnemonic;
  if (mnemonic == "ld") return load_of(scope, instruction);
  if (mnemonic == "st") return store_of(scope, instruction);
  if (mnemonic == "cp") return copy_of(scope, instruction);
  if (is_any(mnemonic, {"prefetch", "prefetchu", "discard", "applypriority", "createpolicy"})) {
    return hint_of(scope, instruction);
  }
  return fence_of(instruction);
}

}  // namespace ambidex
