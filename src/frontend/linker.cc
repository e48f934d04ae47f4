// SPDX-License-Identifier: Apache-2.0
#include "frontend/linker.h"

#include <fmt/format.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/Program.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <optional>

#include "ambidex/base.h"

namespace ambidex {
namespace {

namespace fs = std::filesystem;

// The linker replaces every "%" in the name of its output: it is given one without, in the folder
// that it runs in.
struct WithinFolder {
  explicit WithinFolder(const fs::path& folder) : before(fs::current_path()) {
    fs::current_path(folder);
  }
  WithinFolder(const WithinFolder&) = delete;
  WithinFolder& operator=(const WithinFolder&) = delete;
  ~WithinFolder() {
    std::error_code ignored;
    fs::current_path(before, ignored);
  }
  fs::path before;
};

}  // namespace

void link_objects(const std::vector<std::string>& options, const std::vector<std::string>& objects,
                  const std::string& path, const std::string& what) {
  const auto linker = llvm::sys::findProgramByName("ld.lld", {AMBIDEX_LLVM_BIN});
  if (!linker) {
    throw Error(ErrorKind::unsupported,
                fmt::format("no ld.lld of LLVM 22, which links {}; install lld-22", what));
  }
  const fs::path target = fs::absolute(path);
  std::vector<std::string> words{*linker};
  words.insert(words.end(), options.begin(), options.end());
  for (const std::string& object : objects) words.push_back(fs::absolute(object).string());
  const std::string draft = fmt::format("ambidex-{}.linked", getpid()), log = draft + ".log";
  words.insert(words.end(), {"-o", draft});
  const WithinFolder within(target.parent_path());
  const std::array<std::optional<llvm::StringRef>, 3> streams{llvm::StringRef(""), log, log};
  const int exit_status = llvm::sys::ExecuteAndWait(
      *linker, std::vector<llvm::StringRef>(words.begin(), words.end()), std::nullopt, streams);
  std::string text;
  if (auto buffer = llvm::MemoryBuffer::getFile(log)) text = (*buffer)->getBuffer().str();
  llvm::sys::fs::remove(log);
  if (exit_status != 0) {
    throw Error(ErrorKind::bad_input, fmt::format("linking {}: {}", what, text));
  }
  fs::rename(draft, target);
}

}  // namespace ambidex
