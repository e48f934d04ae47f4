// SPDX-License-Identifier: Apache-2.0
// ambidex fit: the constants of a cost model from measured times, as a block for data/devices.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "cli/json.h"
#include "cli/verbs.h"
#include "validate/fit_gemm.h"
#include "validate/fit_library.h"

namespace ambidex {
namespace {

using Json = nlohmann::ordered_json;

struct FitVerbOptions {
  std::string file;
  std::string device;
  std::string rows;  // name of the device in the file
  std::vector<std::string> constants;
  std::vector<std::string> held;
  bool json = false;
};

std::string error_line(std::string_view what, const FitError& error) {
  return fmt::format("# {:<33} {:>6} {:>9.1f} {:>7.1f} {:>+7.1f}\n", what, error.num_rows,
                     100 * error.median, 100 * error.p90, 100 * error.bias);
}

/// Four digits are more than any fit determines.
std::string number(double value) { return fmt::format("{:.4g}", value); }

/// As it stands in a device's file.
std::string calibration_text(const Calibration& calibration, std::string_view kernel_template) {
  std::string out = fmt::format("calibration:\n  {}:\n    constants:\n", kernel_template);
  for (const auto& [name, value] : calibration.constants) {
    out += fmt::format("      {}: {}\n", name, number(value));
  }
  out += "    sigma: {";
  std::string_view separator;
  for (const auto& [name, value] : calibration.sigma) {
    out += fmt::format("{}{}: {:.2g}", separator, name, value);
    separator = ", ";
  }
  return out + "}\n";
}

std::string text_of(const LibraryFit& fit) {
  std::string out = fmt::format("# fitted: {}\n", fmt::join(fit.constants, " "));
  out += fmt::format("# {:<33} {:>6} {:>9} {:>7} {:>7}\n", "error in % of time", "rows", "median",
                     "p90", "bias");
  out += error_line("before", fit.before);
  out += error_line("two thirds, fitted", fit.fitted);
  out += error_line("the other third, not seen", fit.held_out);
  out += error_line("each third, not seen", fit.cross_validated);
  out += error_line("all, fitted", fit.all);
  return out + calibration_text(fit.calibration, "library");
}

Json json_of(const FitError& error) {
  return {{"num_rows", error.num_rows},
          {"median_error_ratio", error.median},
          {"p90_error_ratio", error.p90},
          {"bias_ratio", error.bias}};
}

Measurements measured_of(const Device& device, const FitVerbOptions& options) {
  const std::string& rows = options.rows.empty() ? device.id : options.rows;
  Measurements measured = read_measurements(options.file, {.device = rows, .exclusions = {}});
  if (!measured.shapes.empty()) return measured;
  throw Error(ErrorKind::bad_input,
              fmt::format("{}: no rows of device {}; give the name that the file has by --rows",
                          options.file, rows));
}

std::string metrics_line(std::string_view what, const ValidationMetrics& metrics) {
  const auto number = [](const std::optional<double>& value) { return value.value_or(0); };
  return fmt::format(
      "# {:<26} {:>6} {:>8.4f} {:>7.3f} {:>7.3f} {:>8.4f} {:>8.1f} {:>8.1f} {:>8.3f}\n", what,
      metrics.num_shapes, number(metrics.choice.geomean_efficiency),
      number(metrics.choice.p10_efficiency), number(metrics.choice.min_efficiency),
      number(metrics.choice.top3_geomean_efficiency),
      100 * number(metrics.time.median_abs_log_error),
      100 * number(metrics.time.best_median_abs_log_error), number(metrics.time.kendall_tau));
}

std::string text_of(const GemmFit& fit, std::string_view kernel_template) {
  std::string out = fmt::format("# fitted: {}\n", fmt::join(fit.constants, " "));
  out += fmt::format("# {:<26} {:>6} {:>8} {:>7} {:>7} {:>8} {:>8} {:>8} {:>8}\n",
                     "efficiency, % error", "shapes", "geomean", "p10", "min", "top-3", "all",
                     "best", "tau");
  out += metrics_line("before", fit.before);
  out += metrics_line("two thirds, fitted", fit.fitted);
  out += metrics_line("the other third, not seen", fit.held_out);
  out += metrics_line("each third, not seen", fit.cross_validated);
  out += metrics_line("all, fitted", fit.all);
  return out + calibration_text(fit.calibration, kernel_template);
}

Json json_of(const ValidationMetrics& metrics) {
  Json json;
  visit_fields(
      [&](std::string_view key, const auto& value) {
        if constexpr (requires { value.has_value(); }) {
          json[std::string(key)] = value ? Json(*value) : Json();
        } else {
          json[std::string(key)] = value;
        }
      },
      metrics);
  return json;
}

/// Of a LibraryFit or a GemmFit.
template <class Fit>
std::string json_text_of(const Fit& fit) {
  const Json json{{"fitted_constants", fit.constants},
                  {"before", json_of(fit.before)},
                  {"fitted", json_of(fit.fitted)},
                  {"held_out", json_of(fit.held_out)},
                  {"cross_validated", json_of(fit.cross_validated)},
                  {"all", json_of(fit.all)},
                  {"constants", fit.calibration.constants},
                  {"sigma", fit.calibration.sigma}};
  return dumped(json);
}

std::string library_text(const FitVerbOptions& options) {
  const Device device = load_device(options.device);
  const LibraryFit fit = fit_library(device, measured_of(device, options), options.constants);
  return options.json ? json_text_of(fit) : text_of(fit);
}

std::string gemm_text(const FitVerbOptions& options) {
  const Device device = load_device(options.device);
  const Measurements measured = measured_of(device, options);
  const GemmFit fit = fit_gemm(device, measured, options.constants, options.held);
  return options.json ? json_text_of(fit) : text_of(fit, name_of(template_of(measured.format)));
}

void add_common_options(CLI::App* verb, const std::shared_ptr<FitVerbOptions>& options) {
  verb->add_option("FILE", options->file, "CSV of times, see docs/validation.md")->required();
  verb->add_option("--device", options->device, "Start here: an id or ./mine.yaml")->required();
  verb->add_option("--rows", options->rows, "Device of the rows, if it has another name in FILE");
  verb->add_option("--constants", options->constants, "Fit these, joined by commas")
      ->delimiter(',');
  verb->add_flag("--json", options->json, "One JSON document");
}

}  // namespace

void add_fit(CLI::App& app, Console& console) {
  CLI::App* verb = app.add_subcommand("fit", "Fit the constants of a cost model to measured times");
  verb->require_subcommand(1);
  const auto options = std::make_shared<FitVerbOptions>();
  CLI::App* library = verb->add_subcommand(
      "library", "Of the vendor's library: prints calibration.library, and how well it predicts");
  add_common_options(library, options);
  library->callback([options, &console] { console.out = library_text(*options); });
  CLI::App* gemm = verb->add_subcommand(
      "gemm", "Of a kernel template: prints its calibration, and how well it chooses and predicts");
  add_common_options(gemm, options);
  gemm->add_option("--hold", options->held, "Fit all but these, joined by commas")->delimiter(',');
  gemm->callback([options, &console] { console.out = gemm_text(*options); });
}

}  // namespace ambidex
