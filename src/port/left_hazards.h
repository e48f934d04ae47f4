// SPDX-License-Identifier: Apache-2.0
// Hazards that a port may have kept and that no run in the executor shows: a verdict says nothing
// of them, so they are told beside it.
#pragma once

#include <string>
#include <vector>

#include "port/run.h"

namespace ambidex {

/// Findings of severity S0 or S1 in the original whose line no rule has edited or refused, and
/// which the executor cannot see. In order of the scan.
std::vector<Finding> left_hazards(const ScanResult& scan, const TranslatedTree& tree);

/// "left in the port: S08 at original/a.cu:21, not visible to the executor", a line each; "" if
/// there are none.
std::string left_text(const PortRun& run);

}  // namespace ambidex
