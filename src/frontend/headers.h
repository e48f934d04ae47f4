// SPDX-License-Identifier: Apache-2.0
// The headers of data/cuda and data/hip, compiled into ambidex-clang.
#pragma once

#include <span>
#include <string_view>

#include "base/embedded.h"

namespace ambidex {

std::span<const EmbeddedFile> embedded_headers();

/// The folder that they are found in; none such is on a disk.
inline constexpr const char* kHeaderRoot = "/ambidex/";
inline bool is_header_of_ours(std::string_view path) { return path.starts_with(kHeaderRoot); }

}  // namespace ambidex
