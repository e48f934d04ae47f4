// SPDX-License-Identifier: Apache-2.0
#include "report/axis.h"

#include <fmt/format.h>

#include <cmath>

#include "report/html.h"

namespace ambidex {

double tick_step(double span) {
  const double raw = span / 5;
  const double power = std::pow(10.0, std::floor(std::log10(raw)));
  for (const double digit : {1.0, 2.0, 5.0}) {
    if (raw <= digit * power) return digit * power;
  }
  return 10 * power;
}

std::vector<double> linear_ticks(double low, double high) {
  const double step = tick_step(high - low);
  std::vector<double> ticks;
  const double first = std::ceil(low / step - 1e-6);
  for (int i = 0; (first + i) * step <= high + step * 1e-6 && i < 20; ++i) {
    ticks.push_back((first + i) * step);
  }
  return ticks;
}

std::vector<double> log_ticks(double low, double high) {
  const bool is_wide = high / low > 2e4;
  std::vector<double> ticks;
  const int first = static_cast<int>(std::floor(std::log10(low)));
  const int last = static_cast<int>(std::ceil(std::log10(high)));
  for (int decade = first; decade <= last; ++decade) {
    for (const double digit : {1.0, 2.0, 5.0}) {
      const double tick = digit * std::pow(10.0, decade);
      const bool is_inside = tick >= low * 0.999 && tick <= high * 1.001;
      if (is_inside && (digit == 1 || !is_wide)) ticks.push_back(tick);
    }
  }
  return ticks;
}

std::string linear_tick_text(double tick, double step) {
  if (std::abs(tick) < step * 1e-6) return "0";
  const bool is_plain = std::abs(tick) < 1e12 && step >= 1e-6;
  if (!is_plain) return fmt::format("{:g}", tick);
  if (step >= 1) return with_commas(std::llround(tick));
  return fmt::format("{:.{}f}", tick, static_cast<int>(std::ceil(-std::log10(step) - 1e-9)));
}

std::string log_tick_text(double tick) {
  return tick >= 1e6 || tick < 1e-4 ? fmt::format("{:.0e}", tick) : fmt::format("{:g}", tick);
}

}  // namespace ambidex
