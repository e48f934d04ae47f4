// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>
#include <utility>

#include "ambidex/validate.h"

namespace ambidex {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kOff = 0.95;  // efficiency of a pick that is 5 % off

std::optional<double> mean(const std::vector<double>& values) {
  if (values.empty()) return std::nullopt;
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

std::optional<double> geometric_mean(const std::vector<double>& ratios) {
  std::vector<double> logs;
  logs.reserve(ratios.size());
  for (const double ratio : ratios) logs.push_back(std::log(ratio));
  const std::optional<double> log_mean = mean(logs);
  return log_mean ? std::optional(std::exp(*log_mean)) : std::nullopt;
}

double abs_log_error(double predicted, double measured) {
  return std::abs(std::log(predicted / measured));
}

/// Of one member of a class, and then of its best member.
struct ClassTimes {
  int32_t tile_class = 0;
  double measured_seconds = kInfinity;
  double predicted_seconds = kInfinity;
};

std::vector<ClassTimes> class_times(const ShapeTrial& trial) {
  std::vector<ClassTimes> classes;
  for (const Candidate& candidate : trial.candidates) {
    const auto same = [&](const ClassTimes& it) { return it.tile_class == candidate.tile_class; };
    auto found = std::find_if(classes.begin(), classes.end(), same);
    if (found == classes.end()) {
      found = classes.insert(found, {.tile_class = candidate.tile_class});
    }
    found->measured_seconds = std::min(found->measured_seconds, candidate.measured_seconds);
    found->predicted_seconds = std::min(found->predicted_seconds, candidate.predicted_seconds);
  }
  return classes;
}

template <class Times>
std::optional<double> tau_of(const std::vector<Times>& rows) {
  std::vector<double> predicted;
  std::vector<double> measured;
  for (const Times& row : rows) {
    predicted.push_back(row.predicted_seconds);
    measured.push_back(row.measured_seconds);
  }
  return kendall_tau(predicted, measured);
}

/// The numbers of every shape in a row, waiting to be averaged.
struct Samples {
  std::vector<double> efficiency, top3, constant, random;
  std::vector<double> with_library, always_library, never_library;
  std::vector<double> errors, best_errors, class_errors, tau, class_tau;
  std::vector<double> covered, choice_covered, abstained, selection_seconds;
  int64_t num_without_choice = 0;
};

void append(std::vector<double>& values, const std::optional<double>& value) {
  if (value) values.push_back(*value);
}

void add_times(const ShapeTrial& trial, Samples& samples) {
  const Candidate& best = trial.candidates[best_of(trial)];
  double sum_of_logs = 0;
  for (const Candidate& candidate : trial.candidates) {
    sum_of_logs += std::log(best.measured_seconds / candidate.measured_seconds);
    if (candidate.predicted_seconds == kInfinity) continue;
    const double error = abs_log_error(candidate.predicted_seconds, candidate.measured_seconds);
    samples.errors.push_back(error);
    if (&candidate == &best) samples.best_errors.push_back(error);
  }
  samples.random.push_back(std::exp(sum_of_logs / static_cast<double>(trial.candidates.size())));
  append(samples.tau, tau_of(trial.candidates));
  const std::vector<ClassTimes> classes = class_times(trial);
  append(samples.class_tau, tau_of(classes));
  for (const ClassTimes& row : classes) {
    if (row.predicted_seconds == kInfinity) continue;
    samples.class_errors.push_back(abs_log_error(row.predicted_seconds, row.measured_seconds));
  }
}

/// Fastest of the three that are predicted fastest.
double top3_seconds(const ShapeTrial& trial) {
  std::vector<std::pair<double, double>> ranked;
  for (const Candidate& candidate : trial.candidates) {
    if (candidate.predicted_seconds == kInfinity) continue;
    ranked.emplace_back(candidate.predicted_seconds, candidate.measured_seconds);
  }
  const auto by_prediction = [](const auto& a, const auto& b) { return a.first < b.first; };
  std::stable_sort(ranked.begin(), ranked.end(), by_prediction);
  ranked.resize(std::min<size_t>(ranked.size(), 3));
  double seconds = kInfinity;
  for (const auto& [predicted, measured] : ranked) seconds = std::min(seconds, measured);
  return seconds;
}

void add_choice(const ShapeTrial& trial, Samples& samples) {
  append(samples.constant, trial.constant_efficiency);
  append(samples.selection_seconds, trial.selection_seconds);
  if (trial.abstained) samples.abstained.push_back(*trial.abstained ? 1 : 0);
  const std::optional<size_t> choice = choice_of(trial);
  if (!choice) {
    ++samples.num_without_choice;
    return;
  }
  const double best = trial.candidates[best_of(trial)].measured_seconds;
  const Candidate& chosen = trial.candidates[*choice];
  samples.efficiency.push_back(best / chosen.measured_seconds);
  samples.top3.push_back(best / top3_seconds(trial));
  if (trial.choice) {
    const auto inside = [&](double seconds) {
      return trial.choice->low_seconds <= seconds && seconds <= trial.choice->high_seconds;
    };
    samples.covered.push_back(inside(best) ? 1 : 0);
    samples.choice_covered.push_back(inside(chosen.measured_seconds) ? 1 : 0);
  }
  if (!trial.library) return;
  const auto& [measured, predicted] = *trial.library;
  const double better = std::min(best, measured);
  const bool takes_library = predicted < chosen.predicted_seconds;
  samples.with_library.push_back(better / (takes_library ? measured : chosen.measured_seconds));
  samples.always_library.push_back(better / measured);
  samples.never_library.push_back(better / chosen.measured_seconds);
}

int64_t num_configurations(std::span<const ShapeTrial> trials, std::optional<Regime> regime) {
  std::set<int32_t> configs;
  for (const ShapeTrial& trial : trials) {
    if (regime && trial.regime != *regime) continue;
    for (const Candidate& candidate : trial.candidates) configs.insert(candidate.config);
  }
  return static_cast<int64_t>(configs.size());
}

ChoiceMetrics choice_metrics(const Samples& samples) {
  ChoiceMetrics out;
  out.geomean_efficiency = geometric_mean(samples.efficiency);
  out.p10_efficiency = quantile(samples.efficiency, 0.1);
  out.min_efficiency = quantile(samples.efficiency, 0);
  out.top3_geomean_efficiency = geometric_mean(samples.top3);
  out.num_over_5_percent_off = std::count_if(samples.efficiency.begin(), samples.efficiency.end(),
                                             [](double ratio) { return ratio < kOff; });
  out.num_without_choice = samples.num_without_choice;
  return out;
}

TimeMetrics time_metrics(Samples& samples) {
  TimeMetrics out;
  out.median_abs_log_error = quantile(samples.errors, 0.5);
  out.p90_abs_log_error = quantile(std::move(samples.errors), 0.9);
  out.best_median_abs_log_error = quantile(samples.best_errors, 0.5);
  out.best_p90_abs_log_error = quantile(samples.best_errors, 0.9);
  out.class_median_abs_log_error = quantile(samples.class_errors, 0.5);
  out.kendall_tau = mean(samples.tau);
  out.class_kendall_tau = mean(samples.class_tau);
  return out;
}

BaselineMetrics baseline_metrics(const Samples& samples) {
  BaselineMetrics out;
  out.constant_pick_geomean = geometric_mean(samples.constant);
  out.num_constant_picks = std::ssize(samples.constant);
  out.random_geomean = geometric_mean(samples.random);
  out.with_library_geomean = geometric_mean(samples.with_library);
  out.always_library_geomean = geometric_mean(samples.always_library);
  out.never_library_geomean = geometric_mean(samples.never_library);
  return out;
}

}  // namespace

size_t best_of(const ShapeTrial& trial) {
  check(!trial.candidates.empty(), "a shape has candidates");
  const auto faster = [](const Candidate& a, const Candidate& b) {
    return a.measured_seconds < b.measured_seconds;
  };
  return static_cast<size_t>(
      std::min_element(trial.candidates.begin(), trial.candidates.end(), faster) -
      trial.candidates.begin());
}

std::optional<size_t> choice_of(const ShapeTrial& trial) {
  const auto faster = [](const Candidate& a, const Candidate& b) {
    return a.predicted_seconds < b.predicted_seconds;
  };
  const auto first = std::min_element(trial.candidates.begin(), trial.candidates.end(), faster);
  if (first == trial.candidates.end() || first->predicted_seconds == kInfinity) return std::nullopt;
  return static_cast<size_t>(first - trial.candidates.begin());
}

std::optional<double> quantile(std::vector<double> values, double q) {
  if (values.empty()) return std::nullopt;
  const double place = q * static_cast<double>(values.size() - 1);
  const auto low = values.begin() + static_cast<std::ptrdiff_t>(place);
  std::nth_element(values.begin(), low, values.end());
  const double fraction = place - std::floor(place);
  if (fraction == 0) return *low;
  return *low + fraction * (*std::min_element(low + 1, values.end()) - *low);
}

ValidationMetrics metrics_of(std::span<const ShapeTrial> trials, std::optional<Regime> regime) {
  ValidationMetrics out;
  Samples samples;
  for (const ShapeTrial& trial : trials) {
    if (regime && trial.regime != *regime) continue;
    ++out.num_shapes;
    out.num_timings += std::ssize(trial.candidates);
    add_times(trial, samples);
    add_choice(trial, samples);
  }
  out.num_configurations = num_configurations(trials, regime);
  out.choice = choice_metrics(samples);
  out.time = time_metrics(samples);
  out.doubt = {mean(samples.covered), mean(samples.choice_covered), mean(samples.abstained)};
  out.baseline = baseline_metrics(samples);
  out.microseconds_per_selection = quantile(samples.selection_seconds, 0.5);
  if (out.microseconds_per_selection) *out.microseconds_per_selection *= 1e6;
  return out;
}

}  // namespace ambidex
