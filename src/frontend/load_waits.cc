// SPDX-License-Identifier: Apache-2.0
#include "frontend/load_waits.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include <algorithm>
#include <map>
#include <set>

namespace ambidex {
namespace {

constexpr uint32_t kSixteenths = 16;
constexpr uint32_t kFewRounds = 4, kManyRounds = 16;  // that compilers put under way together

llvm::StringRef callee_of(const llvm::Instruction& instruction) {
  const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  const llvm::Function* callee = call == nullptr ? nullptr : call->getCalledFunction();
  return callee == nullptr ? "" : callee->getName();
}

bool is_tsan_atomic(const llvm::Instruction& instruction) {
  return callee_of(instruction).starts_with("__tsan_atomic");
}

// __tsan_read4, __tsan_unaligned_read8, __tsan_volatile_read4, __tsan_read_write4
bool is_tsan_read(const llvm::Instruction& instruction) {
  const llvm::StringRef name = callee_of(instruction);
  return name.starts_with("__tsan_") && name.contains("read") && !name.contains("thread");
}

// Stacks, constants, shared memory, which is thread-local here, and what a thread knows of itself,
// which is in registers of a GPU, answer at once.
bool is_in_memory(const llvm::Value* pointer) {
  const llvm::Value* object = llvm::getUnderlyingObject(pointer);
  const auto* made = llvm::dyn_cast<llvm::Instruction>(object);
  if (made != nullptr && callee_of(*made) == "ambidex_simt_self") return false;
  if (llvm::isa<llvm::AllocaInst>(object)) return false;
  if (const auto* global = llvm::dyn_cast<llvm::GlobalVariable>(object)) {
    return !global->isThreadLocal() && !global->isConstant() &&
           !global->hasAttribute(kConstantMemory);
  }
  const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(object);
  return intrinsic == nullptr ||
         intrinsic->getIntrinsicID() != llvm::Intrinsic::threadlocal_address;
}

bool meets_other_lanes(const llvm::Instruction& instruction) {
  const llvm::StringRef name = callee_of(instruction);
  return name.starts_with("ambidex_simt_") &&
         (name.contains("barrier") || name.contains("shuffle") || name.contains("ballot") ||
          name.contains("collective"));
}

bool writes_memory(const llvm::Instruction& instruction) {
  if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
    return is_in_memory(store->getPointerOperand());
  }
  return is_tsan_atomic(instruction) && is_in_memory(instruction.getOperand(0));
}

/// Whether `value` depends, within the loop, on something that `is_wanted`.
template <class Wanted>
bool depends(const llvm::Value* value, const llvm::Loop& loop, const Wanted& is_wanted,
             std::set<const llvm::Value*>& seen) {
  const auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
  if (instruction == nullptr || !loop.contains(instruction) || !seen.insert(value).second) {
    return false;
  }
  if (is_wanted(*instruction)) return true;
  return std::any_of(instruction->op_begin(), instruction->op_end(), [&](const llvm::Use& use) {
    return depends(use.get(), loop, is_wanted, seen);
  });
}

template <class Wanted>
bool depends(const llvm::Value* value, const llvm::Loop& loop, const Wanted& is_wanted) {
  std::set<const llvm::Value*> seen;
  return depends(value, loop, is_wanted, seen);
}

// That takes a value of the loop from round to round by a constant; null if `value` is neither such
// a value nor one a constant further.
const llvm::Instruction* step_of(const llvm::Value* value, const llvm::Loop& loop) {
  const auto* sum = llvm::dyn_cast<llvm::Instruction>(value);
  if (sum != nullptr && !llvm::isa<llvm::PHINode>(sum)) {
    if (sum->getNumOperands() < 2 || !llvm::isa<llvm::Constant>(sum->getOperand(1))) return nullptr;
    value = sum->getOperand(0);
  }
  const auto* phi = llvm::dyn_cast<llvm::PHINode>(value);
  if (phi == nullptr || phi->getParent() != loop.getHeader()) return nullptr;
  const auto* next =
      llvm::dyn_cast<llvm::Instruction>(phi->getIncomingValueForBlock(loop.getLoopLatch()));
  const bool steps = next != nullptr && next->getNumOperands() >= 2 && next->getOperand(0) == phi &&
                     llvm::isa<llvm::Constant>(next->getOperand(1));
  return steps ? next : nullptr;
}

// Whether an address of the loop grows by what a product with something known at run time only
// gives, and by more than one row a round: r * columns where r steps by 8. LLVM may have unrolled
// the loop; then the step has grown as the loads have.
bool strides_at_run_time(const llvm::Loop& loop, const std::set<const llvm::Instruction*>& control,
                         uint64_t num_loads) {
  for (const llvm::Instruction* step : control) {
    if (step->getOpcode() != llvm::Instruction::Add) continue;
    const auto* by = llvm::dyn_cast<llvm::ConstantInt>(step->getOperand(1));
    if (by != nullptr && by->getValue().abs().ule(num_loads)) return false;
  }
  const auto is_counted = [&](const llvm::Instruction& instruction) {
    return llvm::isa<llvm::PHINode>(instruction) && instruction.getParent() == loop.getHeader();
  };
  for (const llvm::BasicBlock* block : loop.blocks()) {
    for (const llvm::Instruction& product : *block) {
      if (product.getOpcode() != llvm::Instruction::Mul) continue;
      for (const unsigned side : {0u, 1u}) {
        const llvm::Value* factor = product.getOperand(side);
        if (loop.isLoopInvariant(factor) && !llvm::isa<llvm::Constant>(factor) &&
            depends(product.getOperand(1 - side), loop, is_counted)) {
          return true;
        }
      }
    }
  }
  return false;
}

// The step, comparison and branch of a loop whose number of rounds is at hand; else none.
std::set<const llvm::Instruction*> control_of(const llvm::Loop& loop) {
  const llvm::BasicBlock* exiting = loop.getExitingBlock();
  if (exiting == nullptr || loop.getLoopLatch() == nullptr) return {};
  const auto* branch = llvm::dyn_cast<llvm::BranchInst>(exiting->getTerminator());
  if (branch == nullptr || !branch->isConditional()) return {};
  const auto* compare = llvm::dyn_cast<llvm::ICmpInst>(branch->getCondition());
  if (compare == nullptr) return {};
  for (const int side : {0, 1}) {
    const llvm::Instruction* step = step_of(compare->getOperand(side), loop);
    if (step != nullptr && loop.isLoopInvariant(compare->getOperand(1 - side))) {
      return {step, compare, branch};
    }
  }
  return {};
}

}  // namespace

LoadWaits::LoadWaits(llvm::Function& function) : dominators_(function), loops_(dominators_) {
  for (const llvm::BasicBlock& block : function) {
    for (const llvm::Instruction& instruction : block) {
      if (is_tsan_read(instruction)) read_pointers_.insert(instruction.getOperand(0));
    }
  }
  for (const llvm::Loop* loop : loops_.getLoopsInPreorder()) {
    if (!loop->isInnermost()) continue;
    auto control = control_of(*loop);
    if (!control.empty() && has_independent_rounds(*loop)) {
      const bool few = strides_at_run_time(*loop, control, num_loads(*loop));
      rounds_together_[loop] = few ? kFewRounds : kManyRounds;
    }
    loop_control_.merge(control);
  }
}

bool LoadWaits::waits(const llvm::Instruction& instruction) const {
  if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
    const llvm::Value* pointer = load->getPointerOperand();
    return read_pointers_.count(pointer) != 0 && is_in_memory(pointer);
  }
  return is_tsan_atomic(instruction) && !instruction.use_empty() &&
         is_in_memory(instruction.getOperand(0));
}

uint64_t LoadWaits::num_loads(const llvm::Loop& loop) const {
  uint64_t num = 0;
  for (const llvm::BasicBlock* block : loop.blocks()) {
    for (const llvm::Instruction& instruction : *block) num += waits(instruction) ? 1 : 0;
  }
  return num;
}

// Addresses that come from loads of the round before: at = next[at].
bool LoadWaits::is_chain(const llvm::Loop& loop) const {
  const auto is_loaded = [this](const llvm::Instruction& instruction) {
    return waits(instruction);
  };
  std::set<const llvm::Instruction*> carried;
  for (const llvm::PHINode& phi : loop.getHeader()->phis()) {
    const llvm::Value* next = phi.getIncomingValueForBlock(loop.getLoopLatch());
    if (depends(next, loop, is_loaded)) carried.insert(&phi);
  }
  const auto is_carried = [&](const llvm::Instruction& instruction) {
    return carried.count(&instruction) != 0;
  };
  for (const llvm::BasicBlock* block : loop.blocks()) {
    for (const llvm::Instruction& instruction : *block) {
      const llvm::Value* pointer = llvm::getLoadStorePointerOperand(&instruction);
      if (pointer != nullptr && waits(instruction) && depends(pointer, loop, is_carried)) {
        return true;
      }
    }
  }
  return false;
}

bool LoadWaits::has_independent_rounds(const llvm::Loop& loop) const {
  for (const llvm::BasicBlock* block : loop.blocks()) {
    for (const llvm::Instruction& instruction : *block) {
      if (meets_other_lanes(instruction) || writes_memory(instruction)) return false;
    }
  }
  return !is_chain(loop);
}

uint32_t LoadWaits::of_stretch(llvm::BasicBlock::const_iterator first,
                               llvm::BasicBlock::const_iterator end) const {
  if (first == end) return 0;
  std::map<const llvm::Value*, uint32_t> waits_before;  // a value is there
  std::map<uint32_t, uint32_t> loads;                   // by the waits before them
  uint32_t begun = 0;                                   // waits when all lanes last met
  for (auto at = first; at != end; ++at) {
    uint32_t num = begun;
    for (const llvm::Use& use : at->operands()) {
      const auto found = waits_before.find(use.get());
      if (found != waits_before.end()) num = std::max(num, found->second);
    }
    if (waits(*at)) ++loads[num++];
    waits_before[&*at] = num;
    if (meets_other_lanes(*at) && !loads.empty()) begun = loads.rbegin()->first + 1;
  }
  const llvm::Loop* loop = loops_.getLoopFor(first->getParent());
  const auto unrolled = rounds_together_.find(loop);
  const uint32_t rounds = unrolled == rounds_together_.end() ? 1 : unrolled->second;
  uint32_t sixteenths = 0;
  for (const auto& [before, num] : loads) {
    sixteenths += std::min(num * kSixteenths / rounds, kSixteenths);
  }
  return sixteenths;
}

}  // namespace ambidex
