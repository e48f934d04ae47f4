// SPDX-License-Identifier: Apache-2.0
#include "validate/fit_library.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>

#include "cost/interval.h"
#include "cost/library.h"

namespace ambidex {
namespace {

constexpr double kClip = 0.05;        // of FitOptions: a library's bad picks shall not bend it
constexpr double kSpan = 20;          // a constant ends up within this factor of its start
constexpr double kMinSigma = 0.03;    // repeats of one measurement differ as much
constexpr size_t kMinSigmaRows = 10;  // fewer leave a sigma as it was
constexpr double kQuantile = 0.8;  // of |error|, which a normal distribution has at kIntervalSigmas
constexpr int kNumFolds = 3;
constexpr std::string_view kClock = "sustained_clock_hz";

/// What times of one data type on one device can tell apart; the rest is held.
constexpr std::string_view kDefaultConstants[] = {"launch_seconds",
                                                  "latency_seconds",
                                                  "epilogue_bytes_per_clock",
                                                  "split_seconds",
                                                  "misaligned_clocks",
                                                  "misaligned_load_clocks",
                                                  kClock};

struct Row {
  GemmOp op;
  double seconds = 0;
  int library = 0;  // index into the names
};

struct Rows {
  std::vector<Row> rows;
  std::vector<std::string> libraries;  // "" is the main one
};

Rows rows_of(const Measurements& measured) {
  if (template_of(measured.format) != KernelTemplate::library) {
    throw Error(ErrorKind::bad_input,
                fmt::format("expected times of a library, got a {} file; see docs/validation.md",
                            name_of(measured.format)));
  }
  Rows out;
  for (const MeasuredConfig& config : measured.configs) out.libraries.push_back(config.identity);
  for (const MeasuredShape& shape : measured.shapes) {
    for (const Timing& timing : shape.timings) {
      out.rows.push_back({shape.op, timing.seconds, timing.config});
    }
  }
  return out;
}

std::string ratio_name(std::string_view library) { return fmt::format("lib_{}_ratio", library); }

/// `device` with a ratio for each library of the rows.
Device completed(const Device& device, const Rows& rows) {
  Device out = device;
  make_library_model(device);  // for its messages
  std::map<std::string, double>& constants = out.calibration.at("library").constants;
  for (const std::string& library : rows.libraries) {
    if (!library.empty()) constants.try_emplace(ratio_name(library), 1.0);
  }
  return out;
}

std::vector<LibraryModel> models_of(const Device& device, const std::vector<std::string>& names) {
  const LibraryModel main = make_library_model(device);
  std::vector<LibraryModel> models;
  for (const std::string& name : names) {
    models.push_back(name.empty() ? main : for_library(main, name));
  }
  return models;
}

void predict(const Device& device, const Rows& rows, std::span<double> seconds) {
  const std::vector<LibraryModel> models = models_of(device, rows.libraries);
  for (size_t i = 0; i < rows.rows.size(); ++i) {
    const Row& row = rows.rows[i];
    seconds[i] = library_seconds(models[static_cast<size_t>(row.library)], row.op);
  }
}

std::vector<double> measured_of(const Rows& rows) {
  std::vector<double> seconds;
  for (const Row& row : rows.rows) seconds.push_back(row.seconds);
  return seconds;
}

std::vector<double> predicted_of(const Device& device, const Rows& rows) {
  std::vector<double> seconds(rows.rows.size());
  predict(device, rows, seconds);
  return seconds;
}

FitError error_of(const Device& device, const Rows& rows) {
  return fit_error(predicted_of(device, rows), measured_of(rows));
}

/// The rows of fold `fold`, or of the others.
Rows rows_of_fold(const Rows& rows, int fold, bool inside) {
  Rows out{.rows = {}, .libraries = rows.libraries};
  for (const Row& row : rows.rows) {
    if ((fit_fold(row.op) == fold) == inside) out.rows.push_back(row);
  }
  return out;
}

const std::map<std::string, double>& constants_of(const Device& device) {
  return device.calibration.at("library").constants;
}

std::vector<std::string> default_constants(const Device& device) {
  std::vector<std::string> names;
  const std::map<std::string, double>& constants = constants_of(device);
  for (const std::string_view name : kDefaultConstants) {
    const auto entry = constants.find(std::string(name));
    if (entry != constants.end() && entry->second > 0) names.emplace_back(name);
  }
  return names;
}

/// All libraries have a factor, and the main one's is held: the constants tell its time.
void add_ratios(std::vector<std::string>& names, const Device& device, const Rows& rows) {
  const double main_ratio = make_library_model(device).lib_ratio;
  for (const std::string& library : rows.libraries) {
    const std::string name = ratio_name(library);
    const bool is_main = library.empty() || constants_of(device).at(name) == main_ratio;
    if (!is_main && std::find(names.begin(), names.end(), name) == names.end()) {
      names.push_back(name);
    }
  }
}

FitConstant fit_constant(const Device& device, const std::string& name) {
  const std::map<std::string, double>& constants = constants_of(device);
  const auto entry = constants.find(name);
  if (entry == constants.end()) {
    std::vector<std::string> known;
    for (const auto& [other, value] : constants) known.push_back(other);
    throw Error(ErrorKind::bad_input, unknown_name("constant", name, known));
  }
  if (!(entry->second > 0)) {
    throw Error(ErrorKind::bad_input,
                fmt::format("constant {}: a fit starts from a number > 0, and device {} has {:g}",
                            name, device.id, entry->second));
  }
  FitConstant constant{.name = name,
                       .start = entry->second,
                       .lower = entry->second / kSpan,
                       .upper = entry->second * kSpan};
  if (name == kClock) {
    constant.upper = std::max(constant.start, make_library_model(device).clock_hz);
  }
  return constant;
}

Device with_constants(const Device& device, const std::vector<std::string>& names,
                      std::span<const double> values) {
  Device out = device;
  for (size_t i = 0; i < names.size(); ++i) {
    out.calibration.at("library").constants[names[i]] = values[i];
  }
  return out;
}

Device fitted(const Device& device, const Rows& rows, const std::vector<std::string>& names) {
  FitProblem problem;
  for (const std::string& name : names) {
    problem.constants.push_back(fit_constant(device, name));
  }
  problem.measured = measured_of(rows);
  problem.predict = [&](std::span<const double> values, std::span<double> seconds) {
    predict(with_constants(device, names, values), rows, seconds);
  };
  return with_constants(device, names, fit(problem, {.clip = kClip}).constants);
}

/// Errors of rows that the constants have not seen, by the sigma that they are to set.
struct Unseen {
  std::vector<double> measured;
  std::vector<double> predicted;
  std::array<std::vector<double>, kNumLibrarySigmas> sizes;
};

void add_unseen(Unseen& unseen, const Device& device, const Rows& rows) {
  const std::vector<LibraryModel> models = models_of(device, rows.libraries);
  const std::vector<double> predicted = predicted_of(device, rows);
  for (size_t i = 0; i < rows.rows.size(); ++i) {
    const Row& row = rows.rows[i];
    const LibrarySigma sigma = library_sigma(models[static_cast<size_t>(row.library)], row.op);
    unseen.measured.push_back(row.seconds);
    unseen.predicted.push_back(predicted[i]);
    unseen.sizes[static_cast<size_t>(sigma)].push_back(
        std::abs(std::log(predicted[i] / row.seconds)));
  }
}

void set_sigma(Calibration& calibration, const Unseen& unseen) {
  for (size_t i = 0; i < unseen.sizes.size(); ++i) {
    if (unseen.sizes[i].size() < kMinSigmaRows) continue;
    const double sigma = fit_quantile(unseen.sizes[i], kQuantile) / kIntervalSigmas;
    calibration.sigma[std::string(name_of(static_cast<LibrarySigma>(i)))] =
        std::max(kMinSigma, sigma);
  }
}

}  // namespace

LibraryFit fit_library(const Device& device, const Measurements& measured,
                       const std::vector<std::string>& constants) {
  const Rows rows = rows_of(measured);
  const Device start = completed(device, rows);
  LibraryFit out{.constants = constants.empty() ? default_constants(start) : constants};
  add_ratios(out.constants, start, rows);
  out.before = error_of(start, rows);
  Unseen unseen;
  for (int fold = 0; fold < kNumFolds; ++fold) {
    const Rows seen = rows_of_fold(rows, fold, false);
    const Rows rest = rows_of_fold(rows, fold, true);
    const Device by_others = fitted(start, seen, out.constants);
    add_unseen(unseen, by_others, rest);
    if (fold > 0) continue;
    out.fitted = error_of(by_others, seen);
    out.held_out = error_of(by_others, rest);
  }
  out.cross_validated = fit_error(unseen.predicted, unseen.measured);
  const Device final_device = fitted(start, rows, out.constants);
  out.all = error_of(final_device, rows);
  out.calibration = final_device.calibration.at("library");
  set_sigma(out.calibration, unseen);
  return out;
}

LibraryRows library_rows(const Device& device, const Measurements& measured) {
  const Rows rows = rows_of(measured);
  return {.measured = measured_of(rows), .predicted = predicted_of(completed(device, rows), rows)};
}

}  // namespace ambidex
