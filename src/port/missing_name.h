// SPDX-License-Identifier: Apache-2.0
// Tells a name that the tool's own headers lack from one that a program got wrong.
#pragma once

#include <string>

namespace ambidex {

/// The compiler's message; if it misses a name of CUDA's or HIP's (`unknown type name
/// 'hipPitchedPtr'`), with the remark that the headers of this tool lack it.
std::string with_missing_name(const std::string& message);

}  // namespace ambidex
