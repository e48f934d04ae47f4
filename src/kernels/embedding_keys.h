// SPDX-License-Identifier: Apache-2.0
// Who touches which row in an update: keys of (row, feature and sample), dealt to partitions of a
// table so that a row belongs to one of them and its keys stay in the order of the batch.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/embedding.h"

namespace ambidex {

/// One table of an update.
struct Job {
  size_t table = 0;
  std::vector<size_t> features{};
  int64_t first_key = 0;  // of its room in the scratch
  int64_t max_keys = 0;
  int64_t num_partitions = 1;     // a power of 2
  std::vector<int64_t> begins{};  // of partitions, from first_key on; if there are several
};

/// What an update works on.
struct Update {
  std::span<const TableView> tables;
  std::span<const OptimizerSpec> optimizers;
  std::span<const FeatureLookup> features;
  int64_t batch = 0;
  SparseStep step;
  std::vector<const float*> scales;  // of a feature, [batch]; null: 1
};

/// One job for each table that has features, with the number of its partitions.
std::vector<Job> jobs_of(const Update& update);

/// Fills `keys` and `begins` of the jobs with several partitions.
void deal_to_partitions(Workers& workers, const Update& update, std::vector<Job>& jobs,
                        std::vector<uint64_t>& keys);

/// Calls take(row, key) for each id of these samples of a feature of the job.
template <class Take>
void for_each_key(const Update& update, const Job& job, size_t slot, int64_t begin, int64_t end,
                  const Take& take) {
  const FeatureLookup& feature = update.features[job.features[slot]];
  const int32_t* id = feature.ids + begin * feature.lookups;
  const uint64_t first = slot * static_cast<uint64_t>(update.batch);
  for (int64_t s = begin; s < end; ++s) {
    for (int64_t l = 0; l < feature.lookups; ++l, ++id) {
      if (*id < 0) continue;
      take(*id, static_cast<uint64_t>(*id) << 32 | (first + static_cast<uint64_t>(s)));
    }
  }
}

}  // namespace ambidex
