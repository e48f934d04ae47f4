// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <utility>

#include "ambidex/validate.h"
#include "validate/predict.h"

namespace ambidex {
namespace {

/// A library shows one time and no candidates: there is nothing to choose or to rank.
ValidationMetrics without_choice(ValidationMetrics metrics) {
  metrics.choice = {};
  metrics.baseline = {};
  metrics.doubt.choice_coverage_80.reset();
  metrics.time.kendall_tau.reset();
  metrics.time.class_kendall_tau.reset();
  metrics.time.class_median_abs_log_error.reset();
  return metrics;
}

void add_library_if_known(ValidationReport& report, const Measurements& library) {
  try {
    add_library(report.device, library, report.trials);
  } catch (const Error& error) {
    if (error.kind != ErrorKind::unsupported) throw;
    report.notes.push_back(fmt::format("the library is left out: {}", error.what()));
  }
}

void summarize(ValidationReport& report) {
  const bool has_choice = template_of(report.format) != KernelTemplate::library;
  const auto summary = [&](std::span<const ShapeTrial> trials, std::optional<Regime> regime) {
    const ValidationMetrics metrics = metrics_of(trials, regime);
    return has_choice ? metrics : without_choice(metrics);
  };
  report.all = summary(report.trials, std::nullopt);
  for (int i = 0; i < kNumRegimes; ++i) {
    report.regimes[static_cast<size_t>(i)] = summary(report.trials, static_cast<Regime>(i));
  }
}

void add_libraries(ValidationReport& report, const Measurements& measured) {
  std::map<int32_t, std::vector<ShapeTrial>> trials;
  for (const ShapeTrial& trial : report.trials) {
    trials[trial.candidates.front().config].push_back(trial);
  }
  for (const auto& [config, own] : trials) {
    const std::string& name = measured.configs[static_cast<size_t>(config)].identity;
    report.libraries[name] = without_choice(metrics_of(own));
  }
}

}  // namespace

ValidationReport validate_gemm(const Device& device, const Measurements& measured,
                               const Measurements* library) {
  ValidationReport report{.format = measured.format,
                          .device = device,
                          .num_skipped_rows = measured.num_skipped_rows,
                          .num_excluded_rows = measured.num_excluded_rows};
  if (!measured.shapes.empty()) {  // else no model needs to exist
    const KernelTemplate kernel_template = template_of(measured.format);
    report.trials = kernel_template == KernelTemplate::library
                        ? library_trials(device, measured, report.notes)
                        : template_trials(make_gemm_model(device, kernel_template), measured);
    if (library != nullptr) add_library_if_known(report, *library);
  }
  summarize(report);
  if (measured.format == MeasurementFormat::best_known) add_libraries(report, measured);
  return report;
}

}  // namespace ambidex
