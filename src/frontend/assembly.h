// SPDX-License-Identifier: Apache-2.0
// Inline assembly of device code. The executor runs x86-64, so each asm statement is replaced.
#pragma once

#include <llvm/IR/Instructions.h>

#include <string>

namespace ambidex {

/// An asm statement as a call in LLVM's code: operand values are its arguments, its result is one
/// value or a structure with one per output.
struct Assembly {
  llvm::CallBase* call = nullptr;
  std::string text;         // as written, operands as %0, %1; "{" and "|" are the source's
  std::string constraints;  // LLVM's: "=r,r,r,~{memory}"
  bool hip = false;         // AMDGPU's instructions, else PTX
};

/// Replaces the call by code that has the effect of `assembly` in the executor, or returns false
/// and changes nothing if it does not know an instruction.
bool lower_assembly(const Assembly& assembly);

/// Replaces every asm statement of the module; one that lower_assembly does not know traps when
/// it is reached, and the trap names its text.
void replace_assembly(llvm::Module& module, bool hip);

}  // namespace ambidex
