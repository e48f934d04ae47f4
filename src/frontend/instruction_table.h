// SPDX-License-Identifier: Apache-2.0
// AmbidexSimtInstructions of ambidex/simt_device.h, made by the compiler.
#pragma once

#include <llvm/IR/Constants.h>
#include <llvm/IR/Module.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "ambidex/simt_traffic.h"

namespace ambidex {

inline constexpr const char* kInstructions = "ambidex_simt_instructions";
inline constexpr const char* kStandIn = "ambidex_simt_stand_in";

struct InstructionTable {
  std::array<uint32_t, kNumSimtInstructions> num{};
  std::array<uint32_t, 3> flop{};
  uint32_t waits = 0;

  void add(SimtInstruction unit, uint32_t count) { num[static_cast<size_t>(unit)] += count; }
  bool is_empty() const { return *this == InstructionTable{}; }
  bool operator==(const InstructionTable&) const = default;

  llvm::Constant* constant_in(llvm::Module& module) const {
    std::array<uint32_t, kNumSimtInstructions + 4> words{};
    std::copy(num.begin(), num.end(), words.begin());
    std::copy(flop.begin(), flop.end(), words.begin() + kNumSimtInstructions);
    words.back() = waits;
    llvm::Constant* value = llvm::ConstantDataArray::get(module.getContext(), words);
    return new llvm::GlobalVariable(module, value->getType(), true,
                                    llvm::GlobalValue::PrivateLinkage, value, "instructions");
  }
};

}  // namespace ambidex
