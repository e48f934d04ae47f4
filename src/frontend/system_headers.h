// SPDX-License-Identifier: Apache-2.0
// Hides an installed CUDA toolkit, so that an answer does not depend on what a machine has.
#pragma once

#include <llvm/Support/VirtualFileSystem.h>

namespace ambidex {

/// `files` without the vendor's headers in the folders where compilers look by themselves. A header
/// that ours lack is then unknown everywhere, and reported. Folders of -I are the user's choice.
llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> without_toolkit(
    llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> files);

}  // namespace ambidex
