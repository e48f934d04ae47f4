// SPDX-License-Identifier: Apache-2.0
// One door to all formats.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "data/files.h"
#include "data/source.h"
#include "data/split.h"
#include "data/text_table.h"

namespace ambidex {

/// Of a text format, its records of cells; nothing for the others.
std::optional<TextTable> table_of(const DataFiles& data, const RecordLayout& layout);

/// Records for `model`. `statistics` are filled in a pass over the training part if they are empty
/// and the model needs them. Of the options, skip_bad and labelled are looked at.
Source open_source(const DataFiles& data, const ModelSpec& model, const Split& split,
                   const DataOptions& options, DataStatistics& statistics);

/// The split of `model`, with a pass over the data if it needs their number.
Split split_of(const DataFiles& data, const ModelSpec& model, bool labelled);

/// inspect_data of a format that is no table of text.
DataSummary inspect_records(const DataFiles& data, const ModelSpec& model, int64_t max_samples);

}  // namespace ambidex
