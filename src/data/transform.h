// SPDX-License-Identifier: Apache-2.0
// From a number of a file to the number that a tower sees. Logarithms are those of std::log in
// double, rounded once, so that the table of small integers changes no bit.
#pragma once

#include <cstdint>

#include "ambidex/data.h"
#include "ambidex/model.h"

namespace ambidex {

/// One feature's transform with the constants that it needs.
struct DenseRule {
  DenseTransform transform = DenseTransform::log;
  double shift = 0;  // standard: mean; log_shifted: minimum
  double scale = 1;  // standard: deviation
};

/// What `feature` needs of `statistics`. Absent facts stay at their defaults if `is_collecting`.
///   throws Error(bad_input)
DenseRule dense_rule(const DenseFeature& feature, const DataStatistics& statistics,
                     bool is_collecting);

float transformed(const DenseRule& rule, double value);

inline constexpr int64_t kNumSmallLogs = 1 << 14;
/// [kNumSmallLogs] log(i + 1)
const float* small_logs();

/// The same as `transformed` of an integer, faster for small ones.
inline float transformed_integer(const DenseRule& rule, int64_t value, const float* logs) {
  if (rule.transform == DenseTransform::log && value < kNumSmallLogs) {
    return logs[value < 0 ? 0 : value];
  }
  return transformed(rule, static_cast<double>(value));
}

}  // namespace ambidex
