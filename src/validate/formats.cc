// SPDX-License-Identifier: Apache-2.0
#include "validate/formats.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <utility>

#include "base/text.h"

namespace ambidex {
namespace {

constexpr int64_t kMaxInt32 = std::numeric_limits<int32_t>::max();
constexpr int64_t kMaxTile = 4096;  // of a side; a larger one fits no device

/// A format has all of `shape` and `config` and can be told by having any of `marks`.
struct Format {
  MeasurementFormat format;
  std::string_view name;
  std::vector<std::string_view> marks;
  std::vector<std::string_view> shape;
  std::vector<std::string_view> config;
  bool has_more_config = false;  // further columns name configurations, too
};

// The first that fits is the one.
const std::vector<Format>& formats() {
  static const std::vector<Format> kFormats{
      {MeasurementFormat::best_known,
       "best_known",
       {"lib", "quant", "order"},
       {"device", "dtype_in", "dtype_out", "layout", "M", "N", "K", "batch", "quant", "order"},
       {"lib"},
       false},
      {MeasurementFormat::tensile,
       "tensile",
       {"mt_m", "mt_n", "mt_k"},
       {"layout", "M", "N", "K"},
       {"mt_m", "mt_n", "mt_k", "mi", "cms", "streamk", "wgm", "wgmxcc", "direct_to_lds",
        "transpose_lds", "miwt", "wg"},
       true},
      {MeasurementFormat::triton,
       "triton",
       {"bm", "bn", "bk"},
       {"device", "dtype", "M", "N", "K", "layout"},
       {"bm", "bn", "bk", "warps", "stages", "split_k", "group_m"},
       true},
      {MeasurementFormat::library,
       "library",
       {"time_us"},
       {"device", "dtype", "M", "N", "K", "layout"},
       {},
       false},
  };
  return kFormats;
}

const Format& recognised(const CsvRow& row) {
  for (const Format& format : formats()) {
    const auto has = [&](std::string_view mark) { return row.find(mark).has_value(); };
    if (std::any_of(format.marks.begin(), format.marks.end(), has)) return format;
  }
  throw Error(ErrorKind::bad_input,
              fmt::format("{}: header: expected one of a known format, with bm (Triton), mt_m "
                          "(Tensile), lib (best known) or time_us (library), got {}; see "
                          "docs/validation.md",
                          row.place(), quote(fmt::format("{}", row.columns().front()))));
}

/// What `read` returns; its Error gets the place in the file.
template <class Read>
auto located(const CsvRow& row, int column, Read read) {
  try {
    return read();
  } catch (const Error& error) {
    throw Error(error.kind, fmt::format("{}: {}: {}", row.place(),
                                        row.columns()[static_cast<size_t>(column)], error.what()));
  }
}

int32_t integer(const CsvRow& row, std::string_view column, int64_t low, int64_t high) {
  return static_cast<int32_t>(row.integer(row.require(column), low, high));
}

int32_t integer_or(const CsvRow& row, std::string_view column, int64_t low, int64_t high,
                   int32_t absent) {
  return row.find(column) ? integer(row, column, low, high) : absent;
}

/// "8_4_1" as three numbers.
template <size_t kCount>
std::array<int32_t, kCount> underscored(const CsvRow& row, std::string_view column) {
  const int index = row.require(column);
  std::array<int32_t, kCount> values{};
  std::string_view rest = row.cell(index);
  for (size_t i = 0; i < kCount; ++i) {
    const size_t end = i + 1 < kCount ? std::min(rest.find('_'), rest.size()) : rest.size();
    const std::optional<int64_t> value = int64_from_text(rest.substr(0, end));
    if (!value || *value < 1 || *value > kMaxTile) {
      row.fail(index, fmt::format("{} integers from 1 to {} joined by _", kCount, kMaxTile),
               "write it like 8_4 or 32_8_1");
    }
    values[i] = static_cast<int32_t>(*value);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return values;
}

void read_sizes(const CsvRow& row, GemmOp& op) {
  op.m = integer(row, "M", 1, kMaxInt32);
  op.n = integer(row, "N", 1, kMaxInt32);
  op.k = integer(row, "K", 1, kMaxInt32);
  const int layout = row.require("layout");
  op.layout = located(row, layout, [&] { return layout_from_name(row.cell(layout)); });
}

void validate_at(const CsvRow& row, const GemmOp& op) {
  located(row, row.require("M"), [&] { validate(op); });
}

/// What a product of `dtype` is stored as where the file does not say.
DType stored_as(DType dtype) {
  switch (dtype) {
    case DType::f32:
    case DType::tf32:
      return DType::f32;
    case DType::f16:
      return DType::f16;
    default:
      return DType::bf16;
  }
}

MeasuredShape named_shape(const CsvRow& row) {
  MeasuredShape shape{.device = std::string(row.cell(row.require("device")))};
  const int dtype = row.require("dtype");
  shape.op.dtype = located(row, dtype, [&] { return dtype_from_name(row.cell(dtype)); });
  shape.op.out_dtype = stored_as(shape.op.dtype);
  read_sizes(row, shape.op);
  validate_at(row, shape.op);
  return shape;
}

MeasuredShape tensile_shape(const CsvRow& row) {
  MeasuredShape shape;
  read_sizes(row, shape.op);
  shape.op.cold = true;
  validate_at(row, shape.op);
  shape.op = from_column_major(shape.op);
  return shape;
}

/// The names of the best-known table; nothing for types that the library's predictor leaves out.
std::optional<DType> table_dtype(std::string_view name, bool is_output) {
  if (name == "bf16") return DType::bf16;
  if (name == "fp16") return DType::f16;
  if (name == "fp32" && is_output) return DType::f32;
  return std::nullopt;
}

std::optional<MeasuredShape> best_known_shape(const CsvRow& row) {
  const auto text = [&](std::string_view column) { return row.cell(row.require(column)); };
  const std::optional<DType> dtype = table_dtype(text("dtype_in"), false);
  const std::optional<DType> out_dtype = table_dtype(text("dtype_out"), true);
  const bool is_known = dtype && out_dtype && text("layout") != "unknown";
  if (!is_known || text("quant") != "none") return std::nullopt;
  MeasuredShape shape{.device = std::string(text("device"))};
  shape.op.dtype = *dtype;
  shape.op.out_dtype = *out_dtype;
  shape.op.batch = integer(row, "batch", 1, kMaxInt32);
  shape.op.cold = true;
  read_sizes(row, shape.op);
  validate_at(row, shape.op);
  const std::string_view order = text("order");
  if (order != "row" && order != "col") {
    row.fail(row.require("order"), "row or col", "say whether M and N are of row-major matrices");
  }
  // Letters are BLAS's in either order: TN has both operands contiguous in k.
  shape.op = from_column_major(shape.op);
  if (order == "row") std::swap(shape.op.m, shape.op.n);
  return shape;
}

GemmConfig triton_config(const CsvRow& row) {
  GemmConfig config;
  config.tile = {integer(row, "bm", 1, kMaxTile), integer(row, "bn", 1, kMaxTile),
                 integer(row, "bk", 1, kMaxTile)};
  config.num_warps = integer(row, "warps", 1, 64);
  config.num_stages = integer(row, "stages", 0, 64);
  config.split_k = integer(row, "split_k", 1, 1 << 20);
  config.group_m = integer(row, "group_m", 1, kMaxInt32);
  config.amd.matrix_instr = integer_or(row, "matrix_instr", 0, 64, 0);
  config.amd.waves_per_eu = integer_or(row, "waves_per_eu", 0, 16, 0);
  config.amd.kpack = integer_or(row, "kpack", 1, 8, 1);
  return config;
}

TensileHints tensile_hints(const CsvRow& row) {
  TensileHints hints;
  hints.stagger_u = integer_or(row, "staggeru", 0, kMaxInt32, hints.stagger_u);
  hints.stagger_u_stride = integer_or(row, "staggerustride", 0, kMaxInt32, hints.stagger_u_stride);
  hints.non_temporal_a = integer_or(row, "ntb", 0, 7, 0) != 0;  // Tensile's B is our A
  hints.non_temporal_store = integer_or(row, "ntd", 0, 7, 0) != 0;
  hints.cluster_local_read = integer_or(row, "cluster_local_read", 0, 1, 1) != 0;
  hints.single_lds_buffer = integer_or(row, "ldsbuf", 0, 1, 0) != 0;
  return hints;
}

/// Tensile thinks in columns: what it calls M are the columns of our row-major D.
GemmConfig tensile_config(const CsvRow& row) {
  constexpr int kWaveWidth = 64;
  GemmConfig config{.kernel_template = KernelTemplate::tensile};
  config.tile = {integer(row, "mt_n", 1, kMaxTile), integer(row, "mt_m", 1, kMaxTile),
                 integer(row, "mt_k", 1, kMaxTile)};
  const int32_t matrix_instr = integer(row, "mi", 1, 64);
  const auto wave_tiles = underscored<2>(row, "miwt");  // matrix instructions of one wave
  const auto group = underscored<3>(row, "wg");         // lanes of the group along M, N, K
  const int64_t num_lanes = int64_t{group[0]} * group[1] * group[2];
  if (num_lanes < kWaveWidth || num_lanes > 16 * kWaveWidth) {
    row.fail(row.require("wg"), "64 to 1024 lanes in all", "write it like 32_8_1");
  }
  config.num_warps = static_cast<int32_t>(num_lanes / kWaveWidth);
  config.group_m = integer(row, "wgm", -kMaxInt32, kMaxInt32);
  config.amd.matrix_instr = matrix_instr;
  config.tensile.wave_tile_m = wave_tiles[1] * matrix_instr;
  config.tensile.wave_tile_n = wave_tiles[0] * matrix_instr;
  config.tensile.stream_k = integer(row, "streamk", 0, 16);
  config.tensile.xcc_mapping = integer(row, "wgmxcc", 0, 1024);
  config.tensile.custom_schedule = integer(row, "cms", 0, 1) != 0;
  config.tensile.direct_to_lds = integer(row, "direct_to_lds", 0, 1) != 0;
  config.tensile.transpose_lds = integer(row, "transpose_lds", 0, 2) != 0;
  config.tensile.hints = tensile_hints(row);
  return config;
}

}  // namespace

std::string_view name_of(MeasurementFormat format) {
  for (const Format& known : formats()) {
    if (known.format == format) return known.name;
  }
  check(false, "every format is in the table");
  return "";
}

KernelTemplate template_of(MeasurementFormat format) {
  if (format == MeasurementFormat::triton) return KernelTemplate::triton;
  if (format == MeasurementFormat::tensile) return KernelTemplate::tensile;
  return KernelTemplate::library;
}

ColumnPlan plan_columns(const CsvRow& row) {
  const Format& format = recognised(row);
  ColumnPlan plan{.format = format.format, .time_us = row.require("time_us")};
  for (const std::string_view column : format.shape) plan.shape.push_back(row.require(column));
  for (const std::string_view column : format.config) plan.config.push_back(row.require(column));
  if (!format.has_more_config) return plan;
  plan.config.clear();
  for (int i = 0; i < static_cast<int>(row.columns().size()); ++i) {
    const bool is_shape = std::find(plan.shape.begin(), plan.shape.end(), i) != plan.shape.end();
    if (!is_shape && i != plan.time_us) plan.config.push_back(i);
  }
  return plan;
}

std::optional<MeasuredShape> shape_of(const CsvRow& row, MeasurementFormat format,
                                      const std::string& device) {
  if (format == MeasurementFormat::tensile) return tensile_shape(row);  // names no device
  if (!device.empty() && row.cell(row.require("device")) != device) return std::nullopt;
  if (format == MeasurementFormat::best_known) return best_known_shape(row);
  return named_shape(row);
}

GemmConfig config_of(const CsvRow& row, MeasurementFormat format) {
  if (format == MeasurementFormat::triton) return triton_config(row);
  if (format == MeasurementFormat::tensile) return tensile_config(row);
  return {.kernel_template = KernelTemplate::library};
}

}  // namespace ambidex
