// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <limits>

#include "ambidex/base.h"
#include "data/source.h"

namespace ambidex {
namespace {

void add_table(const TableSpec& table, RecordLayout& layout) {
  if (table.rows < 1 || table.rows > std::numeric_limits<int32_t>::max()) {
    throw Error(ErrorKind::bad_input,
                fmt::format("tables.{}.rows: expected 1 to {} rows, got {}; ids are 32 bits wide",
                            table.name, std::numeric_limits<int32_t>::max(), table.rows));
  }
  std::vector<SparseFeature> features = table.features;
  if (features.empty()) features.push_back({.name = table.name});
  for (const SparseFeature& feature : features) {
    layout.ids.push_back({.feature = feature.name,
                          .field = feature.field,
                          .encoding = feature.encoding,
                          .lookups = feature.lookups,
                          .rows = table.rows,
                          .first = layout.num_lookups,
                          .table = table.name});
    layout.num_lookups += feature.lookups;
  }
}

}  // namespace

RecordLayout layout_of(const ModelSpec& model, bool labelled) {
  RecordLayout layout{.dense = model.dense_features,
                      .label = model.data.label,
                      .label_at_least = model.data.label_at_least,
                      .labelled = labelled};
  for (const TableSpec& table : model.tables) add_table(table, layout);
  return layout;
}

void BadRecords::meet(const std::string& message) {
  if (count < num_allowed) {
    ++count;
    return;
  }
  const std::string remedy =
      num_allowed == 0
          ? "--skip-bad N tolerates N of them"
          : fmt::format("--skip-bad {} has tolerated {} before it", num_allowed, num_allowed);
  throw Error(ErrorKind::bad_input, fmt::format("{}; {}", message, remedy));
}

}  // namespace ambidex
