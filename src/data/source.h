// SPDX-License-Identifier: Apache-2.0
// Between formats and the pipeline: a format gives records in the order of its files; splitting,
// sharding, shuffling, batching and reading ahead are the pipeline's.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ambidex/data.h"

namespace ambidex {

/// Decoded samples, row after row.
struct Records {
  int64_t size = 0;
  std::vector<float> labels;     // [size], NaN for none
  std::vector<float> dense;      // [size, dense features]
  std::vector<int32_t> ids;      // [size, lookups of all features], -1 is padding at the end of a
                                 // feature's places
  std::vector<int64_t> numbers;  // [size] place in the data set from 0, unreadable ones counted:
                                 // the random split's key
};

/// How one feature's ids are found and where they go.
struct IdColumn {
  std::string feature;
  std::string field;  // empty: by position
  IdEncoding encoding = IdEncoding::automatic;
  int64_t lookups = 1;
  int64_t rows = 0;   // of the table
  int64_t first = 0;  // place of its first id in a row of Records::ids
  std::string table;  // features of one table share a vocabulary
};

/// What a format must fill, from a model.
struct RecordLayout {
  std::vector<DenseFeature> dense;
  std::vector<IdColumn> ids;
  int64_t num_lookups = 0;
  std::string label;  // field; empty: the format's own
  std::optional<double> label_at_least;
  bool labelled = true;  // as DataOptions
};
RecordLayout layout_of(const ModelSpec& model, bool labelled = true);

/// Unreadable records: thrown, or counted while the allowance lasts.
struct BadRecords {
  int64_t num_allowed = 0;
  int64_t count = 0;
  /// Counts, or throws Error(bad_input, message) when the allowance is used up.
  void meet(const std::string& message);
};

/// Where a source is between two records.
struct SourcePosition {
  int64_t file = 0;
  int64_t byte = 0;    // of the decompressed file
  int64_t line = 0;    // lines before it
  int64_t record = 0;  // records before it in the data set, unreadable ones counted
};

/// An open data set of one format. Not for two threads at once.
struct Source {
  /// Appends up to `max_records` records; none at the end of the data.
  std::function<void(Records& records, int64_t max_records, BadRecords& bad)> read;
  std::function<SourcePosition()> position;
  std::function<void(const SourcePosition&)> seek;
  /// Goes on to the record of this number, or to the end, without decoding those before it.
  std::function<void(int64_t record)> pass_to;
  /// The data ends before the record of this number: from there on nothing is decoded.
  std::function<void(int64_t record)> end_before;
  /// Records of the data set if that is known without reading it, else -1.
  int64_t num_records = -1;
};

// One function for each format; `files` in order, at least one.
Source open_criteo(const std::vector<std::string>& files, const RecordLayout& layout,
                   const DataStatistics& statistics);
Source open_csv(const std::vector<std::string>& files, const RecordLayout& layout,
                const DataStatistics& statistics);
Source open_recbole(const std::string& prefix, const RecordLayout& layout,
                    const DataStatistics& statistics);
Source open_npy(const std::vector<std::string>& dense_files, const RecordLayout& layout);
Source open_hugectr(const std::vector<std::string>& files, const RecordLayout& layout);
Source open_synthetic(const std::string& words, const ModelSpec& model);

}  // namespace ambidex
