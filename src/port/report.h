// SPDX-License-Identifier: Apache-2.0
// What `port run` tells people: REPORT.md.
#pragma once

#include <string>

#include "port/run.h"

namespace ambidex {

/// Markdown: verdicts first, then what each stage found, then what was not verified and how to
/// repeat the run from the folder alone.
std::string port_report(const PortRun& run, const PortRunOptions& options);

}  // namespace ambidex
