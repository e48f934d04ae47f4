// SPDX-License-Identifier: Apache-2.0
// Predicted against measured times of matrix products. docs/validation.md defines every number.
//
//   using namespace ambidex;
//   Measurements measured = read_measurements("h200.csv", {.device = "h200"});
//   ValidationReport report = validate_gemm(load_device("h200"), measured);
//   report.all.choice.geomean_efficiency
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ambidex/cost.h"
#include "ambidex/devices.h"
#include "ambidex/measurements.h"
#include "ambidex/report.h"

namespace ambidex {

/// One candidate that was measured.
struct Candidate {
  int32_t config = 0;      // equal numbers on two shapes: equal configurations
  int32_t tile_class = 0;  // equal numbers: equal tile and main-loop schedule
  double measured_seconds = 0;
  double predicted_seconds = 0;  // infinity: the model rules it out
};

/// What the vendor library does with one shape.
struct LibraryTrial {
  double measured_seconds = 0;
  double predicted_seconds = 0;
};

/// One shape with its candidates, and what the models said about it.
struct ShapeTrial {
  GemmOp op;
  std::vector<Candidate> candidates;  // equal predictions: the first is chosen
  Regime regime = Regime::k;          // of the candidate measured fastest
  std::optional<Estimate> choice;     // of the candidate predicted fastest
  std::optional<LibraryTrial> library;
  std::optional<bool> abstained;              // the selector said "measure" or "library"
  std::optional<double> selection_seconds;    // to rank the candidates
  std::optional<double> constant_efficiency;  // best / constant pick; see set_constant_picks
};

/// How good the chosen candidates are. Efficiency is best time / time of the choice.
struct ChoiceMetrics {
  std::optional<double> geomean_efficiency;
  std::optional<double> p10_efficiency;
  std::optional<double> min_efficiency;
  std::optional<double> top3_geomean_efficiency;  // fastest of the first three
  std::optional<int64_t> num_over_5_percent_off;
  std::optional<int64_t> num_without_choice;  // shapes all of whose candidates are ruled out
};

/// How true the predicted times are. Errors are |ln(predicted / measured)|.
struct TimeMetrics {
  std::optional<double> median_abs_log_error;  // over shapes and candidates
  std::optional<double> p90_abs_log_error;
  std::optional<double> best_median_abs_log_error;  // of the candidate measured fastest
  std::optional<double> best_p90_abs_log_error;
  std::optional<double> class_median_abs_log_error;  // of the best times of tile classes
  std::optional<double> kendall_tau;                 // mean over shapes
  std::optional<double> class_kendall_tau;
};

/// How honest the model is about what it does not know.
struct DoubtMetrics {
  std::optional<double> coverage_80;         // best times inside the interval of the choice
  std::optional<double> choice_coverage_80;  // times of the choice inside it
  std::optional<double> abstain_rate;
};

/// What others reach. The first two against the best candidate, the rest against the better of
/// the best candidate and the library.
struct BaselineMetrics {
  std::optional<double> constant_pick_geomean;
  std::optional<double> random_geomean;
  std::optional<double> with_library_geomean;  // choice or library, by predicted time
  std::optional<double> always_library_geomean;
  std::optional<double> never_library_geomean;
  std::optional<int64_t> num_constant_picks;  // shapes that the constant pick has an answer for
};

struct ValidationMetrics {
  int64_t num_shapes = 0;
  int64_t num_configurations = 0;  // distinct ones
  int64_t num_timings = 0;         // pairs of shape and configuration
  ChoiceMetrics choice;
  TimeMetrics time;
  DoubtMetrics doubt;
  BaselineMetrics baseline;
  std::optional<double> microseconds_per_selection;
};

/// JSON key of each number, in the order of the report: v(key, value).
template <class V, class T>
void visit_fields(V&& v, const T& x) requires std::same_as<T, ValidationMetrics> {
  v("shapes", x.num_shapes);
  v("configurations", x.num_configurations);
  v("timings", x.num_timings);
  v("geomean_efficiency", x.choice.geomean_efficiency);
  v("p10_efficiency", x.choice.p10_efficiency);
  v("min_efficiency", x.choice.min_efficiency);
  v("top3_geomean_efficiency", x.choice.top3_geomean_efficiency);
  v("over_5_percent_off", x.choice.num_over_5_percent_off);
  v("without_choice", x.choice.num_without_choice);
  v("median_abs_log_error", x.time.median_abs_log_error);
  v("p90_abs_log_error", x.time.p90_abs_log_error);
  v("best_median_abs_log_error", x.time.best_median_abs_log_error);
  v("best_p90_abs_log_error", x.time.best_p90_abs_log_error);
  v("kendall_tau", x.time.kendall_tau);
  v("class_kendall_tau", x.time.class_kendall_tau);
  v("class_median_abs_log_error", x.time.class_median_abs_log_error);
  v("coverage_80", x.doubt.coverage_80);
  v("choice_coverage_80", x.doubt.choice_coverage_80);
  v("abstain_rate", x.doubt.abstain_rate);
  v("with_library_geomean", x.baseline.with_library_geomean);
  v("always_library_geomean", x.baseline.always_library_geomean);
  v("never_library_geomean", x.baseline.never_library_geomean);
  v("constant_pick_geomean", x.baseline.constant_pick_geomean);
  v("constant_pick_shapes", x.baseline.num_constant_picks);
  v("random_geomean", x.baseline.random_geomean);
  v("microseconds_per_selection", x.microseconds_per_selection);
}

/// Index of the candidate measured fastest, and of the one predicted fastest, if any is legal.
size_t best_of(const ShapeTrial& trial);
std::optional<size_t> choice_of(const ShapeTrial& trial);

/// Kendall's tau-b in O(n log n); nothing if either side is all equal.
std::optional<double> kendall_tau(std::span<const double> x, std::span<const double> y);

/// Linear interpolation between order statistics, as numpy does; nothing of nothing.
std::optional<double> quantile(std::vector<double> values, double q);

/// Fills constant_efficiency of all: the one configuration with the best geometric mean of best /
/// time among those timed on at least 30 % of the shapes, the next in that order where a shape
/// lacks it.
void set_constant_picks(std::span<ShapeTrial> trials);

/// All numbers over the trials of `regime`, or over all.
ValidationMetrics metrics_of(std::span<const ShapeTrial> trials,
                             std::optional<Regime> regime = std::nullopt);

struct ValidationReport {
  MeasurementFormat format = MeasurementFormat::triton;
  Device device;
  int64_t num_skipped_rows = 0;
  int64_t num_excluded_rows = 0;
  ValidationMetrics all;
  std::array<ValidationMetrics, kNumRegimes> regimes;
  std::map<std::string, ValidationMetrics> libraries;  // of a best-known table, by name
  std::vector<ShapeTrial> trials;                      // what the numbers are made of
  std::vector<std::string> notes;                      // remarks for a person
};

/// Predicts all that was measured. Of a file of library times, the library's predictor is judged,
/// and what needs a choice is absent. `library` has the library's times on the same shapes; it is
/// needed for the numbers that compare with the library.
///   throws Error(unsupported) if the device lacks a number that the model reads
ValidationReport validate_gemm(const Device& device, const Measurements& measured,
                               const Measurements* library = nullptr);

/// What this project set itself as a bound for one number of a report.
struct ValidationTarget {
  std::string key;  // of visit_fields
  double low = 0;
  double high = 0;
  std::string text;  // ">= 0.97"
};
/// Empty unless the device and the format are among those that targets were set for.
std::vector<ValidationTarget> targets_of(const ValidationReport& report);

/// Every number in all and by regime, with the targets beside.
Table summary_table(const ValidationReport& report);
/// Shapes with the slowest choices, or of library times with the largest errors.
Table worst_table(const ValidationReport& report, const Measurements& measured, int64_t num_rows);
/// Numbers of each library of a best-known table.
Table libraries_table(const ValidationReport& report);

/// Summary, predicted against measured times, regret by shape; `source` names the file.
Page page_of(const ValidationReport& report, const Measurements& measured,
             const std::string& source);

}  // namespace ambidex
