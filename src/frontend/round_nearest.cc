// SPDX-License-Identifier: Apache-2.0
#include "frontend/round_nearest.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

#include <cstdint>
#include <vector>

namespace ambidex {
namespace {

enum class Rounds : uint8_t { no, to_float, to_integer };

// By an intrinsic, or by the function of libm where the host's would set errno.
Rounds rounds(const llvm::CallInst& call) {
  const llvm::Function* callee = call.getCalledFunction();
  if (callee == nullptr) return Rounds::no;
  switch (callee->getIntrinsicID()) {
    case llvm::Intrinsic::rint:
    case llvm::Intrinsic::nearbyint:
      return Rounds::to_float;
    case llvm::Intrinsic::lrint:
    case llvm::Intrinsic::llrint:
      return Rounds::to_integer;
    default:
      break;
  }
  llvm::StringRef name = callee->getName();
  name.consume_back("f");
  const bool is_libm = callee->isDeclaration() && (name == "lrint" || name == "llrint");
  return is_libm ? Rounds::to_integer : Rounds::no;
}

void replace(llvm::CallInst* call) {
  llvm::IRBuilder<> builder(call);
  llvm::Value* value =
      builder.CreateUnaryIntrinsic(llvm::Intrinsic::roundeven, call->getArgOperand(0));
  if (rounds(*call) == Rounds::to_integer) value = builder.CreateFPToSI(value, call->getType());
  call->replaceAllUsesWith(value);
  call->eraseFromParent();
}

}  // namespace

void round_to_nearest(llvm::Module& module) {
  std::vector<llvm::CallInst*> calls;
  for (llvm::Function& function : module) {
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
      if (call != nullptr && rounds(*call) != Rounds::no) calls.push_back(call);
    }
  }
  for (llvm::CallInst* call : calls) replace(call);
}

}  // namespace ambidex
