// SPDX-License-Identifier: Apache-2.0
// How often a stretch of code has to wait for loads from memory, if it was compiled as compilers
// for GPUs do: all loads that need none of the others are under way before the first is waited for,
// and loops whose number of rounds is at hand are unrolled.
#pragma once

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Function.h>

#include <cstdint>
#include <map>
#include <set>

namespace ambidex {

/// Attribute of a variable that the source calls __constant__.
inline constexpr const char* kConstantMemory = "ambidex-constant";

class LoadWaits {
 public:
  /// Loads are those that the thread sanitizer has marked.
  explicit LoadWaits(llvm::Function& function);

  /// In sixteenths of a wait, of one execution. A load counts a sixteenth where rounds of its loop
  /// can be under way together: the loop is innermost, runs by a constant step up to a bound that
  /// it does not change, writes no global memory, meets no other lanes, and no address of it comes
  /// from a load of the round before. It counts four where the address grows by a product that is
  /// known at run time only. That nvcc unrolls such loops 16 and 4 times, and none whose step is
  /// known at run time only, is seen in its code (nvcc 13.0, sm_90; 17 loops of all these kinds).
  uint32_t of_stretch(llvm::BasicBlock::const_iterator first,
                      llvm::BasicBlock::const_iterator end) const;

  /// Whether it only counts the rounds of a loop that compilers unroll.
  bool counts_rounds(const llvm::Instruction& instruction) const {
    return loop_control_.count(&instruction) != 0;
  }

 private:
  bool waits(const llvm::Instruction& instruction) const;
  uint64_t num_loads(const llvm::Loop& loop) const;
  bool is_chain(const llvm::Loop& loop) const;
  bool has_independent_rounds(const llvm::Loop& loop) const;

  llvm::DominatorTree dominators_;
  llvm::LoopInfo loops_;
  std::set<const llvm::Value*> read_pointers_;
  std::map<const llvm::Loop*, uint32_t> rounds_together_;  // of those that are unrolled
  std::set<const llvm::Instruction*> loop_control_;
};

}  // namespace ambidex
