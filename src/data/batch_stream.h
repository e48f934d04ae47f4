// SPDX-License-Identifier: Apache-2.0
// From records to batches: splits, windows, shuffling, shards. In the thread of the caller.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ambidex/data.h"
#include "data/source.h"
#include "data/split.h"

namespace ambidex {

struct StreamOptions {
  DataOptions data;  // path for messages, part, batch, shuffle, drop_partial, rank, skip_bad, seed
  int64_t window = 1;  // samples
  Split split;
};

/// Windows of `window` samples of the part follow each other; rank r of n takes the windows r,
/// r + n, r + 2 n, ..., in an order of their samples that depends on seed, epoch and the window's
/// place.
class BatchStream {
 public:
  BatchStream(Source source, RecordLayout layout, StreamOptions options);

  /// As DataReader::next.
  bool next(Batch& batch);
  /// As DataReader::restore; {.epoch = e} begins epoch e.
  void restore(const DataPosition& position);
  DataPosition position() const;  // after the last batch
  int64_t num_skipped() const { return bad_.count; }

 private:
  void seek(const DataPosition& position);
  void enter_part();
  bool read_window();      // the next one, of whatever rank
  bool read_own_window();  // the next one of this rank
  void keep_part(int64_t begin);
  void order_window();
  void take(int64_t row);
  void finish(Batch& batch);
  bool end_epoch();

  Source source_;
  RecordLayout layout_;
  StreamOptions options_;
  RecordRange range_;                         // of the part
  std::optional<SourcePosition> part_begin_;  // where it begins, once it has been found
  BadRecords bad_;
  Records window_;
  std::vector<int32_t> order_;      // of the window's samples
  Records pending_;                 // samples of the next batch
  SourcePosition window_position_;  // before the window
  int64_t window_skipped_ = 0;      // unreadable samples before it
  int64_t in_window_ = 0;
  int64_t windows_to_pass_ = 0;  // of other ranks, before the next own one
  int64_t epoch_ = 0;
  int64_t num_part_samples_ = 0;  // seen in this epoch, of all ranks
  int64_t num_batches_ = 0;       // given in this epoch
  bool is_from_start_ = true;     // this epoch was not entered by restore()
};

}  // namespace ambidex
