// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "port/run.h"

namespace ambidex {

/// Of REPORT.md: which folder is the port, how to build it, what each file is, and what to do with
/// kernels that did not pass.
std::string next_section(const PortRun& run, const PortRunOptions& options);

}  // namespace ambidex
