// SPDX-License-Identifier: Apache-2.0
// What a model may know of a failure: where and how it shows in the program's own launches; of
// launches that were changed to try it, only that one failed. No tolerances, sizes, seeds, or
// values of the original.
#pragma once

#include <string>

#include "port/compile.h"
#include "port/verify.h"

namespace ambidex::repair {

/// The first failure of a kernel, one line.
std::string shown_failure(const KernelReport& report);

/// "message (file:line, arch)" of the first error.
std::string first_compile_error(const CompiledSource& compiled);

}  // namespace ambidex::repair
