// SPDX-License-Identifier: Apache-2.0
// What a folder holds, as hashes: to tell later what has changed in it.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>

namespace ambidex {

/// SHA-256 of every file by its name within a folder, "hip/sum.hip".
using FileHashes = std::map<std::string, std::string>;

/// Of a link it is that of where it leads to, so that nothing outside of the folder is read. What
/// is neither file, link nor folder has an empty one.
///   wanted  of a name: whether it, and of a folder all in it, is looked at
///   throws Error(bad_input) if a file cannot be read
FileHashes file_hashes(const std::filesystem::path& folder,
                       const std::function<bool(const std::string& name)>& wanted);

}  // namespace ambidex
