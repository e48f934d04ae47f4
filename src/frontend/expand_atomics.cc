// SPDX-License-Identifier: Apache-2.0
#include "frontend/expand_atomics.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Transforms/Utils/LowerAtomic.h>

#include <vector>

namespace ambidex {
namespace {

bool is_instrumented(const llvm::AtomicRMWInst& update) {
  switch (update.getOperation()) {
    case llvm::AtomicRMWInst::Xchg:
    case llvm::AtomicRMWInst::Add:
    case llvm::AtomicRMWInst::Sub:
    case llvm::AtomicRMWInst::And:
    case llvm::AtomicRMWInst::Or:
    case llvm::AtomicRMWInst::Xor:
    case llvm::AtomicRMWInst::Nand:
      return true;
    default:
      return false;
  }
}

// before: seen = load; goto loop
// loop:   next = operation(seen, operand); compare and exchange; again unless equal
// after:  the old value instead of the update's
void expand(llvm::AtomicRMWInst* update) {
  llvm::Type* type = update->getType();
  llvm::Value* address = update->getPointerOperand();
  llvm::BasicBlock* before = update->getParent();
  llvm::BasicBlock* after = before->splitBasicBlock(update->getIterator(), "atomic.after");
  auto* loop =
      llvm::BasicBlock::Create(update->getContext(), "atomic.loop", before->getParent(), after);
  before->getTerminator()->eraseFromParent();
  llvm::IRBuilder<> builder(before);
  builder.SetCurrentDebugLocation(update->getDebugLoc());
  llvm::Type* bits = builder.getIntNTy(static_cast<unsigned>(type->getPrimitiveSizeInBits()));
  llvm::LoadInst* first = builder.CreateAlignedLoad(bits, address, update->getAlign());
  first->setAtomic(llvm::AtomicOrdering::Monotonic, update->getSyncScopeID());
  builder.CreateBr(loop);

  builder.SetInsertPoint(loop);
  llvm::PHINode* seen = builder.CreatePHI(bits, 2);
  seen->addIncoming(first, before);
  llvm::Value* next = llvm::buildAtomicRMWValue(
      update->getOperation(), builder, builder.CreateBitCast(seen, type), update->getValOperand());
  const llvm::AtomicOrdering order = update->getOrdering();
  auto* exchange = builder.CreateAtomicCmpXchg(
      address, seen, builder.CreateBitCast(next, bits), update->getAlign(), order,
      llvm::AtomicCmpXchgInst::getStrongestFailureOrdering(order), update->getSyncScopeID());
  llvm::Value* old = builder.CreateExtractValue(exchange, 0);
  seen->addIncoming(old, loop);
  builder.CreateCondBr(builder.CreateExtractValue(exchange, 1), after, loop);

  builder.SetInsertPoint(update);
  update->replaceAllUsesWith(builder.CreateBitCast(old, type));
  update->eraseFromParent();
}

}  // namespace

void expand_atomics(llvm::Module& module) {
  std::vector<llvm::AtomicRMWInst*> updates;
  for (llvm::Function& function : module) {
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      auto* update = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction);
      if (update != nullptr && !is_instrumented(*update)) updates.push_back(update);
    }
  }
  for (llvm::AtomicRMWInst* update : updates) expand(update);
}

}  // namespace ambidex
