// SPDX-License-Identifier: Apache-2.0
// CUDA's asm constraints for a compiler of x86-64: "f", "d" and "h" become letters that it takes
// for such values. Until the statement is lowered no register is chosen, so any letter will do.
#pragma once

#include <llvm/Support/VirtualFileSystem.h>

namespace ambidex {

/// `files`, sources read through with_host_constraints.
llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> host_constraint_files(
    llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> files);

}  // namespace ambidex
