// SPDX-License-Identifier: Apache-2.0
// The numbers of a validation against plain loops that follow docs/validation.md word by word.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "ambidex/validate.h"

namespace ambidex {
namespace {

using Random = std::mt19937_64;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Few distinct values, so that there are ties.
std::vector<double> random_values(Random& random, size_t count, int num_distinct) {
  std::vector<double> values(count);
  for (double& value : values) value = 1.0 + static_cast<double>(random() % num_distinct);
  return values;
}

std::optional<double> plain_tau(const std::vector<double>& x, const std::vector<double>& y) {
  double score = 0;
  double untied_x = 0;
  double untied_y = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      const int sign_x = (x[i] > x[j]) - (x[i] < x[j]);
      const int sign_y = (y[i] > y[j]) - (y[i] < y[j]);
      score += sign_x * sign_y;
      untied_x += sign_x != 0;
      untied_y += sign_y != 0;
    }
  }
  if (untied_x * untied_y == 0) return std::nullopt;
  return score / std::sqrt(untied_x * untied_y);
}

TEST(Tau, agrees_with_counting_all_pairs) {
  Random random(1);
  for (int round = 0; round < 300; ++round) {
    const size_t count = random() % 40;
    const int num_distinct = 1 + static_cast<int>(random() % 30);
    const std::vector<double> x = random_values(random, count, num_distinct);
    const std::vector<double> y = random_values(random, count, num_distinct);
    const std::optional<double> plain = plain_tau(x, y);
    const std::optional<double> tau = kendall_tau(x, y);
    ASSERT_EQ(tau.has_value(), plain.has_value());
    if (tau) {
      EXPECT_NEAR(*tau, *plain, 1e-12);
    }
  }
}

TEST(Tau, is_one_in_order_and_minus_one_in_reverse) {
  const std::vector<double> up{1, 2, 3, kInfinity};
  const std::vector<double> down{4, 3, 2, 1};
  EXPECT_DOUBLE_EQ(kendall_tau(up, up).value(), 1);
  EXPECT_DOUBLE_EQ(kendall_tau(up, down).value(), -1);
  EXPECT_FALSE(kendall_tau({}, {}).has_value());
  // scipy.stats.kendalltau([1, 2, 2, 3, 5], [2, 1, 4, 4, 5])
  EXPECT_NEAR(
      kendall_tau(std::vector<double>{1, 2, 2, 3, 5}, std::vector<double>{2, 1, 4, 4, 5}).value(),
      0.6666666666666667, 1e-12);
}

TEST(Quantile, interpolates_between_order_statistics) {
  EXPECT_FALSE(quantile({}, 0.5).has_value());
  EXPECT_DOUBLE_EQ(quantile({7}, 0.9).value(), 7);
  EXPECT_DOUBLE_EQ(quantile({4, 1, 3, 2}, 0.5).value(), 2.5);
  EXPECT_DOUBLE_EQ(quantile({4, 1, 3, 2}, 0.1).value(), 1.3);  // numpy.quantile
  EXPECT_DOUBLE_EQ(quantile({4, 1, 3, 2}, 0).value(), 1);
  EXPECT_DOUBLE_EQ(quantile({4, 1, 3, 2}, 1).value(), 4);
}

ShapeTrial random_trial(Random& random) {
  ShapeTrial trial;
  const size_t count = 1 + random() % 30;
  for (size_t i = 0; i < count; ++i) {
    if (random() % 3 == 0) continue;
    const double measured = 1.0 + static_cast<double>(random() % 20);
    const double predicted = measured * (0.5 + 0.125 * static_cast<double>(random() % 12));
    trial.candidates.push_back({.config = static_cast<int32_t>(i),
                                .tile_class = static_cast<int32_t>(i / 4),
                                .measured_seconds = measured,
                                .predicted_seconds = random() % 9 == 0 ? kInfinity : predicted});
  }
  if (trial.candidates.empty()) trial.candidates.push_back({0, 0, 3, 3});
  trial.regime = static_cast<Regime>(random() % kNumRegimes);
  if (choice_of(trial)) {
    const double seconds = trial.candidates[*choice_of(trial)].predicted_seconds;
    trial.choice =
        Estimate{.seconds = seconds, .low_seconds = seconds * 0.8, .high_seconds = seconds * 1.25};
  }
  if (random() % 2 == 0) trial.library = LibraryTrial{1.0 + random() % 9, 1.0 + random() % 9};
  trial.abstained = random() % 4 == 0;
  trial.selection_seconds = 1e-6 * static_cast<double>(1 + random() % 9);
  return trial;
}

std::vector<ShapeTrial> random_trials(uint64_t seed) {
  Random random(seed);
  std::vector<ShapeTrial> trials;
  for (int i = 0; i < 40; ++i) trials.push_back(random_trial(random));
  set_constant_picks(trials);
  return trials;
}

/// Fastest by `field`, the first of equals.
const Candidate& fastest(const ShapeTrial& trial, double Candidate::*field) {
  const Candidate* best = &trial.candidates.front();
  for (const Candidate& it : trial.candidates) {
    if (it.*field < best->*field) best = &it;
  }
  return *best;
}

double plain_geomean(const std::vector<double>& ratios) {
  double product = 1;
  for (const double ratio : ratios) product *= std::pow(ratio, 1.0 / ratios.size());
  return product;
}

double plain_median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return (values[(values.size() - 1) / 2] + values[values.size() / 2]) / 2;
}

TEST(Metrics, of_the_choice_agree_with_plain_loops) {
  const std::vector<ShapeTrial> trials = random_trials(2);
  std::vector<double> efficiency;
  std::vector<double> top3;
  double covered = 0;
  for (const ShapeTrial& trial : trials) {
    const Candidate& best = fastest(trial, &Candidate::measured_seconds);
    const Candidate& choice = fastest(trial, &Candidate::predicted_seconds);
    if (choice.predicted_seconds == kInfinity) continue;
    efficiency.push_back(best.measured_seconds / choice.measured_seconds);
    covered += trial.choice->low_seconds <= best.measured_seconds &&
               best.measured_seconds <= trial.choice->high_seconds;
    ShapeTrial rest = trial;
    double three = kInfinity;
    for (int i = 0; i < 3 && choice_of(rest); ++i) {
      three = std::min(three, rest.candidates[*choice_of(rest)].measured_seconds);
      rest.candidates.erase(rest.candidates.begin() + static_cast<int>(*choice_of(rest)));
      if (rest.candidates.empty()) break;
    }
    top3.push_back(best.measured_seconds / three);
  }
  const ValidationMetrics all = metrics_of(trials);
  EXPECT_EQ(all.num_shapes, 40);
  EXPECT_NEAR(*all.choice.geomean_efficiency, plain_geomean(efficiency), 1e-12);
  EXPECT_NEAR(*all.choice.top3_geomean_efficiency, plain_geomean(top3), 1e-12);
  EXPECT_EQ(*all.choice.num_without_choice, 40 - std::ssize(efficiency));
  EXPECT_EQ(*all.choice.min_efficiency, *std::min_element(efficiency.begin(), efficiency.end()));
  EXPECT_EQ(*all.choice.num_over_5_percent_off,
            std::count_if(efficiency.begin(), efficiency.end(), [](double x) { return x < 0.95; }));
  EXPECT_NEAR(*all.doubt.coverage_80, covered / efficiency.size(), 1e-12);
}

TEST(Metrics, of_times_agree_with_plain_loops) {
  const std::vector<ShapeTrial> trials = random_trials(3);
  std::vector<double> errors;
  std::vector<double> best_errors;
  std::vector<double> class_errors;
  double tau = 0;
  double class_tau = 0;
  double num_tau = 0;
  double num_class_tau = 0;
  for (const ShapeTrial& trial : trials) {
    std::vector<double> measured;
    std::vector<double> predicted;
    std::vector<double> class_measured(8, kInfinity);
    std::vector<double> class_predicted(8, kInfinity);
    for (const Candidate& it : trial.candidates) {
      measured.push_back(it.measured_seconds);
      predicted.push_back(it.predicted_seconds);
      double& low = class_measured[it.tile_class];
      low = std::min(low, it.measured_seconds);
      class_predicted[it.tile_class] =
          std::min(class_predicted[it.tile_class], it.predicted_seconds);
      if (it.predicted_seconds == kInfinity) continue;
      errors.push_back(std::abs(std::log(it.predicted_seconds / it.measured_seconds)));
    }
    const Candidate& best = fastest(trial, &Candidate::measured_seconds);
    if (best.predicted_seconds != kInfinity) {
      best_errors.push_back(std::abs(std::log(best.predicted_seconds / best.measured_seconds)));
    }
    for (size_t i = class_measured.size(); i-- > 0;) {
      if (class_measured[i] == kInfinity) {
        class_measured.erase(class_measured.begin() + static_cast<int>(i));
        class_predicted.erase(class_predicted.begin() + static_cast<int>(i));
      } else if (class_predicted[i] != kInfinity) {
        class_errors.push_back(std::abs(std::log(class_predicted[i] / class_measured[i])));
      }
    }
    if (const auto value = plain_tau(predicted, measured)) tau += *value, ++num_tau;
    if (const auto value = plain_tau(class_predicted, class_measured)) {
      class_tau += *value, ++num_class_tau;
    }
  }
  const ValidationMetrics all = metrics_of(trials);
  EXPECT_NEAR(*all.time.median_abs_log_error, plain_median(errors), 1e-12);
  EXPECT_NEAR(*all.time.best_median_abs_log_error, plain_median(best_errors), 1e-12);
  EXPECT_NEAR(*all.time.class_median_abs_log_error, plain_median(class_errors), 1e-12);
  EXPECT_NEAR(*all.time.kendall_tau, tau / num_tau, 1e-12);
  EXPECT_NEAR(*all.time.class_kendall_tau, class_tau / num_class_tau, 1e-12);
}

TEST(Metrics, of_baselines_agree_with_plain_loops) {
  const std::vector<ShapeTrial> trials = random_trials(4);
  std::vector<double> random;
  std::vector<double> with_library;
  std::vector<double> always_library;
  for (const ShapeTrial& trial : trials) {
    const Candidate& best = fastest(trial, &Candidate::measured_seconds);
    const Candidate& choice = fastest(trial, &Candidate::predicted_seconds);
    std::vector<double> ratios;
    for (const Candidate& it : trial.candidates) {
      ratios.push_back(best.measured_seconds / it.measured_seconds);
    }
    random.push_back(plain_geomean(ratios));
    if (!trial.library || choice.predicted_seconds == kInfinity) continue;
    const double better = std::min(best.measured_seconds, trial.library->measured_seconds);
    const bool takes_library = trial.library->predicted_seconds < choice.predicted_seconds;
    with_library.push_back(
        better / (takes_library ? trial.library->measured_seconds : choice.measured_seconds));
    always_library.push_back(better / trial.library->measured_seconds);
  }
  const ValidationMetrics all = metrics_of(trials);
  EXPECT_NEAR(*all.baseline.random_geomean, plain_geomean(random), 1e-12);
  EXPECT_NEAR(*all.baseline.with_library_geomean, plain_geomean(with_library), 1e-12);
  EXPECT_NEAR(*all.baseline.always_library_geomean, plain_geomean(always_library), 1e-12);
}

TEST(Metrics, the_constant_pick_agrees_with_plain_loops) {
  for (uint64_t seed = 5; seed < 25; ++seed) {
    const std::vector<ShapeTrial> trials = random_trials(seed);
    std::vector<std::pair<double, int>> order;  // geometric mean, configuration
    for (int config = 0; config < 30; ++config) {
      std::vector<double> ratios;
      for (const ShapeTrial& trial : trials) {
        const double best = fastest(trial, &Candidate::measured_seconds).measured_seconds;
        for (const Candidate& it : trial.candidates) {
          if (it.config == config) ratios.push_back(best / it.measured_seconds);
        }
      }
      if (ratios.size() >= 0.3 * trials.size()) order.emplace_back(plain_geomean(ratios), config);
    }
    std::sort(order.rbegin(), order.rend());
    for (const ShapeTrial& trial : trials) {
      std::optional<double> expected;
      for (const auto& [geomean, config] : order) {
        for (const Candidate& it : trial.candidates) {
          if (it.config != config || expected) continue;
          expected =
              fastest(trial, &Candidate::measured_seconds).measured_seconds / it.measured_seconds;
        }
      }
      ASSERT_EQ(trial.constant_efficiency.has_value(), expected.has_value());
      if (expected) {
        EXPECT_DOUBLE_EQ(*trial.constant_efficiency, *expected);
      }
    }
  }
}

TEST(Metrics, the_regimes_share_out_the_shapes) {
  const std::vector<ShapeTrial> trials = random_trials(6);
  int64_t num_shapes = 0;
  for (int i = 0; i < kNumRegimes; ++i) {
    num_shapes += metrics_of(trials, static_cast<Regime>(i)).num_shapes;
  }
  EXPECT_EQ(num_shapes, 40);
}

TEST(Metrics, a_perfect_model_reaches_the_end_of_every_scale) {
  std::vector<ShapeTrial> trials = random_trials(7);
  for (ShapeTrial& trial : trials) {
    for (Candidate& it : trial.candidates) it.predicted_seconds = it.measured_seconds;
    const double best = fastest(trial, &Candidate::measured_seconds).measured_seconds;
    trial.choice = Estimate{.seconds = best, .low_seconds = best, .high_seconds = best};
    if (trial.library) trial.library->predicted_seconds = trial.library->measured_seconds;
  }
  const ValidationMetrics all = metrics_of(trials);
  EXPECT_DOUBLE_EQ(*all.choice.geomean_efficiency, 1);
  EXPECT_DOUBLE_EQ(*all.choice.min_efficiency, 1);
  EXPECT_EQ(*all.choice.num_over_5_percent_off, 0);
  EXPECT_DOUBLE_EQ(*all.time.p90_abs_log_error, 0);
  EXPECT_DOUBLE_EQ(*all.time.kendall_tau, 1);
  EXPECT_DOUBLE_EQ(*all.doubt.coverage_80, 1);
  EXPECT_DOUBLE_EQ(*all.baseline.with_library_geomean, 1);
}

TEST(Metrics, of_nothing_are_nothing) {
  const ValidationMetrics none = metrics_of({});
  EXPECT_EQ(none.num_shapes, 0);
  EXPECT_FALSE(none.choice.geomean_efficiency.has_value());
  EXPECT_FALSE(none.time.kendall_tau.has_value());
  EXPECT_FALSE(none.baseline.random_geomean.has_value());
  EXPECT_FALSE(none.microseconds_per_selection.has_value());
}

TEST(Metrics, every_number_of_the_issue_has_its_key) {
  std::vector<std::string> keys;
  visit_fields([&](std::string_view key, const auto&) { keys.emplace_back(key); },
               ValidationMetrics());
  EXPECT_THAT(
      keys, testing::IsSupersetOf(
                {"shapes", "geomean_efficiency", "p10_efficiency", "min_efficiency",
                 "top3_geomean_efficiency", "median_abs_log_error", "best_median_abs_log_error",
                 "kendall_tau", "class_kendall_tau", "class_median_abs_log_error", "coverage_80",
                 "abstain_rate", "with_library_geomean", "constant_pick_geomean", "random_geomean",
                 "microseconds_per_selection"}));
}

}  // namespace
}  // namespace ambidex
