// SPDX-License-Identifier: Apache-2.0
// Whether what a user has named is a source that can be read, asked once, where it enters.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace ambidex {

inline constexpr int64_t kMaxSourceBytes = int64_t{64} << 20;  // larger files are data

/// Whether `path` is a folder, else it is a regular file.
///   throws Error(not_found) if there is no such thing, and Error(bad_input) if it is neither, for
///   a FIFO or a device would be waited for
bool is_source_folder(const std::string& path);

/// throws Error(not_found) if there is no such file, and Error(bad_input) if it is no regular file,
/// cannot be read, is too large, or is no text
void check_source(const std::string& path);

/// Whether a source says that it is CUDA, by what it includes, or else by its name; one for both
/// says nothing.
bool is_cuda_source(const std::string& path);
/// The same of HIP.
bool is_hip_source(const std::string& path);

/// Why these bytes are not the text of a source: "is UTF-16 text; ..."; empty if they may be. That
/// is told by byte order marks and NUL bytes: comments may be in any other encoding.
std::string why_no_source(std::string_view bytes);

/// A file that tells a folder of `port run`, complete or not.
inline constexpr const char* kPortMarker = ".ambidex-port";

/// Whether `path` is such a folder. What walks through a tree of sources leaves those in it alone:
/// they hold copies.
bool is_port_folder(const std::filesystem::path& path);

/// The one spelling of a path, absolute and with links resolved, by which places in files are told
/// apart: stages name the same file in several ways.
std::string plain_path(const std::string& path);

/// Whether `path` is `folder` or in it, links resolved as far as there is something.
bool is_below(const std::filesystem::path& path, const std::filesystem::path& folder);

/// The file, or all files, folders and links below the folder, as they are, in place of what is not
/// there yet. FIFOs and devices stay behind, for they are no sources, and folders of ports.
///   throws Error(bad_input)
void copy_sources(const std::string& from, const std::string& to);

}  // namespace ambidex
