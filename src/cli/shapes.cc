// SPDX-License-Identifier: Apache-2.0
#include "cli/shapes.h"

#include <fmt/format.h>

#include <limits>
#include <optional>

#include "ambidex/select.h"
#include "validate/csv.h"

namespace ambidex {
namespace {

constexpr int64_t kMaxSize = std::numeric_limits<int32_t>::max();

struct Columns {
  int m, n, k;
  std::optional<int> layout, dtype, count;
};

Columns columns_of(const CsvRow& row) {
  return {.m = row.require("M"),
          .n = row.require("N"),
          .k = row.require("K"),
          .layout = row.find("layout"),
          .dtype = row.find("dtype"),
          .count = row.find("count")};
}

/// What `call` returns; the errors that it throws get the place of the cell.
template <class Call>
auto placed(const CsvRow& row, std::string_view field, Call call) {
  try {
    return call();
  } catch (const Error& error) {
    throw Error(error.kind, fmt::format("{}: {}: {}", row.place(), field, error.what()));
  }
}

Shape read_shape(const CsvRow& row, const Columns& columns, const GemmOp& pattern) {
  Shape shape{.op = pattern};
  shape.op.m = row.integer(columns.m, 1, kMaxSize);
  shape.op.n = row.integer(columns.n, 1, kMaxSize);
  shape.op.k = row.integer(columns.k, 1, kMaxSize);
  if (columns.layout) {
    shape.op.layout =
        placed(row, "layout", [&] { return layout_from_name(row.cell(*columns.layout)); });
  }
  if (columns.dtype) {
    shape.op.dtype =
        placed(row, "dtype", [&] { return dtype_from_name(row.cell(*columns.dtype)); });
    shape.op.out_dtype = default_out_dtype(shape.op.dtype);
  }
  if (columns.count) shape.count = row.integer(*columns.count, 1, kMaxSize);
  placed(row, "M,N,K", [&] { return validate(shape.op), 0; });
  return shape;
}

std::vector<Shape> shapes_of(LineReader& reader, const GemmOp& pattern) {
  CsvRow row(reader);
  const Columns columns = columns_of(row);
  std::vector<Shape> shapes;
  while (row.next()) {
    shapes.push_back(read_shape(row, columns, pattern));
    shapes.back().place = row.place();
  }
  if (!shapes.empty()) return shapes;
  throw Error(ErrorKind::bad_input,
              fmt::format("{}:2: expected a row under the header, got nothing; write one line "
                          "a product, such as 8192,1024,512,NN,bf16,1",
                          reader.where()));
}

}  // namespace

std::vector<Shape> read_shapes(const std::string& path, const GemmOp& pattern) {
  LineReader reader = LineReader::from_file(path);
  return shapes_of(reader, pattern);
}

std::vector<Shape> parse_shapes(std::string_view text, const std::string& where,
                                const GemmOp& pattern) {
  LineReader reader = LineReader::from_text(text, where);
  return shapes_of(reader, pattern);
}

}  // namespace ambidex
