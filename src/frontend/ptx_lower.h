// SPDX-License-Identifier: Apache-2.0
// PTX as code of this machine, for the executor.
#pragma once

#include <llvm/IR/Instructions.h>

#include <string_view>

namespace ambidex {

/// Replaces the asm statement `call` by a call of a function that does what its PTX says, or
/// returns false and changes nothing if an instruction is not known. `text` has operands as %0.
bool lower_ptx(llvm::CallBase& call, std::string_view text);

}  // namespace ambidex
