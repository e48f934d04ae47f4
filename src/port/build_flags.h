// SPDX-License-Identifier: Apache-2.0
// N12: fast-math flags of nvcc and clang in the files that build a program.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ambidex/port.h"

namespace ambidex {

/// CMakeLists.txt, *.cmake, Makefile, *.mk, setup.py, BUILD, *.bzl, meson.build.
bool is_build_file(std::string_view path);

/// One finding for each flag on a line, comments left out.
std::vector<Finding> scan_build_file(const std::string& path, std::string_view text);

}  // namespace ambidex
