// SPDX-License-Identifier: Apache-2.0
// Whether what a user has named is a source that can be read, asked once, where it enters.
#pragma once

#include <cstdint>
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

/// Why these bytes are not the text of a source: "is UTF-16 text; ..."; empty if they may be. That
/// is told by byte order marks and NUL bytes: comments may be in any other encoding.
std::string why_no_source(std::string_view bytes);

/// The file, or all files, folders and links below the folder, as they are, in place of what is not
/// there yet. FIFOs and devices stay behind: they are no sources.
///   throws Error(bad_input)
void copy_sources(const std::string& from, const std::string& to);

}  // namespace ambidex
