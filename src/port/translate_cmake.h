// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "port/build_edits.h"

namespace ambidex {

/// Edits of a CMakeLists.txt or *.cmake file of CUDA to one of CMake's language HIP (3.21).
///   rename   "x.cu" in it becomes "x.hip"
BuildDraft translate_cmake(std::string_view text, bool rename);

}  // namespace ambidex
