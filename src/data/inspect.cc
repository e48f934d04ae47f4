// SPDX-License-Identifier: Apache-2.0
// A look at a data set, field by field.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "ambidex/base.h"
#include "ambidex/data.h"
#include "base/text.h"
#include "data/lines.h"
#include "data/open.h"
#include "data/row_encoder.h"
#include "data/tally.h"

namespace ambidex {
namespace {

/// One field: its summary in the making.
struct Inspected {
  FieldSummary summary;
  FieldType type = FieldType::token;
  bool is_guess = false;  // a dense field as long as all values are numbers, else ids
  bool has_fraction = false;
  std::string separators;
  Tally numbers;
  Tally ids;
};

/// A layout with as many columns of either sort as the first line has: ids have eight digits.
RecordLayout criteo_layout(const DataFiles& files) {
  LineFiles lines(files.files);
  std::string_view line;
  std::vector<std::string_view> cells;
  if (lines.next(line)) split_cells(line, '\t', cells);
  constexpr size_t kStandard = 1 + 13 + 26;
  size_t first_id = 1 + 13;
  if (cells.size() != kStandard) {
    const auto found = std::find_if(cells.begin(), cells.end(), is_hex_id);
    first_id = static_cast<size_t>(found - cells.begin());
  }
  RecordLayout layout;
  for (size_t i = 1; i < cells.size(); ++i) {
    if (i < first_id) {
      layout.dense.push_back({});
    } else {
      layout.ids.push_back({});
    }
  }
  return layout;
}

Inspected inspected(const TextField& field, bool is_guess) {
  Inspected column{.type = field.type, .is_guess = is_guess && field.type == FieldType::token};
  column.summary.name = field.name;
  switch (field.type) {
    case FieldType::label:
      column.summary.kind = column.summary.maps_to = "label";
      break;
    case FieldType::number:
      column.summary.kind = "dense";
      column.summary.maps_to = "dense, log";
      break;
    case FieldType::hex:
      column.summary.kind = "id";
      column.summary.maps_to = "id, hex modulo rows";
      break;
    case FieldType::token:
      column.summary.kind = "id";
      column.summary.maps_to = "id, vocabulary";
      break;
    case FieldType::tokens:
    case FieldType::numbers:
      column.summary.kind = "ids";
      column.summary.maps_to = "ids, vocabulary";
      column.separators = " ";
  }
  return column;
}

/// Kinds and mapping as the model has them instead of the format's.
void map_to_model(const ModelSpec& model, const RowEncoder& encoder,
                  std::vector<Inspected>& columns) {
  for (Inspected& column : columns) {
    column.summary.maps_to = "";
    column.is_guess = false;
    column.type = column.type == FieldType::tokens ? FieldType::tokens : FieldType::token;
    column.summary.kind = "unused";
  }
  const auto add = [](Inspected& column, const std::string& kind, const std::string& text) {
    if (column.summary.maps_to.empty()) column.summary.kind = kind;
    if (!column.summary.maps_to.empty()) column.summary.maps_to += "; ";
    column.summary.maps_to += text;
  };
  Inspected& label = columns[*encoder.label_cell];  // the layout is a labelled one
  label.type = FieldType::number;
  add(label, "label",
      encoder.label_at_least ? fmt::format("label, 1 from {} on", *encoder.label_at_least)
                             : "label");
  if (!encoder.label_at_least) label.type = FieldType::label;
  for (size_t i = 0; i < encoder.dense.size(); ++i) {
    const DenseFeature& feature = model.dense_features[i];
    Inspected& column = columns[encoder.dense[i].cell];
    column.type = FieldType::number;
    add(column, "dense", fmt::format("dense {}, {}", feature.name, name_of(feature.transform)));
  }
  const RecordLayout layout = layout_of(model);
  for (size_t i = 0; i < encoder.ids.size(); ++i) {
    const IdCell& id = encoder.ids[i];
    Inspected& column = columns[id.cell];
    const bool is_vocabulary = id.encoding == IdEncoding::vocabulary;
    if (id.encoding == IdEncoding::hex) column.type = FieldType::hex;
    column.separators = id.separators;
    add(column, id.separators.empty() ? "id" : "ids",
        fmt::format("table {}, {}{}", id.table, name_of(id.encoding),
                    is_vocabulary ? "" : fmt::format(" modulo {}", layout.ids[i].rows)));
  }
}

/// Why the cell cannot be read; "" if it can.
std::string complaint_of(const Inspected& column, std::string_view cell) {
  const auto is_one = [&](double value) { return value == 0 || value == 1; };
  if (column.type == FieldType::label) {
    const std::optional<double> value = double_from_text(cell);
    if (value && is_one(*value)) return {};
    return fmt::format("{}: expected a label 0 or 1, got {}", column.summary.name, quote(cell));
  }
  if (cell.empty()) return {};
  if (column.type == FieldType::number && !double_from_text(cell)) {
    return fmt::format("{}: expected a finite number, got {}", column.summary.name, quote(cell));
  }
  constexpr size_t kMaxDigits = 16;
  if (column.type == FieldType::hex &&
      (cell.size() > kMaxDigits ||
       cell.find_first_not_of("0123456789abcdefABCDEF") != std::string_view::npos)) {
    return fmt::format("{}: expected a hexadecimal id of at most 16 digits, got {}",
                       column.summary.name, quote(cell));
  }
  return {};
}

void add_cell(Inspected& column, std::string_view cell) {
  if (cell.empty()) {
    ++column.numbers.num_blank;
    ++column.ids.num_blank;
    return;
  }
  const bool is_number = column.type == FieldType::number || column.type == FieldType::label;
  if (is_number || column.is_guess) {
    const std::optional<double> value = double_from_text(cell);
    column.is_guess = column.is_guess && value.has_value();
    if (value) {
      add_number(column.numbers, *value);
      column.has_fraction = column.has_fraction || std::floor(*value) != *value;
    }
  }
  if (is_number) return;
  IdCell several;
  several.separators = column.separators;
  several.lookups = kMaxLineBytes;
  for_each_id(several, cell, [&](std::string_view text) { add_id(column.ids, hash_of(text)); });
}

void finish(Inspected& column, DataSummary& summary) {
  // Numbers that are not all whole are hardly ids.
  if (column.is_guess && column.has_fraction) {
    column.summary.kind = "dense";
    column.summary.maps_to = "dense, log";
  }
  const bool is_number = column.summary.kind == "dense" || column.summary.kind == "label";
  summarize(is_number ? column.numbers : column.ids, column.summary);
  summary.fields.push_back(column.summary);
}

void read_table(const TextTable& table, int64_t max_samples, std::optional<double> label_at_least,
                std::vector<Inspected>& columns, DataSummary& summary) {
  TextRow row;
  double num_positive = 0;
  while (table.next(row)) {
    if (summary.num_samples == max_samples) {
      summary.is_whole = false;
      break;
    }
    std::string complaint = row.complaint;
    for (size_t i = 0; i < columns.size() && complaint.empty(); ++i) {
      complaint = complaint_of(columns[i], row.cells[i]);
    }
    if (!complaint.empty()) {
      if (summary.num_bad++ == 0)
        summary.first_bad = fmt::format("{}: {}", table.place(), complaint);
      continue;
    }
    ++summary.num_samples;
    for (size_t i = 0; i < columns.size(); ++i) {
      add_cell(columns[i], row.cells[i]);
      if (columns[i].summary.kind != "label" || row.cells[i].empty()) continue;
      const double value = *double_from_text(row.cells[i]);
      if (value >= label_at_least.value_or(1)) num_positive += 1;
    }
  }
  if (summary.num_samples > 0) {
    summary.label_rate = num_positive / static_cast<double>(summary.num_samples);
  }
}

DataSummary inspect_table(const DataFiles& files, const TextTable& table, const ModelSpec* model,
                          int64_t max_samples) {
  DataSummary summary{.format = files.format, .files = files.files};
  std::vector<Inspected> columns;
  for (const TextField& field : table.fields) {
    columns.push_back(inspected(field, files.format == "csv"));
  }
  std::optional<double> label_at_least;
  if (model != nullptr) {
    map_to_model(*model, row_encoder(table, layout_of(*model), {}, true), columns);
    label_at_least = model->data.label_at_least;
  }
  read_table(table, max_samples, label_at_least, columns, summary);
  for (Inspected& column : columns) finish(column, summary);
  return summary;
}

}  // namespace

DataSummary inspect_data(const std::string& path, const std::string& format, int64_t max_samples) {
  const DataFiles files = find_data(path, format);
  RecordLayout layout;
  if (files.format == "criteo") layout = criteo_layout(files);
  const std::optional<TextTable> table = table_of(files, layout);
  if (!table) {
    throw Error(ErrorKind::bad_input,
                fmt::format("{}: {} data do not name their fields; --model NAME says what they are",
                            path, files.format));
  }
  return inspect_table(files, *table, nullptr, max_samples);
}

DataSummary inspect_data(const ModelSpec& model, const std::string& path, const std::string& format,
                         int64_t max_samples) {
  const DataFiles files = find_data(path, format.empty() ? model.data.format : format);
  const std::optional<TextTable> table = table_of(files, layout_of(model));
  if (table) return inspect_table(files, *table, &model, max_samples);
  return inspect_records(files, model, max_samples);
}

}  // namespace ambidex
