// SPDX-License-Identifier: Apache-2.0
#include "frontend/readable_files.h"

#include <llvm/ADT/StringMap.h>
#include <llvm/ADT/StringSet.h>
#include <llvm/Support/Path.h>

#include <system_error>

namespace ambidex {
namespace {

namespace path = llvm::sys::path;

// Clang shows the message of a code that it does not know.
class Refusal : public std::error_category {
 public:
  const char* name() const noexcept override { return "ambidex"; }
  std::string message(int) const override {
    return "it is not read, for it is outside of the source's folder, of those of -I and of the "
           "system's headers; name its folder with -I";
  }
};

std::error_code refused() {
  static const Refusal kRefusal;
  return {1, kRefusal};
}

bool is_header_name(llvm::StringRef name) {
  static const llvm::StringSet<> kExtensions{".c",   ".cc",  ".cpp", ".cu",  ".cuh", ".cxx",
                                             ".def", ".h",   ".hh",  ".hip", ".hpp", ".hxx",
                                             ".inc", ".inl", ".ipp", ".tpp"};
  return kExtensions.contains(path::extension(name));
}

bool is_below(llvm::StringRef name, llvm::StringRef folder) {
  return name.consume_front(folder) && (name.empty() || name.front() == '/' || folder == "/");
}

// Three above, but not the root of all files.
llvm::StringRef neighbourhood_of(llvm::StringRef folder) {
  for (int i = 0; i < 3; ++i) {
    const llvm::StringRef above = path::parent_path(folder);
    if (above.empty() || above == "/") break;
    folder = above;
  }
  return folder;
}

class ReadableFiles : public llvm::vfs::ProxyFileSystem {
 public:
  ReadableFiles(llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> files, const std::string& source,
                const std::vector<std::string>& folders)
      : ProxyFileSystem(std::move(files)), source_(absolute(source)) {
    const std::string beside = path::parent_path(source_).str();
    add_folder(beside);
    add_folder(path::parent_path(real(source_)).str());
    neighbourhood_ = neighbourhood_of(real(beside)).str();
    for (const std::string& folder : folders) add_folder(absolute(folder));
  }

  llvm::ErrorOr<llvm::vfs::Status> status(const llvm::Twine& name) override {
    auto found = ProxyFileSystem::status(name);
    if (found && !may_read(name, *found)) return refused();
    return found;
  }
  llvm::ErrorOr<std::unique_ptr<llvm::vfs::File>> openFileForRead(
      const llvm::Twine& name) override {
    const auto found = ProxyFileSystem::status(name);
    if (found && !may_read(name, *found)) return refused();
    return ProxyFileSystem::openFileForRead(name);
  }

 private:
  std::string absolute(const llvm::Twine& name) {
    llvm::SmallString<256> whole;
    name.toVector(whole);
    if (makeAbsolute(whole)) return {};
    path::remove_dots(whole, true);
    return whole.str().str();
  }

  // With links resolved; as it is, where there is no such thing.
  std::string real(const llvm::Twine& name) {
    llvm::SmallString<256> resolved;
    if (getRealPath(name, resolved)) return name.str();
    return resolved.str().str();
  }

  void add_folder(const std::string& folder) {
    if (folder.empty()) return;
    folders_.push_back(folder);
    folders_.push_back(real(folder));
  }

  bool is_in_folders(llvm::StringRef name) const {
    return llvm::any_of(folders_, [&](const std::string& f) { return is_below(name, f); });
  }

  bool may_read(const llvm::Twine& name, const llvm::vfs::Status& found) {
    if (found.isDirectory()) return true;
    if (!found.isRegularFile()) return false;
    const std::string asked = name.str();
    const auto [known, is_new] = allowed_.try_emplace(asked, false);
    if (is_new) known->second = is_allowed(asked);
    return known->second;
  }

  bool is_allowed(const std::string& name) {
    const std::string lexical = absolute(name);
    if (lexical == source_) return true;
    const std::string resolved = real(name);
    if (is_in_folders(resolved)) return true;
    return is_header_name(resolved) &&
           (is_in_folders(lexical) || is_below(resolved, neighbourhood_));
  }

  std::string source_, neighbourhood_;
  std::vector<std::string> folders_;
  llvm::StringMap<bool> allowed_;
};

}  // namespace

llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> readable_files(
    llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> files, const std::string& source,
    const std::vector<std::string>& folders) {
  return llvm::makeIntrusiveRefCnt<ReadableFiles>(std::move(files), source, folders);
}

}  // namespace ambidex
