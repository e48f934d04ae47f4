// SPDX-License-Identifier: Apache-2.0
// Where the ticks of an axis are, and what they say.
#pragma once

#include <string>
#include <vector>

namespace ambidex {

/// 1, 2 or 5 times a power of ten, so that about five steps make `span` (> 0).
double tick_step(double span);

/// Multiples of tick_step from `low` to `high`.
std::vector<double> linear_ticks(double low, double high);

/// 1, 2 and 5 of each decade; the decades alone where that would be a thicket. 0 < low < high.
std::vector<double> log_ticks(double low, double high);

/// As many decimals as `step` has; thousands are set apart.
std::string linear_tick_text(double tick, double step);
std::string log_tick_text(double tick);

}  // namespace ambidex
