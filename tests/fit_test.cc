// SPDX-License-Identifier: Apache-2.0
#include "select/fit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace ambidex {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Launch time, bytes over bandwidth, and an overlap of the two that no straight line fits.
constexpr double kLaunch = 2e-6;
constexpr double kBandwidth = 4e12;

double bytes_of(size_t row) { return 1e3 * std::pow(1.4, static_cast<double>(row)); }

FitProblem problem_of(size_t num_rows) {
  FitProblem problem;
  problem.constants = {{"launch_seconds", 1e-6, 1e-8, 1e-4},
                       {"bytes_per_second", 1e13, 1e11, 1e14}};
  problem.predict = [](std::span<const double> constants, std::span<double> predicted) {
    for (size_t row = 0; row < predicted.size(); ++row) {
      predicted[row] = std::hypot(constants[0], bytes_of(row) / constants[1]);
    }
  };
  problem.measured.resize(num_rows);
  problem.predict(std::vector{kLaunch, kBandwidth}, problem.measured);
  return problem;
}

TEST(Fit, finds_the_constants_that_made_the_times) {
  const FitResult result = fit(problem_of(40), {.prior = 0});
  EXPECT_NEAR(result.constants.at(0) / kLaunch, 1, 1e-6);
  EXPECT_NEAR(result.constants.at(1) / kBandwidth, 1, 1e-6);
  EXPECT_LT(result.loss, 1e-9);
}

TEST(Fit, rows_that_are_far_off_pull_no_harder_than_the_clip) {
  FitProblem problem = problem_of(40);
  for (const size_t row : {size_t{3}, size_t{20}, size_t{33}}) problem.measured[row] *= 50;
  const FitResult clipped = fit(problem, {.clip = 0.05, .prior = 0});
  EXPECT_NEAR(clipped.constants.at(0) / kLaunch, 1, 0.02);
  const FitResult squares = fit(problem, {.clip = 100, .prior = 0});
  EXPECT_GT(squares.constants.at(0) / kLaunch, 1.1);
}

TEST(Fit, rows_without_weight_do_not_count) {
  FitProblem problem = problem_of(40);
  problem.weights.assign(40, 1);
  for (size_t row = 0; row < 20; row += 2) {
    problem.measured[row] *= 3;
    problem.weights[row] = 0;
  }
  EXPECT_NEAR(fit(problem, {.prior = 0}).constants.at(0) / kLaunch, 1, 1e-6);
}

TEST(Fit, constants_stay_within_their_bounds) {
  FitProblem problem = problem_of(40);
  problem.constants[0].upper = 1.5e-6;
  const FitResult result = fit(problem);
  EXPECT_DOUBLE_EQ(result.constants.at(0), 1.5e-6);
  EXPECT_NEAR(result.constants.at(1) / kBandwidth, 1, 0.3);
}

TEST(Fit, a_constant_that_no_row_shows_keeps_its_start) {
  FitProblem problem = problem_of(40);
  problem.constants.push_back({"unseen", 7, 1, 100});
  EXPECT_NEAR(fit(problem).constants.at(2), 7, 1e-9);
}

TEST(Fit, the_prior_pulls_towards_the_start) {
  const double free = fit(problem_of(40), {.prior = 0.03}).constants.at(0);
  const double held = fit(problem_of(40), {.prior = 1e4}).constants.at(0);
  EXPECT_NEAR(free / kLaunch, 1, 0.01);
  EXPECT_NEAR(held / 1e-6, 1, 0.01);
}

TEST(Fit, is_the_same_every_time) {
  FitProblem problem = problem_of(40);
  std::mt19937 random(1);
  for (double& seconds : problem.measured) {
    seconds *= std::uniform_real_distribution(0.9, 1.1)(random);
  }
  EXPECT_EQ(fit(problem).constants, fit(problem).constants);
}

std::string fit_error_text(const FitProblem& problem) {
  try {
    fit(problem);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind, ErrorKind::bad_input);
    return error.what();
  }
  return "no error";
}

TEST(Fit, what_makes_no_sense_is_refused) {
  EXPECT_THAT(fit_error_text(problem_of(1)),
              HasSubstr("fit: 1 rows cannot determine 2 constants; give more rows or fewer"));
  FitProblem problem = problem_of(40);
  problem.constants[1].lower = 2e13;
  EXPECT_THAT(fit_error_text(problem),
              HasSubstr("bytes_per_second: expected 0 < lower <= start <= upper, got 2e+13"));
  problem = problem_of(40);
  problem.measured[7] = 0;
  EXPECT_THAT(fit_error_text(problem), HasSubstr("row 7: expected a time > 0"));
  problem = problem_of(40);
  problem.measured[7] = std::numeric_limits<double>::infinity();
  EXPECT_THAT(fit_error_text(problem), HasSubstr("row 7: expected a time > 0"));
  problem = problem_of(40);
  problem.weights = {1};
  EXPECT_THAT(fit_error_text(problem), HasSubstr("1 weights for 40 rows"));
}

TEST(Fit, quantiles_lie_between_values) {
  EXPECT_EQ(fit_quantile({3, 1, 2}, 0.5), 2);
  EXPECT_EQ(fit_quantile({1, 2}, 0.25), 1.25);
  EXPECT_EQ(fit_quantile({4}, 0.9), 4);
  EXPECT_EQ(fit_quantile({}, 0.9), 0);
  const FitError error = fit_error(std::vector{1.0, 2.0, 8.0}, std::vector{1.0, 1.0, 1.0});
  EXPECT_EQ(error.num_rows, 3);
  EXPECT_DOUBLE_EQ(error.median, std::log(2));
  EXPECT_DOUBLE_EQ(error.bias, std::log(2));
}

// Files and reports name the third that a shape is in: these must not move.
TEST(Fit, the_third_of_a_shape_is_fixed_and_even) {
  std::vector<int> folds;
  for (const int64_t m : {16, 64, 256, 1024, 4096, 16384}) {
    folds.push_back(fit_fold({.m = m, .n = 512, .k = 512}));
  }
  EXPECT_THAT(folds, ElementsAre(0, 0, 2, 0, 2, 2));
  EXPECT_EQ(fit_fold({.m = 16, .n = 512, .k = 512, .batch = 4, .cold = true}), folds[0]);
  std::vector<int> counts(3);
  for (int64_t m = 1; m <= 3000; ++m) ++counts.at(fit_fold({.m = m, .n = 512, .k = 512}));
  for (const int count : counts) EXPECT_NEAR(count, 1000, 100);
}

}  // namespace
}  // namespace ambidex
