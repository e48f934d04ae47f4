// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "ambidex/port.h"

namespace ambidex {

/// Findings of a scan as a SARIF document, with the page of every hazard of the catalogue.
std::string sarif_of(const std::vector<Finding>& findings);

}  // namespace ambidex
