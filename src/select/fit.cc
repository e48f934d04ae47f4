// SPDX-License-Identifier: Apache-2.0
#include "select/fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace ambidex {
namespace {

constexpr double kDerivativeStep = 1e-3;  // in ln(constant): models have steps, such as tile counts
constexpr double kFirstDamping = 1e-2;
constexpr double kMaxDamping = 1e8;
constexpr double kEnough = 1e-7;  // relative gain below which a step is the last

[[noreturn]] void fail(const std::string& message) {
  throw Error(ErrorKind::bad_input, "fit: " + message);
}

void validate_constant(const FitConstant& constant) {
  const bool ordered = constant.lower > 0 && constant.lower <= constant.start &&
                       constant.start <= constant.upper && std::isfinite(constant.upper);
  if (ordered) return;
  fail(fmt::format("{}: expected 0 < lower <= start <= upper, got {:g}, {:g}, {:g}", constant.name,
                   constant.lower, constant.start, constant.upper));
}

void validate_row(size_t row, double seconds, double weight) {
  if (std::isfinite(seconds) && seconds > 0 && std::isfinite(weight) && weight >= 0) return;
  fail(fmt::format("row {}: expected a time > 0 and a weight >= 0, got {:g} and {:g}", row, seconds,
                   weight));
}

void validate(const FitProblem& problem) {
  for (const FitConstant& constant : problem.constants) validate_constant(constant);
  const size_t num_rows = problem.measured.size();
  if (num_rows < problem.constants.size()) {
    fail(fmt::format("{} rows cannot determine {} constants; give more rows or fewer constants",
                     num_rows, problem.constants.size()));
  }
  if (!problem.weights.empty() && problem.weights.size() != num_rows) {
    fail(fmt::format("{} weights for {} rows", problem.weights.size(), num_rows));
  }
  for (size_t row = 0; row < num_rows; ++row) {
    validate_row(row, problem.measured[row], problem.weights.empty() ? 1 : problem.weights[row]);
  }
}

/// The sum of squares at one point of ln(constant) and what a step needs of it.
struct Point {
  std::vector<double> logs;
  std::vector<double> errors;  // ln(predicted / measured)
  double loss = 0;
};

class Fitter {
 public:
  Fitter(const FitProblem& problem, const FitOptions& options)
      : problem_(problem), options_(options), predicted_(problem.measured.size()) {}

  Point start() {
    std::vector<double> logs;
    for (const FitConstant& constant : problem_.constants) logs.push_back(std::log(constant.start));
    return at(std::move(logs));
  }

  std::vector<double> constants_of(const std::vector<double>& logs) const {
    std::vector<double> constants;
    for (const double log : logs) constants.push_back(std::exp(log));
    return constants;
  }

  /// Lowers the loss of `point`; false if no damping does.
  bool step(Point& point) {
    set_normal_equations(point);
    for (; damping_ < kMaxDamping; damping_ *= 4) {
      Point next = at(stepped(point.logs));
      if (!(next.loss < point.loss)) continue;
      const bool enough = point.loss - next.loss < kEnough * point.loss;
      point = std::move(next);
      damping_ /= 8;
      return !enough;
    }
    return false;
  }

 private:
  size_t num_constants() const { return problem_.constants.size(); }
  double weight(size_t row) const { return problem_.weights.empty() ? 1 : problem_.weights[row]; }

  Point at(std::vector<double> logs) {
    Point point{.logs = std::move(logs), .errors = {}, .loss = 0};
    problem_.predict(constants_of(point.logs), predicted_);
    for (size_t row = 0; row < predicted_.size(); ++row) {
      const double error = std::log(predicted_[row] / problem_.measured[row]);
      check(std::isfinite(error), "the model of a fit predicts times > 0");
      const double size = std::abs(error);
      const double clip = options_.clip;
      point.loss += weight(row) * (size <= clip ? size * size : clip * (2 * size - clip));
      point.errors.push_back(error);
    }
    for (size_t i = 0; i < num_constants(); ++i) point.loss += std::pow(pull(point.logs, i), 2);
    return point;
  }

  double pull(const std::vector<double>& logs, size_t i) const {
    return options_.prior * (logs[i] - std::log(problem_.constants[i].start));
  }

  /// d ln(predicted) / d ln(constant i), away from the upper bound if the point lies on it.
  std::vector<double> derivative(const Point& point, size_t i) {
    std::vector<double> logs = point.logs;
    const bool at_upper = logs[i] + kDerivativeStep > std::log(problem_.constants[i].upper);
    const double by = at_upper ? -kDerivativeStep : kDerivativeStep;
    logs[i] += by;
    const Point moved = at(std::move(logs));
    std::vector<double> slopes(point.errors.size());
    for (size_t row = 0; row < slopes.size(); ++row) {
      slopes[row] = (moved.errors[row] - point.errors[row]) / by;
    }
    return slopes;
  }

  /// Rows beyond the clip count with the weight that makes their pull constant.
  void set_normal_equations(const Point& point) {
    const size_t size = num_constants();
    std::vector<std::vector<double>> slopes;
    for (size_t i = 0; i < size; ++i) slopes.push_back(derivative(point, i));
    matrix_.assign(size, std::vector<double>(size));
    gradient_.assign(size, 0);
    for (size_t row = 0; row < point.errors.size(); ++row) {
      const double error = point.errors[row];
      const double pull_weight = weight(row) * std::min(1.0, options_.clip / std::abs(error));
      for (size_t i = 0; i < size; ++i) {
        const double weighted = pull_weight * slopes[i][row];
        gradient_[i] += weighted * error;
        for (size_t j = 0; j <= i; ++j) matrix_[i][j] += weighted * slopes[j][row];
      }
    }
    for (size_t i = 0; i < size; ++i) {
      gradient_[i] += options_.prior * pull(point.logs, i);
      matrix_[i][i] += options_.prior * options_.prior;
    }
  }

  /// Solves (matrix + damping * diagonal) step = -gradient by Cholesky's factors, inside bounds.
  std::vector<double> stepped(std::vector<double> logs) const {
    const size_t size = num_constants();
    std::vector<std::vector<double>> root = matrix_;
    std::vector<double> step(size);
    for (size_t i = 0; i < size; ++i) {
      root[i][i] += damping_ * (matrix_[i][i] + 1e-12);
      for (size_t j = 0; j <= i; ++j) {
        double sum = root[i][j];
        for (size_t l = 0; l < j; ++l) sum -= root[i][l] * root[j][l];
        root[i][j] = i == j ? std::sqrt(std::max(sum, 1e-300)) : sum / root[j][j];
      }
      step[i] = -gradient_[i];
      for (size_t l = 0; l < i; ++l) step[i] -= root[i][l] * step[l];
      step[i] /= root[i][i];
    }
    for (size_t i = size; i-- > 0;) {
      for (size_t l = i + 1; l < size; ++l) step[i] -= root[l][i] * step[l];
      step[i] /= root[i][i];
      const FitConstant& constant = problem_.constants[i];
      logs[i] = std::clamp(logs[i] + std::clamp(step[i], -1.0, 1.0), std::log(constant.lower),
                           std::log(constant.upper));
    }
    return logs;
  }

  const FitProblem& problem_;
  const FitOptions& options_;
  std::vector<double> predicted_;
  std::vector<std::vector<double>> matrix_;  // lower triangle
  std::vector<double> gradient_;
  double damping_ = kFirstDamping;
};

}  // namespace

FitResult fit(const FitProblem& problem, const FitOptions& options) {
  validate(problem);
  Fitter fitter(problem, options);
  Point point = fitter.start();
  FitResult result;
  while (result.num_steps < options.max_steps) {
    ++result.num_steps;
    if (!fitter.step(point)) break;
  }
  result.constants = fitter.constants_of(point.logs);
  result.loss = point.loss;
  return result;
}

double fit_quantile(std::vector<double> values, double fraction) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const double place = fraction * static_cast<double>(values.size() - 1);
  const auto below = static_cast<size_t>(place);
  const size_t above = std::min(below + 1, values.size() - 1);
  return values[below] + (place - static_cast<double>(below)) * (values[above] - values[below]);
}

FitError fit_error(std::span<const double> predicted, std::span<const double> measured) {
  check(predicted.size() == measured.size(), "one prediction for each measured time");
  std::vector<double> errors;
  std::vector<double> sizes;
  for (size_t row = 0; row < predicted.size(); ++row) {
    errors.push_back(std::log(predicted[row] / measured[row]));
    sizes.push_back(std::abs(errors.back()));
  }
  return {.num_rows = static_cast<int64_t>(sizes.size()),
          .median = fit_quantile(sizes, 0.5),
          .p90 = fit_quantile(sizes, 0.9),
          .bias = fit_quantile(errors, 0.5)};
}

int fit_fold(const GemmOp& op) {
  uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  for (const int64_t part : {op.m, op.n, op.k, static_cast<int64_t>(op.layout)}) {
    for (int shift = 0; shift < 64; shift += 8) {
      hash = (hash ^ (static_cast<uint64_t>(part) >> shift & 0xff)) * 0x100000001b3;
    }
  }
  return static_cast<int>((hash ^ hash >> 32) % 3);
}

}  // namespace ambidex
