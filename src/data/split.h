// SPDX-License-Identifier: Apache-2.0
// Which samples of a data set belong to which part.
#pragma once

#include <cstdint>
#include <limits>

#include "ambidex/model.h"

namespace ambidex {

/// Decides by the number of a sample in the data set, whatever order it is read in.
struct Split {
  SplitSpec spec;
  int64_t num_records = -1;  // of the data set; a tail split needs it
  uint64_t key = 0;
};

/// `num_records` only for SplitKind::tail, else -1.
Split make_split(const SplitSpec& spec, int64_t num_records);

/// Numbers from `first` to before `end`.
struct RecordRange {
  int64_t first = 0;
  int64_t end = std::numeric_limits<int64_t>::max();
};

/// Where the samples of a part are; no other ones are there, unless the split is a random one.
RecordRange range_of(const Split& split, SplitPart part);

bool is_in_part(const Split& split, SplitPart part, int64_t number);

}  // namespace ambidex
