// SPDX-License-Identifier: Apache-2.0
// Criteo's click logs: label, integers and hexadecimal ids between tabs, without a header.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "ambidex/base.h"
#include "data/criteo_line.h"
#include "data/lines.h"
#include "data/row_encoder.h"
#include "data/source.h"
#include "data/text_table.h"

namespace ambidex {
namespace {

constexpr int64_t kNumIntegers = 13;
constexpr int64_t kNumIds = 26;

bool has_fields(const RecordLayout& layout) {
  return std::any_of(layout.dense.begin(), layout.dense.end(),
                     [](const DenseFeature& feature) { return !feature.field.empty(); }) ||
         std::any_of(layout.ids.begin(), layout.ids.end(),
                     [](const IdColumn& column) { return !column.field.empty(); });
}

/// Does the first line have one field less than with a label?
bool lacks_label(const std::vector<std::string>& files, int64_t num_features) {
  LineFiles lines(files);
  std::string_view line;
  if (!lines.next(line)) return false;
  return std::count(line.begin(), line.end(), '\t') + 1 == num_features;
}

/// The columns that the files are expected to have: the model's, or Criteo's own if it names any.
TextTable fields_only(const std::vector<std::string>& files, const RecordLayout& layout) {
  const bool is_standard = has_fields(layout);
  const int64_t num_dense = is_standard ? kNumIntegers : std::ssize(layout.dense);
  const int64_t num_ids = is_standard ? kNumIds : std::ssize(layout.ids);
  TextTable table{.has_names = false, .is_criteo = true};
  if (layout.labelled || !lacks_label(files, num_dense + num_ids)) {
    table.fields.push_back({"label", FieldType::label});
  }
  for (int64_t i = 1; i <= num_dense; ++i) {
    table.fields.push_back({fmt::format("I{}", i), FieldType::number});
  }
  for (int64_t i = 1; i <= num_ids; ++i) {
    table.fields.push_back({fmt::format("C{}", i), FieldType::hex});
  }
  return table;
}

std::string wrong_count(const TextTable& table, size_t got) {
  const auto count = [&](FieldType type) {
    return std::count_if(table.fields.begin(), table.fields.end(),
                         [&](const TextField& field) { return field.type == type; });
  };
  return fmt::format("expected {} fields between tabs ({}{} numbers, {} hexadecimal ids), got {}",
                     table.fields.size(),
                     count(FieldType::label) > 0 ? "label, " : "no label as in the first line, ",
                     count(FieldType::number), count(FieldType::hex), got);
}

void split_row(const TextTable& table, std::string_view line, TextRow& row) {
  split_cells(line, '\t', row.cells);
  row.complaint.clear();
  if (row.cells.size() != table.fields.size()) {
    row.complaint = wrong_count(table, row.cells.size());
  }
}

/// What a source of lines keeps between two calls.
struct State {
  LineFiles lines;
  TextTable table;  // fields alone
  RowEncoder encoder;
  std::optional<CriteoPlan> plan;  // absent: every line goes the slow way
  TextRow row;
};

/// The fast way is open if every column goes to one feature, in order, and ids are hexadecimal.
std::optional<CriteoPlan> plan_of(const State& state) {
  const RowEncoder& encoder = state.encoder;
  CriteoPlan plan{.has_label = state.table.fields.front().type == FieldType::label};
  size_t cell = plan.has_label ? 1 : 0;
  for (const DenseCell& column : encoder.dense) {
    if (column.cell != cell++) return std::nullopt;
    plan.rules.push_back(column.rule);
  }
  for (const IdCell& column : encoder.ids) {
    if (column.cell != cell++ || column.encoding != IdEncoding::hex) return std::nullopt;
    plan.modulos.push_back(column.modulo);
    plan.places.push_back(column.first);
  }
  if (cell != state.table.fields.size()) return std::nullopt;
  if (plan.has_label && (encoder.label_cell != 0 || encoder.label_at_least)) return std::nullopt;
  return plan;
}

bool read_fast(const State& state, std::string_view line, Records& records) {
  const RowEncoder& encoder = state.encoder;
  append_blank(encoder, state.lines.position().record - 1, records);
  float* dense = records.dense.data() + records.dense.size() - encoder.dense.size();
  int32_t* ids = records.ids.data() + records.ids.size() - encoder.num_lookups;
  if (parse_criteo_line(*state.plan, line.data(), line.data() + line.size(), records.labels.back(),
                        dense, ids)) {
    return true;
  }
  remove_last(encoder, records);
  return false;
}

void read_slow(State& state, std::string_view line, Records& records, BadRecords& bad) {
  split_row(state.table, line, state.row);
  if (!state.row.complaint.empty()) {
    bad.meet(fmt::format("{}: {}", state.lines.place(), state.row.complaint));
    return;
  }
  try {
    encode_row(state.encoder, state.row.cells, state.lines.position().record - 1, records);
  } catch (const Error& error) {
    if (error.kind != ErrorKind::bad_input) throw;
    bad.meet(fmt::format("{}: {}", state.lines.place(), error.what()));
  }
}

}  // namespace

TextTable criteo_table(const std::vector<std::string>& files, const RecordLayout& layout) {
  TextTable table = fields_only(files, layout);
  const auto lines = std::make_shared<LineFiles>(files);
  table.next = [lines, fields = table](TextRow& row) {
    std::string_view line;
    if (!lines->next(line)) return false;
    split_row(fields, line, row);
    return true;
  };
  table.place = [lines] { return lines->place(); };
  table.position = [lines] { return lines->position(); };
  table.seek = [lines](const SourcePosition& position) { lines->seek(position); };
  table.pass_to = [lines](int64_t record) { lines->pass_to(record); };
  table.end_before = [lines](int64_t record) { lines->end_before(record); };
  return table;
}

Source open_criteo(const std::vector<std::string>& files, const RecordLayout& layout,
                   const DataStatistics& statistics) {
  const TextTable table = fields_only(files, layout);
  auto state = std::make_shared<State>(
      State{LineFiles(files), table, row_encoder(table, layout, statistics, false), {}, {}});
  state->plan = plan_of(*state);
  Source source;
  source.read = [state](Records& records, int64_t max_records, BadRecords& bad) {
    const int64_t target = records.size + max_records;
    std::string_view line;
    while (records.size < target && state->lines.next(line)) {
      if (state->plan && read_fast(*state, line, records)) continue;
      read_slow(*state, line, records, bad);
    }
  };
  source.position = [state] { return state->lines.position(); };
  source.seek = [state](const SourcePosition& position) { state->lines.seek(position); };
  source.pass_to = [state](int64_t record) { state->lines.pass_to(record); };
  source.end_before = [state](int64_t record) { state->lines.end_before(record); };
  return source;
}

}  // namespace ambidex
