// SPDX-License-Identifier: Apache-2.0
// What a source may have the compiler read. Sources come from anyone, and what they read may come
// out again: in messages, in what a program prints, in a report.
#pragma once

#include <llvm/Support/VirtualFileSystem.h>

#include <string>
#include <vector>

namespace ambidex {

/// `files` as far as they are below the source's folder or one of `folders` (of -I, of the
/// system's headers), links resolved; headers, by their names, also below the folder that is three
/// above the source's, and where a link below one of those folders leads. Another file is there and
/// cannot be opened, and its error says why. No FIFOs or devices.
llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> readable_files(
    llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> files, const std::string& source,
    const std::vector<std::string>& folders);

}  // namespace ambidex
