// SPDX-License-Identifier: Apache-2.0
// ambidex fit: the constants of a cost model from measured times, as a block for data/devices.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "cli/verbs.h"
#include "validate/fit_library.h"

namespace ambidex {
namespace {

using Json = nlohmann::ordered_json;

struct FitVerbOptions {
  std::string file;
  std::string device;
  std::string rows;  // name of the device in the file
  std::vector<std::string> constants;
  bool json = false;
};

std::string error_line(std::string_view what, const FitError& error) {
  return fmt::format("# {:<33} {:>6} {:>9.1f} {:>7.1f} {:>+7.1f}\n", what, error.num_rows,
                     100 * error.median, 100 * error.p90, 100 * error.bias);
}

/// Four digits are more than any fit determines.
std::string number(double value) { return fmt::format("{:.4g}", value); }

std::string text_of(const LibraryFit& fit) {
  std::string out = fmt::format("# fitted: {}\n", fmt::join(fit.constants, " "));
  out += fmt::format("# {:<33} {:>6} {:>9} {:>7} {:>7}\n", "error in % of time", "rows", "median",
                     "p90", "bias");
  out += error_line("before", fit.before);
  out += error_line("two thirds, fitted", fit.fitted);
  out += error_line("the other third, not seen", fit.held_out);
  out += error_line("each third, not seen", fit.cross_validated);
  out += error_line("all, fitted", fit.all);
  out += "calibration:\n  library:\n    constants:\n";
  for (const auto& [name, value] : fit.calibration.constants) {
    out += fmt::format("      {}: {}\n", name, number(value));
  }
  out += "    sigma: {";
  std::string_view separator;
  for (const auto& [name, value] : fit.calibration.sigma) {
    out += fmt::format("{}{}: {:.2g}", separator, name, value);
    separator = ", ";
  }
  return out + "}\n";
}

Json json_of(const FitError& error) {
  return {{"num_rows", error.num_rows},
          {"median_error_ratio", error.median},
          {"p90_error_ratio", error.p90},
          {"bias_ratio", error.bias}};
}

std::string json_text_of(const LibraryFit& fit) {
  const Json json{{"fitted_constants", fit.constants},
                  {"before", json_of(fit.before)},
                  {"fitted", json_of(fit.fitted)},
                  {"held_out", json_of(fit.held_out)},
                  {"cross_validated", json_of(fit.cross_validated)},
                  {"all", json_of(fit.all)},
                  {"constants", fit.calibration.constants},
                  {"sigma", fit.calibration.sigma}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string fit_text(const FitVerbOptions& options) {
  const Device device = load_device(options.device);
  const std::string& rows = options.rows.empty() ? device.id : options.rows;
  const Measurements measured = read_measurements(options.file, {.device = rows, .exclusions = {}});
  if (measured.shapes.empty()) {
    throw Error(ErrorKind::bad_input,
                fmt::format("{}: no rows of device {}; give the name that the file has by --rows",
                            options.file, rows));
  }
  const LibraryFit fit = fit_library(device, measured, options.constants);
  return options.json ? json_text_of(fit) : text_of(fit);
}

}  // namespace

void add_fit(CLI::App& app, Console& console) {
  CLI::App* verb = app.add_subcommand("fit", "Fit the constants of a cost model to measured times");
  verb->require_subcommand(1);
  const auto options = std::make_shared<FitVerbOptions>();
  CLI::App* library = verb->add_subcommand(
      "library", "Of the vendor's library: prints calibration.library, and how well it predicts");
  library->add_option("FILE", options->file, "CSV of times, see docs/validation.md")->required();
  library->add_option("--device", options->device, "Start here: an id or ./mine.yaml")->required();
  library->add_option("--rows", options->rows,
                      "Device of the rows, if it has another name in FILE");
  library->add_option("--constants", options->constants, "Fit these, joined by commas")
      ->delimiter(',');
  library->add_flag("--json", options->json, "One JSON document");
  library->callback([options, &console] { console.out = fit_text(*options); });
}

}  // namespace ambidex
