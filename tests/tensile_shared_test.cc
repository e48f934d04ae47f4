// SPDX-License-Identifier: Apache-2.0
// The Tensile model against the MI350X tuning run in ../shared/data, which is not ours to ship.
// The constants were fitted on these shapes; docs/gemm-tensile.md has the errors on shapes left out
// of the fit.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <map>
#include <tuple>
#include <vector>

#include "ambidex/measurements.h"
#include "ambidex/validate.h"
#include "cost/tensile.h"

namespace ambidex {
namespace {

namespace fs = std::filesystem;

fs::path tuning_run() {
  return fs::path(AMBIDEX_SOURCE_DIR) /
         "../shared/data/measurements/mi350x_tensile_gemm_bf16.csv.gz";
}

/// Number of each configuration's tile and main-loop schedule.
std::vector<int32_t> tile_classes(const Measurements& measured) {
  std::map<std::tuple<int32_t, int32_t, int32_t, bool>, int32_t> numbers;
  std::vector<int32_t> classes;
  for (const MeasuredConfig& each : measured.configs) {
    const Tile& tile = each.config.tile;
    const std::tuple key(tile.m, tile.n, tile.k, each.config.tensile.custom_schedule);
    classes.push_back(numbers.try_emplace(key, static_cast<int32_t>(numbers.size())).first->second);
  }
  return classes;
}

ShapeTrial trial_of(const TensileModel& model, const Measurements& measured,
                    const MeasuredShape& shape, const std::vector<int32_t>& classes) {
  ShapeTrial trial{.op = shape.op};
  std::vector<GemmConfig> configs;
  for (const Timing& timing : shape.timings) {
    const auto index = static_cast<size_t>(timing.config);
    configs.push_back(measured.configs[index].config);
    trial.candidates.push_back({.config = timing.config,
                                .tile_class = classes[index],
                                .measured_seconds = timing.seconds});
  }
  std::vector<double> seconds(configs.size());
  tensile_seconds(model, tensile_prepare(model, shape.op, configs), shape.op, 0, seconds);
  for (size_t i = 0; i < seconds.size(); ++i) trial.candidates[i].predicted_seconds = seconds[i];
  const size_t choice = choice_of(trial).value();
  trial.choice = tensile_estimate(model, shape.op, configs[choice], 0);
  return trial;
}

std::vector<ShapeTrial> trials_of(const MeasurementOptions& options) {
  const Measurements measured = read_measurements(tuning_run().string(), options);
  const TensileModel model = make_tensile_model(load_device("mi350x"));
  const std::vector<int32_t> classes = tile_classes(measured);
  std::vector<ShapeTrial> trials;
  trials.reserve(measured.shapes.size());
  for (const MeasuredShape& shape : measured.shapes) {
    trials.push_back(trial_of(model, measured, shape, classes));
  }
  set_constant_picks(trials);
  return trials;
}

TEST(TensileShared, chooses_among_all_tuned_kernels) {
  if (!fs::exists(tuning_run())) GTEST_SKIP() << "needs ../shared/data, which is not there";
  const std::vector<ShapeTrial> trials = trials_of({.device = "mi350x"});
  ASSERT_EQ(trials.size(), 120u);
  for (const ShapeTrial& trial : trials) {
    for (const Candidate& each : trial.candidates) {
      ASSERT_TRUE(std::isfinite(each.predicted_seconds));  // what ran is legal
    }
  }
  const ValidationMetrics metrics = metrics_of(trials);
  EXPECT_GE(*metrics.choice.geomean_efficiency, *metrics.baseline.constant_pick_geomean);
  EXPECT_GE(*metrics.choice.geomean_efficiency, .975);
  EXPECT_GE(*metrics.choice.p10_efficiency, .95);
  EXPECT_GE(*metrics.time.class_kendall_tau, .86);
  EXPECT_LE(*metrics.time.class_median_abs_log_error, .036);
  EXPECT_LE(*metrics.time.best_median_abs_log_error, .031);
  EXPECT_GE(*metrics.doubt.coverage_80, .70);
  EXPECT_LE(*metrics.doubt.coverage_80, .90);
}

TEST(TensileShared, chooses_well_without_the_tile_that_nearly_always_wins) {
  if (!fs::exists(tuning_run())) GTEST_SKIP() << "needs ../shared/data, which is not there";
  const Exclusion square = exclusion_from_text("mt_m=256,mt_n=256");
  const ValidationMetrics metrics =
      metrics_of(trials_of({.device = "mi350x", .exclusions = {square}}));
  EXPECT_GE(*metrics.choice.geomean_efficiency, .968);
  EXPECT_GE(*metrics.choice.p10_efficiency, .915);
}

}  // namespace
}  // namespace ambidex
