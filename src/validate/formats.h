// SPDX-License-Identifier: Apache-2.0
// What the columns of each measurement format mean.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ambidex/measurements.h"
#include "validate/csv.h"

namespace ambidex {

/// Which columns say what; indices into CsvRow::columns().
struct ColumnPlan {
  MeasurementFormat format = MeasurementFormat::triton;
  std::vector<int> shape;   // equal cells: equal op on an equal device
  std::vector<int> config;  // equal cells: equal configuration
  int time_us = 0;
};

/// throws Error(bad_input) on a header of no known format, or that lacks a column
ColumnPlan plan_columns(const CsvRow& row);

/// Op and device of a row, without timings; nothing if it is of another device than `device` (if
/// that is not empty) or of a kind that the models do not cover.
///   throws Error(bad_input) with file, line and field
std::optional<MeasuredShape> shape_of(const CsvRow& row, MeasurementFormat format,
                                      const std::string& device);

/// throws Error(bad_input) with file, line and field
GemmConfig config_of(const CsvRow& row, MeasurementFormat format);

}  // namespace ambidex
