// SPDX-License-Identifier: Apache-2.0
// Constants of a cost model from measured times: damped least squares (Levenberg-Marquardt) on the
// logarithm of time, over the logarithms of the constants.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ambidex/base.h"

namespace ambidex {

/// A constant > 0 and where to look for it.
struct FitConstant {
  std::string name;
  double start = 0;
  double lower = 0;  // > 0
  double upper = 0;
};

struct FitProblem {
  std::vector<FitConstant> constants;
  std::vector<double> measured;  // seconds > 0, one for each row
  std::vector<double> weights;   // of the rows; empty: all 1
  /// Fills predicted[i] with the seconds of row i, > 0, under `constants`.
  std::function<void(std::span<const double> constants, std::span<double> predicted)> predict;
};

struct FitOptions {
  int max_steps = 60;
  double clip = 0.5;    // a row further off in ln(time) pulls no harder than this
  double prior = 0.03;  // pull of a constant's start: as of a row that is off by prior * ln(ratio)
};

struct FitResult {
  std::vector<double> constants;
  double loss = 0;  // sum over the rows of weight * squared clipped error, and of the prior
  int num_steps = 0;
};

/// Deterministic, but exp and log may round differently on another machine.
///   throws Error(bad_input) on rows, weights, bounds or starts that make no sense
FitResult fit(const FitProblem& problem, const FitOptions& options = {});

/// Of |ln(predicted / measured)|.
struct FitError {
  int64_t num_rows = 0;
  double median = 0;
  double p90 = 0;
  double bias = 0;  // median of ln(predicted / measured)
};
FitError fit_error(std::span<const double> predicted, std::span<const double> measured);

/// `fraction` quantile by linear interpolation; 0 of an empty list.
double fit_quantile(std::vector<double> values, double fraction);

/// 0, 1 or 2 of a shape, the same on every machine and in every file: constants are fitted on 1
/// and 2, and judged on 0.
int fit_fold(const GemmOp& op);

}  // namespace ambidex
