// SPDX-License-Identifier: Apache-2.0
// The host's half of a module: its constructors, its main, and what it asks of the C library that
// must not end this process.
#pragma once

#include <string>
#include <vector>

#include "runner/module.h"

namespace ambidex::runner {

/// Constructors of the sources in their order, then `function` (empty: main), then what atexit and
/// destructors have registered. Returns main's value, or that of exit.
///   throws Error(not_found) if the module has no such function
int run_program(const Module& module, const std::string& function,
                const std::vector<std::string>& arguments);

/// Constructors alone, for a launch of one kernel: they register kernels and variables.
void run_constructors(const Module& module);

}  // namespace ambidex::runner
