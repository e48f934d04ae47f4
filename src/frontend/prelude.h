// SPDX-License-Identifier: Apache-2.0
// The headers that most CUDA sources include, parsed once for all files of a scan.
#pragma once

#include <string>
#include <vector>

namespace ambidex {

/// A precompiled header for Unit::prelude, for units with these arguments: cuda_runtime.h and the
/// standard library, without bodies of functions. "" if clang cannot make it with them.
std::string precompiled_prelude(const std::vector<std::string>& arguments);

}  // namespace ambidex
