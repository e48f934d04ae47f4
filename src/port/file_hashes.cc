// SPDX-License-Identifier: Apache-2.0
#include "port/file_hashes.h"

#include "base/files.h"
#include "port/sha256.h"

namespace ambidex {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kMaxFileBytes = int64_t{1} << 30;

std::string hash_of(const fs::directory_entry& entry) {
  if (entry.is_symlink()) return sha256("link to " + fs::read_symlink(entry.path()).string());
  return entry.is_regular_file() ? sha256(read_file(entry.path().string(), kMaxFileBytes)) : "";
}

}  // namespace

FileHashes file_hashes(const fs::path& folder,
                       const std::function<bool(const std::string& name)>& wanted) {
  FileHashes hashes;
  for (auto entry = fs::recursive_directory_iterator(folder);
       entry != fs::recursive_directory_iterator(); ++entry) {
    const std::string name = entry->path().lexically_relative(folder).generic_string();
    const bool is_folder = !entry->is_symlink() && entry->is_directory();
    if (!wanted(name)) {
      if (is_folder) entry.disable_recursion_pending();
    } else if (!is_folder) {
      hashes[name] = hash_of(*entry);
    }
  }
  return hashes;
}

}  // namespace ambidex
