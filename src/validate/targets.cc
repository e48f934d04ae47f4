// SPDX-License-Identifier: Apache-2.0
// The bounds that docs/validation.md lists.
#include <fmt/format.h>

#include <limits>

#include "ambidex/validate.h"

namespace ambidex {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

ValidationTarget at_least(std::string key, double low) {
  return {std::move(key), low, kInfinity, fmt::format(">= {:.3g}", low)};
}

ValidationTarget at_most(std::string key, double high) {
  return {std::move(key), -kInfinity, high, fmt::format("<= {:.3g}", high)};
}

std::vector<ValidationTarget> triton_targets() {
  return {at_least("geomean_efficiency", 0.97),  at_least("p10_efficiency", 0.92),
          at_least("min_efficiency", 0.80),      at_least("top3_geomean_efficiency", 0.99),
          at_most("median_abs_log_error", 0.10), at_most("best_median_abs_log_error", 0.08),
          at_least("with_library_geomean", 0.98)};
}

std::vector<ValidationTarget> tensile_targets(const ValidationReport& report) {
  std::vector<ValidationTarget> targets{at_most("best_median_abs_log_error", 0.06),
                                        at_least("class_kendall_tau", 0.6),
                                        at_most("class_median_abs_log_error", 0.08)};
  if (report.num_excluded_rows > 0) {
    targets.push_back(at_least("geomean_efficiency", 0.95));
  } else if (report.all.baseline.constant_pick_geomean) {
    ValidationTarget target =
        at_least("geomean_efficiency", *report.all.baseline.constant_pick_geomean);
    target.text = ">= constant";
    targets.push_back(std::move(target));
  }
  return targets;
}

}  // namespace

std::vector<ValidationTarget> targets_of(const ValidationReport& report) {
  const std::string& id = report.device.id;
  std::vector<ValidationTarget> targets;
  if (report.format == MeasurementFormat::triton && id == "h200") {
    targets = triton_targets();
  } else if (report.format == MeasurementFormat::tensile && id == "mi350x") {
    targets = tensile_targets(report);
  } else if (report.format == MeasurementFormat::library && id == "h200") {
    targets = {at_most("median_abs_log_error", 0.12)};
  } else if (report.format == MeasurementFormat::best_known && id == "mi308x") {
    targets = {at_most("median_abs_log_error", 0.20)};
  }
  if (!targets.empty()) targets.push_back({"coverage_80", 0.70, 0.90, "0.7 to 0.9"});
  return targets;
}

}  // namespace ambidex
