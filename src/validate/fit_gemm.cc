// SPDX-License-Identifier: Apache-2.0
#include "validate/fit_gemm.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>

#include "cost/interval.h"
#include "select/fit.h"

namespace ambidex {
namespace {

constexpr double kSpan = 8;           // a constant ends up within this factor of its start
constexpr double kMinSigma = 0.03;    // repeats of one measurement differ as much
constexpr size_t kMinSigmaRows = 10;  // fewer leave a sigma as it was
constexpr double kQuantile = 0.8;  // of |error|, which a normal distribution has at kIntervalSigmas
constexpr int kNumFolds = 3;

std::string template_name(const Measurements& measured) {
  return std::string(name_of(template_of(measured.format)));
}

/// The shapes of fold `fold`, or of the others.
Measurements shapes_of_fold(const Measurements& measured, int fold, bool inside) {
  Measurements out = measured;
  std::erase_if(out.shapes,
                [&](const MeasuredShape& shape) { return (fit_fold(shape.op) == fold) != inside; });
  return out;
}

/// Candidates of all shapes that can share what is prepared.
struct Group {
  GemmOp op;
  std::vector<GemmConfig> configs;  // every configuration of the file
  std::vector<const MeasuredShape*> shapes;
};

std::vector<Group> groups_of(const Measurements& measured) {
  std::map<uint64_t, Group> groups;
  for (const MeasuredShape& shape : measured.shapes) {
    Group& group = groups[prepare_key(shape.op)];
    if (group.configs.empty()) {
      group.op = shape.op;
      for (const MeasuredConfig& config : measured.configs) group.configs.push_back(config.config);
    }
    group.shapes.push_back(&shape);
  }
  std::vector<Group> out;
  for (auto& [key, group] : groups) out.push_back(std::move(group));
  return out;
}

/// Seconds of every timing, shapes in the order of the groups.
void predict(const Device& device, KernelTemplate kernel_template, std::span<const Group> groups,
             std::span<double> seconds) {
  const GemmModel model = make_gemm_model(device, kernel_template);
  size_t row = 0;
  std::vector<double> times;
  for (const Group& group : groups) {
    const PreparedConfigs prepared = prepare(model, group.op, group.configs);
    times.resize(group.configs.size());
    for (const MeasuredShape* shape : group.shapes) {
      gemm_seconds(model, prepared, shape->op, 0, times);
      for (const Timing& timing : shape->timings) {
        const double time = times[static_cast<size_t>(timing.config)];
        // What the model rules out pulls at nothing.
        seconds[row++] = std::isfinite(time) ? time : timing.seconds;
      }
    }
  }
}

void add_rows(FitProblem& problem, const MeasuredShape& shape) {
  double best = std::numeric_limits<double>::infinity();
  for (const Timing& timing : shape.timings) best = std::min(best, timing.seconds);
  double sum = 0;
  const size_t first = problem.weights.size();
  for (const Timing& timing : shape.timings) {
    const double ratio = best / timing.seconds;
    problem.measured.push_back(timing.seconds);
    problem.weights.push_back(ratio * ratio * ratio);
    sum += problem.weights.back();
  }
  for (size_t i = first; i < problem.weights.size(); ++i) problem.weights[i] /= sum;
}

const std::map<std::string, double>& constants_of(const Device& device, const std::string& name) {
  return device.calibration.at(name).constants;
}

void validate_names(const Device& device, const std::string& kernel_template,
                    const std::vector<std::string>& names) {
  std::vector<std::string> known;
  for (const auto& [name, value] : constants_of(device, kernel_template)) known.push_back(name);
  for (const std::string& name : names) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    throw Error(ErrorKind::bad_input, unknown_name("constant", name, known));
  }
}

/// All constants that a fit can move, or those asked for, less those held.
std::vector<std::string> names_of(const Device& device, const std::string& kernel_template,
                                  const std::vector<std::string>& asked,
                                  const std::vector<std::string>& held) {
  validate_names(device, kernel_template, asked);
  validate_names(device, kernel_template, held);
  std::vector<std::string> names;
  for (const auto& [name, value] : constants_of(device, kernel_template)) {
    const auto is_in = [&](const std::vector<std::string>& list) {
      return std::find(list.begin(), list.end(), name) != list.end();
    };
    if (is_in(asked) && !(value > 0)) {
      throw Error(ErrorKind::bad_input,
                  fmt::format("constant {}: a fit starts from a number > 0, and device {} has 0",
                              name, device.id));
    }
    const bool is_assumption = name.starts_with("assumed_");  // of the data sheet, not of times
    const bool is_wanted = asked.empty() ? value > 0 && !is_assumption : is_in(asked);
    if (is_wanted && !is_in(held)) names.push_back(name);
  }
  if (names.empty()) throw Error(ErrorKind::bad_input, "no constant is left to fit");
  return names;
}

Device with_constants(const Device& device, const std::string& kernel_template,
                      const std::vector<std::string>& names, std::span<const double> values) {
  Device out = device;
  std::map<std::string, double>& constants = out.calibration.at(kernel_template).constants;
  for (size_t i = 0; i < names.size(); ++i) constants[names[i]] = values[i];
  return out;
}

Device fitted(const Device& device, const Measurements& measured,
              const std::vector<std::string>& names) {
  const std::string kernel_template = template_name(measured);
  const std::vector<Group> groups = groups_of(measured);
  FitProblem problem;
  for (const std::string& name : names) {
    const double start = constants_of(device, kernel_template).at(name);
    problem.constants.push_back(
        {.name = name, .start = start, .lower = start / kSpan, .upper = start * kSpan});
    if (name == "overlap_ratio") problem.constants.back().upper = std::max(1.0, start);
  }
  for (const Group& group : groups) {
    for (const MeasuredShape* shape : group.shapes) add_rows(problem, *shape);
  }
  problem.predict = [&](std::span<const double> values, std::span<double> seconds) {
    predict(with_constants(device, kernel_template, names, values), template_of(measured.format),
            groups, seconds);
  };
  return with_constants(device, kernel_template, names, fit(problem).constants);
}

void set_sigma(Calibration& calibration, std::span<const ShapeTrial> unseen) {
  std::array<std::vector<double>, kNumRegimes> sizes;
  for (const ShapeTrial& trial : unseen) {
    if (!trial.choice) continue;
    const double best = trial.candidates[best_of(trial)].measured_seconds;
    sizes[static_cast<size_t>(trial.choice->regime)].push_back(
        std::abs(std::log(best / trial.choice->seconds)));
  }
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i].size() < kMinSigmaRows) continue;
    const double sigma = fit_quantile(sizes[i], kQuantile) / kIntervalSigmas;
    calibration.sigma[std::string(name_of(static_cast<Regime>(i)))] = std::max(kMinSigma, sigma);
  }
}

}  // namespace

GemmFit fit_gemm(const Device& device, const Measurements& measured,
                 const std::vector<std::string>& constants, const std::vector<std::string>& held) {
  if (template_of(measured.format) == KernelTemplate::library) {
    throw Error(ErrorKind::bad_input,
                "expected times of kernel configurations, got times of a library; see `ambidex "
                "fit library --help`");
  }
  const std::string kernel_template = template_name(measured);
  make_gemm_model(device, template_of(measured.format));  // for its messages
  GemmFit out{.constants = names_of(device, kernel_template, constants, held)};
  out.before = validate_gemm(device, measured).all;
  std::vector<ShapeTrial> unseen;
  for (int fold = 0; fold < kNumFolds; ++fold) {
    const Measurements seen = shapes_of_fold(measured, fold, false);
    const Device by_others = fitted(device, seen, out.constants);
    const ValidationReport rest = validate_gemm(by_others, shapes_of_fold(measured, fold, true));
    unseen.insert(unseen.end(), rest.trials.begin(), rest.trials.end());
    if (fold > 0) continue;
    out.fitted = validate_gemm(by_others, seen).all;
    out.held_out = rest.all;
  }
  out.cross_validated = metrics_of(unseen);
  Device final_device = fitted(device, measured, out.constants);
  out.calibration = final_device.calibration.at(kernel_template);
  set_sigma(out.calibration, unseen);
  final_device.calibration.at(kernel_template) = out.calibration;
  out.all = validate_gemm(final_device, measured).all;
  return out;
}

}  // namespace ambidex
