// SPDX-License-Identifier: Apache-2.0
// A look at data whose fields have no names: by the features of a model.
#include <fmt/format.h>

#include "base/random.h"
#include "data/open.h"
#include "data/tally.h"

namespace ambidex {
namespace {

struct Tallies {
  Tally label;
  std::vector<Tally> dense;
  std::vector<Tally> ids;
};

void add_row(const RecordLayout& layout, const Records& records, int64_t row, Tallies& tallies) {
  add_number(tallies.label, records.labels[static_cast<size_t>(row)]);
  const float* dense = records.dense.data() + row * std::ssize(layout.dense);
  for (Tally& tally : tallies.dense) add_number(tally, *dense++);
  const int32_t* ids = records.ids.data() + row * layout.num_lookups;
  for (size_t i = 0; i < layout.ids.size(); ++i) {
    const IdColumn& column = layout.ids[i];
    for (int64_t j = 0; j < column.lookups; ++j) {
      const int32_t id = ids[column.first + j];
      if (id >= 0) add_id(tallies.ids[i], random_bits(static_cast<uint64_t>(id), 0));
    }
    if (column.lookups > 0 && ids[column.first] < 0) ++tallies.ids[i].num_blank;
  }
}

void add_field(const std::string& name, const std::string& kind, const std::string& maps_to,
               const Tally& tally, DataSummary& summary) {
  FieldSummary field{.name = name, .kind = kind, .maps_to = maps_to};
  summarize(tally, field);
  summary.fields.push_back(field);
}

/// Until `max_samples` or the end; unreadable ones are counted by `bad`.
void read_records(const Source& source, const RecordLayout& layout, int64_t max_samples,
                  Tallies& tallies, DataSummary& summary) {
  constexpr int64_t kRecordsAtOnce = 4096;
  BadRecords bad;
  while (summary.num_samples < max_samples) {
    Records records;
    source.read(records, std::min(kRecordsAtOnce, max_samples - summary.num_samples), bad);
    if (records.size == 0) return;
    for (int64_t row = 0; row < records.size; ++row) add_row(layout, records, row, tallies);
    summary.num_samples += records.size;
  }
  summary.is_whole = source.num_records >= 0 && source.num_records <= summary.num_samples;
}

}  // namespace

DataSummary inspect_records(const DataFiles& files, const ModelSpec& model, int64_t max_samples) {
  const RecordLayout layout = layout_of(model);
  DataStatistics statistics;
  const Source source = open_source(files, model, make_split({}, -1), {}, statistics);
  Tallies tallies;
  tallies.dense.resize(layout.dense.size());
  tallies.ids.resize(layout.ids.size());
  DataSummary summary{.format = files.format, .files = files.files};
  read_records(source, layout, max_samples, tallies, summary);
  add_field("label", "label", "label", tallies.label, summary);
  if (summary.num_samples > 0) summary.label_rate = summary.fields.front().mean;
  for (size_t i = 0; i < layout.dense.size(); ++i) {
    const std::string& name = layout.dense[i].name;
    add_field(name, "dense", "dense " + name, tallies.dense[i], summary);
  }
  for (size_t i = 0; i < layout.ids.size(); ++i) {
    const IdColumn& column = layout.ids[i];
    add_field(column.feature, column.lookups > 1 ? "ids" : "id",
              fmt::format("table {}, {} rows", column.table, column.rows), tallies.ids[i], summary);
  }
  return summary;
}

}  // namespace ambidex
