// SPDX-License-Identifier: Apache-2.0
#include "kernels/embedding_keys.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "ambidex/base.h"

namespace ambidex {
namespace {

constexpr int64_t kPartitionKeys = 4096;  // of one task, on average
constexpr int64_t kMaxPartitions = 64;
constexpr int64_t kBlockKeys = 8192;  // of a task that deals keys to partitions

/// Samples of one feature of a table with several partitions.
struct Block {
  Job* job = nullptr;
  size_t slot = 0;  // index into job->features
  int64_t begin = 0;
  int64_t end = 0;
  std::vector<int64_t> places{};  // counts of its keys in each partition, then where they go
};

/// Rows that are often looked up have neighbouring numbers in many data sets: scatter them.
int64_t partition_of(int32_t row, int64_t num_partitions) {
  const uint32_t hash = static_cast<uint32_t>(row) * 0x9e3779b1u;
  return static_cast<int64_t>(
      (static_cast<uint64_t>(hash) * static_cast<uint64_t>(num_partitions)) >> 32);
}

std::vector<Block> blocks_of(const Update& update, std::vector<Job>& jobs) {
  std::vector<Block> blocks;
  for (Job& job : jobs) {
    if (job.num_partitions == 1) continue;
    for (size_t slot = 0; slot < job.features.size(); ++slot) {
      const int64_t lookups = update.features[job.features[slot]].lookups;
      const int64_t samples = std::max<int64_t>(1, kBlockKeys / std::max<int64_t>(lookups, 1));
      for (int64_t begin = 0; begin < update.batch; begin += samples) {
        blocks.push_back({&job, slot, begin, std::min(update.batch, begin + samples)});
      }
    }
  }
  return blocks;
}

/// From the counts of one job's blocks to places: partition after partition, within one the blocks
/// in order.
void place_blocks(std::span<Block> blocks) {
  Job& job = *blocks.front().job;
  int64_t place = job.first_key;
  for (int64_t p = 0; p < job.num_partitions; ++p) {
    job.begins.push_back(place);
    for (Block& block : blocks) place += std::exchange(block.places[static_cast<size_t>(p)], place);
  }
  job.begins.push_back(place);
}

/// The same for the blocks of all jobs, which lie one job after the other.
void place_all_blocks(std::span<Block> blocks) {
  for (size_t begin = 0; begin < blocks.size();) {
    size_t end = begin + 1;
    while (end < blocks.size() && blocks[end].job == blocks[begin].job) ++end;
    place_blocks(blocks.subspan(begin, end - begin));
    begin = end;
  }
}

}  // namespace

std::vector<Job> jobs_of(const Update& update) {
  std::vector<Job> jobs;
  std::vector<int64_t> job_of_table(update.tables.size(), -1);
  for (size_t f = 0; f < update.features.size(); ++f) {
    const auto table = static_cast<size_t>(update.features[f].table);
    if (job_of_table[table] < 0) {
      job_of_table[table] = static_cast<int64_t>(jobs.size());
      jobs.push_back({.table = table});
    }
    Job& job = jobs[static_cast<size_t>(job_of_table[table])];
    job.features.push_back(f);
    job.max_keys += update.batch * update.features[f].lookups;
  }
  int64_t first_key = 0;
  for (Job& job : jobs) {
    check(static_cast<int64_t>(job.features.size()) * update.batch <= UINT32_MAX &&
              update.tables[job.table].rows <= INT32_MAX,
          "rows and samples of a table are numbered with 32 bits");
    const int64_t wanted = (job.max_keys + kPartitionKeys - 1) / kPartitionKeys;
    job.num_partitions = static_cast<int64_t>(
        std::bit_ceil(static_cast<uint64_t>(std::clamp<int64_t>(wanted, 1, kMaxPartitions))));
    job.first_key = first_key;
    first_key += job.max_keys;
  }
  return jobs;
}

void deal_to_partitions(Workers& workers, const Update& update, std::vector<Job>& jobs,
                        std::vector<uint64_t>& keys) {
  std::vector<Block> blocks = blocks_of(update, jobs);
  const auto num_blocks = static_cast<int64_t>(blocks.size());
  workers.run(num_blocks, [&](int64_t task) {
    Block& block = blocks[static_cast<size_t>(task)];
    const int64_t num_partitions = block.job->num_partitions;
    block.places.assign(static_cast<size_t>(num_partitions), 0);
    for_each_key(update, *block.job, block.slot, block.begin, block.end,
                 [&](int32_t row, uint64_t) {
                   ++block.places[static_cast<size_t>(partition_of(row, num_partitions))];
                 });
  });
  place_all_blocks(blocks);
  workers.run(num_blocks, [&](int64_t task) {
    Block& block = blocks[static_cast<size_t>(task)];
    const int64_t num_partitions = block.job->num_partitions;
    for_each_key(
        update, *block.job, block.slot, block.begin, block.end, [&](int32_t row, uint64_t key) {
          int64_t& place = block.places[static_cast<size_t>(partition_of(row, num_partitions))];
          keys[static_cast<size_t>(place++)] = key;
        });
  });
}

}  // namespace ambidex
