// SPDX-License-Identifier: Apache-2.0
#include "frontend/round_nearest.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

#include <vector>

namespace ambidex {
namespace {

bool rounds_to_float(llvm::Intrinsic::ID id) {
  return id == llvm::Intrinsic::rint || id == llvm::Intrinsic::nearbyint;
}

bool rounds_to_integer(llvm::Intrinsic::ID id) {
  return id == llvm::Intrinsic::lrint || id == llvm::Intrinsic::llrint;
}

void replace(llvm::IntrinsicInst* call) {
  llvm::IRBuilder<> builder(call);
  llvm::Value* value =
      builder.CreateUnaryIntrinsic(llvm::Intrinsic::roundeven, call->getArgOperand(0));
  if (rounds_to_integer(call->getIntrinsicID())) {
    value = builder.CreateFPToSI(value, call->getType());
  }
  call->replaceAllUsesWith(value);
  call->eraseFromParent();
}

}  // namespace

void round_to_nearest(llvm::Module& module) {
  std::vector<llvm::IntrinsicInst*> calls;
  for (llvm::Function& function : module) {
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
      if (call == nullptr) continue;
      const llvm::Intrinsic::ID id = call->getIntrinsicID();
      if (rounds_to_float(id) || rounds_to_integer(id)) calls.push_back(call);
    }
  }
  for (llvm::IntrinsicInst* call : calls) replace(call);
}

}  // namespace ambidex
