// SPDX-License-Identifier: Apache-2.0
#include "frontend/system_headers.h"

#include <llvm/ADT/StringMap.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/Path.h>

namespace ambidex {
namespace {

constexpr size_t kNoticeBytes = 8192;  // a header's notice of copyright is at its top

bool is_notice(llvm::StringRef line) {
  return line.contains_insensitive("copyright") && line.contains_insensitive("nvidia");
}

bool is_system(llvm::StringRef path) {
  return path.starts_with("/usr/include/") || path.starts_with("/usr/local/include/");
}

// Folders of which many a file has no notice.
bool is_in_toolkit_folder(llvm::StringRef path) {
  for (const char* folder :
       {"/include/cuda/", "/include/cccl/", "/include/cub/", "/include/thrust/", "/include/nv/"}) {
    if (path.contains(folder)) return true;
  }
  return false;
}

// By the notice of copyright, not by the name: a list of names ages with each toolkit.
class WithoutToolkit : public llvm::vfs::ProxyFileSystem {
 public:
  using ProxyFileSystem::ProxyFileSystem;
  llvm::ErrorOr<llvm::vfs::Status> status(const llvm::Twine& path) override {
    if (is_hidden(path)) return std::make_error_code(std::errc::no_such_file_or_directory);
    return ProxyFileSystem::status(path);
  }
  llvm::ErrorOr<std::unique_ptr<llvm::vfs::File>> openFileForRead(
      const llvm::Twine& path) override {
    if (is_hidden(path)) return std::make_error_code(std::errc::no_such_file_or_directory);
    return ProxyFileSystem::openFileForRead(path);
  }

 private:
  bool is_hidden(const llvm::Twine& path) {
    llvm::SmallString<256> name;
    path.toVector(name);
    llvm::sys::path::remove_dots(name, true);
    if (!is_system(name)) return false;
    const auto [known, is_new] = hidden_.try_emplace(name, false);
    if (is_new) known->second = is_in_toolkit_folder(name) || has_notice(name);
    return known->second;
  }

  bool has_notice(llvm::StringRef path) {
    const auto file = ProxyFileSystem::openFileForRead(path);
    if (!file) return false;
    const auto status = (*file)->status();
    if (!status || !status->isRegularFile()) return false;
    const auto buffer = (*file)->getBuffer(path);
    if (!buffer) return false;
    llvm::StringRef rest = (*buffer)->getBuffer().take_front(kNoticeBytes);
    while (!rest.empty()) {
      const auto [line, after] = rest.split('\n');
      if (is_notice(line)) return true;
      rest = after;
    }
    return false;
  }

  llvm::StringMap<bool> hidden_;
};

}  // namespace

llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> without_toolkit(
    llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> files) {
  return llvm::makeIntrusiveRefCnt<WithoutToolkit>(std::move(files));
}

}  // namespace ambidex
