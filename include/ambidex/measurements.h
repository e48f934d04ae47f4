// SPDX-License-Identifier: Apache-2.0
// Measured times of matrix products, read from CSV files (plain or gzip) that other programs wrote.
// The header line says which format it is; docs/validation.md lists them.
//
//   using namespace ambidex;
//   Measurements measured = read_measurements("h200.csv", {.device = "h200"});
//   measured.shapes[0].timings[0].seconds
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ambidex/base.h"
#include "ambidex/cost.h"

namespace ambidex {

enum class MeasurementFormat : uint8_t {
  triton,      // a grid of Triton configurations, row-major, warm
  tensile,     // a tuning run of Tensile, column-major, cold
  library,     // the vendor library's times, row-major, warm
  best_known,  // best times of several libraries, cold; a configuration is the name of a library
};
std::string_view name_of(MeasurementFormat format);

/// Whose kernels a format times: the last two are KernelTemplate::library.
KernelTemplate template_of(MeasurementFormat format);

struct MeasuredConfig {
  GemmConfig config;
  int32_t twin = 0;      // first index of an equal `config`: they differ in what no field holds
  std::string identity;  // cells of Measurements::config_columns, joined by commas
};

/// Median over the repetitions of one configuration.
struct Timing {
  int32_t config = 0;  // index into Measurements::configs
  double seconds = 0;
};

struct MeasuredShape {
  GemmOp op;  // row-major
  std::string device;
  std::vector<Timing> timings;  // by config, each once
};

struct Measurements {
  MeasurementFormat format = MeasurementFormat::triton;
  std::vector<std::string> config_columns;  // all but shape and time, as in the file
  std::vector<MeasuredConfig> configs;      // by identity, numbers within it by value
  std::vector<MeasuredShape> shapes;        // in the order of the file
  int64_t num_rows = 0;
  int64_t num_skipped_rows = 0;   // of another device, or of a kind that the models do not cover
  int64_t num_excluded_rows = 0;  // by MeasurementOptions::exclusions
};

/// A row that has all of these cells is left out.
struct Exclusion {
  std::vector<std::pair<std::string, std::string>> cells;  // column, value
};
/// "mt_m=256,mt_n=256"
///   throws Error(bad_input)
Exclusion exclusion_from_text(std::string_view text);

struct MeasurementOptions {
  std::string device;  // id; rows of others are skipped. Empty: all are kept.
  std::vector<Exclusion> exclusions;
};

/// throws Error(not_found) if there is no such file, Error(bad_input) with file, line and field
Measurements read_measurements(const std::string& path, const MeasurementOptions& options);
/// The same from plain text; `where` is the file name that messages carry.
Measurements parse_measurements(std::string_view text, const std::string& where,
                                const MeasurementOptions& options);

}  // namespace ambidex
