// SPDX-License-Identifier: Apache-2.0
// ambidex validate: predicted beside measured times, for anyone who wants to check.
#include "ambidex/validate.h"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/html.h"
#include "cli/json.h"
#include "cli/verbs.h"

namespace ambidex {
namespace {

using Json = nlohmann::ordered_json;

constexpr int64_t kFewRows = 40;  // of a best-known table: listed one by one
constexpr int64_t kNumWorst = 5;

struct ValidateOptions {
  std::string file;
  std::string device;
  std::string library;
  std::string html;
  std::vector<std::string> exclude;
  bool json = false;
};

template <class T>
Json json_value(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}
Json json_value(int64_t value) { return value; }

Json json_of(const ValidationMetrics& metrics) {
  Json out = Json::object();
  visit_fields(
      [&](std::string_view key, const auto& value) { out[std::string(key)] = json_value(value); },
      metrics);
  return out;
}

Json json_of(const ValidationReport& report, const std::string& source) {
  Json out = Json::object();
  out["device"] = report.device.id;
  out["device_hash"] = device_hash(report.device);
  out["file"] = source;
  out["format"] = name_of(report.format);
  out["template"] = name_of(template_of(report.format));
  out["model_version"] = kGemmModelVersion;
  out["skipped_rows"] = report.num_skipped_rows;
  out["excluded_rows"] = report.num_excluded_rows;
  out.update(json_of(report.all));
  for (int i = 0; i < kNumRegimes; ++i) {
    const auto name = std::string(name_of(static_cast<Regime>(i)));
    out["regimes"][name] = json_of(report.regimes[static_cast<size_t>(i)]);
  }
  for (const auto& [name, metrics] : report.libraries) out["libraries"][name] = json_of(metrics);
  return out;
}

std::string text_of(const ValidationReport& report, const Measurements& measured,
                    const std::string& source) {
  std::string out = fmt::format(
      "{}: {} format, {} shapes, {} timings; {} rows skipped, {} excluded\n{} ({}), {} model "
      "version {}, device data {}\n\n",
      source, name_of(report.format), report.all.num_shapes, report.all.num_timings,
      report.num_skipped_rows, report.num_excluded_rows, report.device.name, report.device.id,
      name_of(template_of(report.format)), kGemmModelVersion, device_hash(report.device));
  if (report.trials.empty()) {
    return out + "Nothing is left to compare: every row is of another device or excluded.\n";
  }
  out += text_of(summary_table(report));
  if (!report.libraries.empty()) out += "\n" + text_of(libraries_table(report));
  const bool lists_all =
      report.format == MeasurementFormat::best_known && std::ssize(report.trials) <= kFewRows;
  return out + "\n" + text_of(worst_table(report, measured, lists_all ? kFewRows : kNumWorst));
}

Measurements read_library(const std::string& path, const std::string& device) {
  Measurements library = read_measurements(path, {.device = device});
  if (library.format == MeasurementFormat::library) return library;
  throw Error(ErrorKind::bad_input,
              fmt::format("--library: {}: expected times of the vendor's library (device,dtype,M,"
                          "N,K,layout,time_us), got a {} file; see docs/validation.md",
                          path, name_of(library.format)));
}

std::string validated(const ValidateOptions& options) {
  const Device device = load_device(options.device);
  keep_input(options.html, options.file);
  keep_input(options.html, options.library);
  MeasurementOptions reading{.device = device.id};
  for (const std::string& text : options.exclude) {
    reading.exclusions.push_back(exclusion_from_text(text));
  }
  std::optional<Measurements> library;
  if (!options.library.empty()) library = read_library(options.library, device.id);
  const Measurements measured = read_measurements(options.file, reading);
  const ValidationReport report = validate_gemm(device, measured, library ? &*library : nullptr);
  const std::string source = std::filesystem::path(options.file).filename().string();
  for (const std::string& note : report.notes) print_note("note: " + note);
  std::string out =
      options.json ? dumped(json_of(report, source)) : text_of(report, measured, source);
  if (!options.html.empty()) write_html(options.html, page_of(report, measured, source));
  return out;
}

}  // namespace

void add_validate(CLI::App& app, Console& console) {
  const auto options = std::make_shared<ValidateOptions>();
  CLI::App* validate = app.add_subcommand("validate", "Put predicted beside measured times");
  validate->require_subcommand(1);
  CLI::App* gemm = validate->add_subcommand("gemm", "Times of matrix products");
  gemm->add_option("MEASUREMENTS", options->file,
                   "CSV file, plain or gzip, in a format of docs/validation.md")
      ->required();
  gemm->add_option("--device", options->device, "An id, or a file: ./mine.yaml")->required();
  gemm->add_option("--library", options->library,
                   "CSV file with the vendor library's times on the same shapes");
  gemm->add_option("--exclude", options->exclude,
                   "Leave out candidates: COLUMN=VALUE[,COLUMN=VALUE]; may be repeated")
      ->allow_extra_args(false);
  gemm->add_option("--html", options->html, "Also write tables and plots to this file");
  gemm->add_flag("--json", options->json, "One JSON document");
  gemm->callback([options, &console] { console.out = validated(*options); });
}

}  // namespace ambidex
