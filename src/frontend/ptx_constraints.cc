// SPDX-License-Identifier: Apache-2.0
#include "frontend/ptx_constraints.h"

#include <llvm/Support/MemoryBuffer.h>

#include "frontend/ptx.h"

namespace ambidex {
namespace {

class HostFile : public llvm::vfs::File {
 public:
  HostFile(std::unique_ptr<llvm::vfs::File> file, std::string text)
      : file_(std::move(file)), text_(std::move(text)) {}
  llvm::ErrorOr<llvm::vfs::Status> status() override { return file_->status(); }
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> getBuffer(const llvm::Twine& name, int64_t,
                                                               bool, bool) override {
    return llvm::MemoryBuffer::getMemBufferCopy(text_, name);
  }
  std::error_code close() override { return file_->close(); }

 private:
  std::unique_ptr<llvm::vfs::File> file_;
  std::string text_;
};

class HostFiles : public llvm::vfs::ProxyFileSystem {
 public:
  using ProxyFileSystem::ProxyFileSystem;
  llvm::ErrorOr<std::unique_ptr<llvm::vfs::File>> openFileForRead(
      const llvm::Twine& path) override {
    auto file = ProxyFileSystem::openFileForRead(path);
    if (!file) return file;
    const auto buffer = (*file)->getBuffer(path);
    if (!buffer || !(*buffer)->getBuffer().contains("asm")) {
      return ProxyFileSystem::openFileForRead(path);
    }
    const llvm::StringRef text = (*buffer)->getBuffer();
    return std::make_unique<HostFile>(
        std::move(*file), with_host_constraints(std::string_view(text.data(), text.size())));
  }
};

}  // namespace

llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> host_constraint_files(
    llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> files) {
  return llvm::makeIntrusiveRefCnt<HostFiles>(std::move(files));
}

}  // namespace ambidex
