// SPDX-License-Identifier: Apache-2.0
#include "data/transform.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "ambidex/base.h"

namespace ambidex {
namespace {

double fact_of(const std::map<std::string, double>& facts, const DenseFeature& feature,
               std::string_view what) {
  const auto found = facts.find(feature.name);
  if (found != facts.end()) return found->second;
  throw Error(ErrorKind::bad_input,
              fmt::format("the data's statistics have no {} of dense feature {}; take those of the "
                          "run that trained this model, or none",
                          what, feature.name));
}

float plain_log(double value) { return static_cast<float>(std::log(std::max(value, 0.0) + 1)); }

double squared_log(double value) {
  if (!(value > 2)) return value;
  const double log = std::log(value);
  return std::floor(log * log);
}

}  // namespace

DenseRule dense_rule(const DenseFeature& feature, const DataStatistics& statistics,
                     bool is_collecting) {
  DenseRule rule{.transform = feature.transform};
  if (is_collecting) return rule;
  if (feature.transform == DenseTransform::standard) {
    rule.shift = fact_of(statistics.means, feature, "mean");
    rule.scale = fact_of(statistics.deviations, feature, "deviation");
    if (!(rule.scale > 0)) rule.scale = 1;  // a constant: 0 for all
  } else if (feature.transform == DenseTransform::log_shifted) {
    rule.shift = fact_of(statistics.minimums, feature, "minimum");
  }
  return rule;
}

float transformed(const DenseRule& rule, double value) {
  switch (rule.transform) {
    case DenseTransform::log:
      return plain_log(value);
    case DenseTransform::none:
      return static_cast<float>(value);
    case DenseTransform::standard:
      return static_cast<float>((value - rule.shift) / rule.scale);
    case DenseTransform::log_shifted:  // other data may go below the minimum
      return static_cast<float>(std::log(std::max(value - rule.shift + 2, 1.0)));
    case DenseTransform::log_squared:
      return static_cast<float>(squared_log(value));
  }
  check(false, "every transform has a formula");
  return 0;
}

const float* small_logs() {
  static const std::vector<float> logs = [] {
    std::vector<float> values(kNumSmallLogs);
    for (int64_t i = 0; i < kNumSmallLogs; ++i) {
      values[static_cast<size_t>(i)] = plain_log(static_cast<double>(i));
    }
    return values;
  }();
  return logs.data();
}

}  // namespace ambidex
