// SPDX-License-Identifier: Apache-2.0
#include "data/open.h"

#include <limits>

#include "ambidex/base.h"
#include "data/lines.h"

namespace ambidex {
namespace {

Source open_binary(const DataFiles& data, const ModelSpec& model, const RecordLayout& layout) {
  if (data.format == "npy") return open_npy(data.files, layout);
  if (data.format == "hugectr") return open_hugectr(data.files, layout);
  check(data.format == "synthetic", "every format is opened");
  return open_synthetic(data.files.front(), model);
}

int64_t count_records(const DataFiles& data, const ModelSpec& model, bool labelled) {
  const RecordLayout layout = layout_of(model, labelled);
  if (const auto table = table_of(data, layout)) {
    table->pass_to(std::numeric_limits<int64_t>::max());
    return table->position().record;
  }
  const Source source = open_binary(data, model, layout);
  if (source.num_records < 0) {
    throw Error(ErrorKind::unsupported,
                data.files.front() + ": these data have no end; use a random split");
  }
  return source.num_records;
}

}  // namespace

std::optional<TextTable> table_of(const DataFiles& data, const RecordLayout& layout) {
  if (data.format == "criteo") return criteo_table(data.files, layout);
  if (data.format == "csv") return csv_table(data.files);
  if (data.format == "recbole") return recbole_table(data.files.front());
  return std::nullopt;
}

Split split_of(const DataFiles& data, const ModelSpec& model, bool labelled) {
  const SplitSpec& spec = model.data.split;
  return make_split(spec, spec.kind == SplitKind::tail ? count_records(data, model, labelled) : -1);
}

Source open_source(const DataFiles& data, const ModelSpec& model, const Split& split,
                   const DataOptions& options, DataStatistics& statistics) {
  const RecordLayout layout = layout_of(model, options.labelled);
  const std::optional<TextTable> table = table_of(data, layout);
  if (!table) return open_binary(data, model, layout);
  if (statistics == DataStatistics{} && needs_statistics(*table, layout)) {
    table->end_before(range_of(split, SplitPart::train).end);
    BadRecords bad{.num_allowed = options.skip_bad};
    const auto is_training = [&](int64_t number) {
      return is_in_part(split, SplitPart::train, number);
    };
    statistics = collect_statistics(*table, layout, is_training, bad);
  }
  if (data.format == "criteo") return open_criteo(data.files, layout, statistics);
  if (data.format == "csv") return open_csv(data.files, layout, statistics);
  return open_recbole(data.files.front(), layout, statistics);
}

}  // namespace ambidex
