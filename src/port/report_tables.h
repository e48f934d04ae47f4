// SPDX-License-Identifier: Apache-2.0
// The parts of REPORT.md, as Markdown.
#pragma once

#include <string>

#include "port/run.h"

namespace ambidex {

/// `text` in a cell of a table.
std::string in_cell(std::string text);

/// What became of each kernel, and what the words in it mean.
std::string verdict_section(const PortRun& run);

/// Hazards that the scan has found and what the port did about each.
std::string hazard_section(const PortRun& run);

std::string edit_section(const TranslatedTree& tree);

std::string resource_section(const PortRun& run);

/// Predicted times of tier A and of native bodies; "" if none was asked for.
std::string native_section(const PortRun& run);

}  // namespace ambidex
