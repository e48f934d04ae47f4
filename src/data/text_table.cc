// SPDX-License-Identifier: Apache-2.0
#include "data/text_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <unordered_set>
#include <utility>

#include "ambidex/base.h"
#include "base/text.h"
#include "data/row_encoder.h"

namespace ambidex {
namespace {

/// Mean and variance of a stream (Welford 1962).
struct Moments {
  int64_t count = 0;
  double mean = 0;
  double squares = 0;  // sum of squared distances to the mean
  double minimum = 0;

  void add(double value) {
    minimum = count == 0 ? value : std::min(minimum, value);
    ++count;
    const double distance = value - mean;
    mean += distance / static_cast<double>(count);
    squares += distance * (value - mean);
  }
  double deviation() const {
    return count == 0 ? 1 : std::sqrt(squares / static_cast<double>(count));
  }
};

bool needs_pass(const DenseRule& rule) {
  return rule.transform == DenseTransform::standard ||
         rule.transform == DenseTransform::log_shifted;
}

/// What a pass has found so far.
struct Collected {
  std::vector<Moments> moments;  // of the encoder's dense cells
  std::map<std::string, std::unordered_set<std::string, TextHash, std::equal_to<>>> seen;
  DataStatistics statistics;
};

void collect_row(const RowEncoder& encoder, const TextRow& row, Collected& found) {
  for (size_t i = 0; i < encoder.dense.size(); ++i) {
    const std::string_view cell = row.cells[encoder.dense[i].cell];
    if (!needs_pass(encoder.dense[i].rule) || cell.empty()) continue;
    found.moments[i].add(*double_from_text(cell));  // the encoder has accepted it
  }
  for (const IdCell& column : encoder.ids) {
    if (column.encoding != IdEncoding::vocabulary) continue;
    auto& seen = found.seen[column.table];
    for_each_id(column, row.cells[column.cell], [&](std::string_view token) {
      if (token.empty() || seen.contains(token)) return;
      seen.emplace(token);
      found.statistics.vocabularies[column.table].emplace_back(token);
    });
  }
}

/// Names under which a data set without a value of them is still complete.
void add_empty(const RowEncoder& encoder, DataStatistics& statistics) {
  for (const IdCell& column : encoder.ids) {
    if (column.encoding == IdEncoding::vocabulary) statistics.vocabularies[column.table];
  }
}

/// Encodes the row, or says why not to `bad`.
bool encode_or_meet(const TextTable& table, const RowEncoder& encoder, const TextRow& row,
                    int64_t number, Records& records, BadRecords& bad) {
  if (!row.complaint.empty()) {
    bad.meet(fmt::format("{}: {}", table.place(), row.complaint));
    return false;
  }
  try {
    encode_row(encoder, row.cells, number, records);
  } catch (const Error& error) {
    if (error.kind != ErrorKind::bad_input) throw;
    bad.meet(fmt::format("{}: {}", table.place(), error.what()));
    return false;
  }
  return true;
}

}  // namespace

void split_cells(std::string_view line, char separator, std::vector<std::string_view>& cells) {
  cells.clear();
  while (true) {
    const size_t end = line.find(separator);
    cells.push_back(line.substr(0, end));
    if (end == std::string_view::npos) return;
    line.remove_prefix(end + 1);
  }
}

bool is_hex_id(std::string_view cell) {
  constexpr size_t kDigits = 8;
  return cell.size() == kDigits &&
         cell.find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos;
}

Source source_of(const TextTable& table, const RecordLayout& layout,
                 const DataStatistics& statistics) {
  auto encoder = std::make_shared<RowEncoder>(row_encoder(table, layout, statistics, false));
  auto row = std::make_shared<TextRow>();
  Source source;
  source.read = [table, encoder, row](Records& records, int64_t max_records, BadRecords& bad) {
    const int64_t target = records.size + max_records;
    while (records.size < target && table.next(*row)) {
      encode_or_meet(table, *encoder, *row, table.position().record - 1, records, bad);
    }
  };
  source.position = table.position;
  source.seek = table.seek;
  source.pass_to = table.pass_to;
  source.end_before = table.end_before;
  return source;
}

bool needs_statistics(const TextTable& table, const RecordLayout& layout) {
  const RowEncoder encoder = row_encoder(table, layout, {}, true);
  return std::any_of(encoder.dense.begin(), encoder.dense.end(),
                     [](const DenseCell& column) { return needs_pass(column.rule); }) ||
         std::any_of(encoder.ids.begin(), encoder.ids.end(), [](const IdCell& column) {
           return column.encoding == IdEncoding::vocabulary;
         });
}

DataStatistics collect_statistics(const TextTable& table, const RecordLayout& layout,
                                  const std::function<bool(int64_t)>& is_training,
                                  BadRecords& bad) {
  const RowEncoder encoder = row_encoder(table, layout, {}, true);
  Collected found;
  found.moments.resize(encoder.dense.size());
  add_empty(encoder, found.statistics);
  TextRow row;
  Records scratch;
  while (table.next(row)) {
    const int64_t number = table.position().record - 1;
    if (!is_training(number)) continue;
    if (!encode_or_meet(table, encoder, row, number, scratch, bad)) continue;
    collect_row(encoder, row, found);
    remove_last(encoder, scratch);
  }
  for (size_t i = 0; i < encoder.dense.size(); ++i) {
    const Moments& moments = found.moments[i];
    const std::string& name = layout.dense[i].name;
    if (encoder.dense[i].rule.transform == DenseTransform::standard) {
      found.statistics.means[name] = moments.mean;
      found.statistics.deviations[name] = moments.deviation();
    } else if (encoder.dense[i].rule.transform == DenseTransform::log_shifted) {
      found.statistics.minimums[name] = moments.minimum;
    }
  }
  return std::move(found.statistics);
}

}  // namespace ambidex
