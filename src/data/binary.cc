// SPDX-License-Identifier: Apache-2.0
#include "data/binary.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "ambidex/base.h"
#include "base/text.h"

namespace ambidex {

void check_number_ids(const RecordLayout& layout, std::string_view format) {
  constexpr int64_t kMaxRows = std::numeric_limits<int32_t>::max();
  for (const IdColumn& column : layout.ids) {
    if (column.encoding == IdEncoding::hash || column.encoding == IdEncoding::vocabulary) {
      throw Error(ErrorKind::unsupported,
                  fmt::format("feature {}: expected encoding integer, hex or automatic with {} "
                              "data, whose ids are numbers, got {}; change it in the model",
                              quote(column.feature), format, name_of(column.encoding)));
    }
    if (column.rows > kMaxRows) {
      throw Error(ErrorKind::unsupported,
                  fmt::format("feature {}: expected a table of at most {} rows, got {}; lower "
                              "rows of the table",
                              quote(column.feature), kMaxRows, column.rows));
    }
  }
}

std::optional<float> binary_label(double value, const RecordLayout& layout) {
  if (std::isnan(value)) {
    if (layout.labelled) return std::nullopt;
    return std::numeric_limits<float>::quiet_NaN();
  }
  if (layout.label_at_least) return value >= *layout.label_at_least ? 1.f : 0.f;
  if (value != 0 && value != 1) return std::nullopt;
  return static_cast<float>(value);
}

std::string bad_label(const std::string& place, double value,
                      const std::optional<double>& label_at_least) {
  if (label_at_least) return fmt::format("{}: label: expected a number, got {}", place, value);
  return fmt::format(
      "{}: label: expected 0 or 1, got {}; for grades, set data.label_at_least to "
      "the lowest that counts as 1",
      place, value);
}

std::string bad_dense(const std::string& place, const std::string& feature, float value) {
  return fmt::format(
      "{}: dense {}: expected a finite number, got {}; repair the file, or skip such "
      "records",
      place, quote(feature), value);
}

namespace {

void set_size(Records& records, int64_t size, const RecordLayout& layout) {
  const auto count = static_cast<size_t>(size);
  records.size = size;
  records.labels.resize(count);
  records.numbers.resize(count);
  records.dense.resize(count * layout.dense.size());
  records.ids.resize(count * static_cast<size_t>(layout.num_lookups));
}

}  // namespace

void append_decoded(Records& records, int64_t count, int64_t& number, const RecordLayout& layout,
                    BadRecords& bad,
                    const std::function<std::string(int64_t i, int64_t at)>& decode) {
  int64_t size = records.size;
  set_size(records, size + count, layout);
  for (int64_t i = 0; i < count; ++i, ++number) {
    const std::string wrong = decode(i, size);
    if (wrong.empty()) {
      records.numbers[static_cast<size_t>(size++)] = number;
      continue;
    }
    try {
      bad.meet(wrong);
    } catch (const Error&) {
      set_size(records, size, layout);
      throw;
    }
  }
  set_size(records, size, layout);
}

}  // namespace ambidex
