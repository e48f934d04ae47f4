// SPDX-License-Identifier: Apache-2.0
// What a wave's accesses cost in sectors, lines and passes, against counts made by hand.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "simt/tally.h"
#include "simt_checks_support.h"

namespace ambidex::simt {
namespace {

/// A block whose accesses a test makes itself. Global memory is what is neither the tile nor a
/// stack, so that any other address will do.
struct TalliedBlock {
  explicit TalliedBlock(int wave_width, uint32_t num_threads = 64)
      : width(static_cast<uint32_t>(wave_width)),
        tally({.block = {num_threads, 1, 1}},
              {.wave_width = wave_width, .memory = CheckedBlock::add_tile(memory)}),
        block(&tally.add_block()) {
    block->begin_block({});
  }

  Accessor& who(uint32_t thread) {
    Accessor& known = threads[thread];
    known.linear_thread = thread;
    known.wave = thread / width;
    known.lane = thread % width;
    return known;
  }
  void access(uint32_t thread, const Access& what) { block->access(who(thread), what); }
  void read(uint32_t thread, uintptr_t address, uint64_t pc, int64_t num_bytes = 4) {
    access(thread, {.address = address, .num_bytes = num_bytes, .program_counter = pc});
  }
  void write(uint32_t thread, uintptr_t address, uint64_t pc, int64_t num_bytes = 4) {
    access(thread, {.address = address,
                    .num_bytes = num_bytes,
                    .kind = AccessKind::write,
                    .program_counter = pc});
  }
  void atomic(uint32_t thread, uintptr_t address, AccessKind kind, bool compares = false) {
    access(thread, {.address = address,
                    .num_bytes = 4,
                    .kind = kind,
                    .sort = AccessSort::atomic,
                    .program_counter = 1,
                    .compares = compares});
  }
  SimtTraffic end() {
    block->end_block();
    return tally.take();
  }

  SimtMemory memory;
  uint32_t width;
  std::map<uint32_t, Accessor> threads;
  Tally tally;
  BlockTally* block;
};

constexpr uintptr_t kGlobal = 0x10000;  // aligned to 128

class SimtTally : public ::testing::TestWithParam<int> {
 protected:
  int64_t num_waves() const { return 64 / GetParam(); }
};
INSTANTIATE_TEST_SUITE_P(Widths, SimtTally, ::testing::Values(32, 64));

TEST_P(SimtTally, a_copy_of_floats_moves_each_sector_once) {
  TalliedBlock block(GetParam());
  for (uint32_t i = 0; i < 64; ++i) block.read(i, kGlobal + 4 * i, 1);
  for (uint32_t i = 0; i < 64; ++i) block.write(i, kGlobal + 4096 + 4 * i, 2);
  const SimtTraffic traffic = block.end();
  for (const SimtGlobalTraffic& side : {traffic.loads, traffic.stores}) {
    EXPECT_EQ(side.accesses, num_waves());
    EXPECT_EQ(side.lanes, 64);
    EXPECT_EQ(side.bytes, 256);
    EXPECT_EQ(side.moved, (SimtPieces{8, 4, 2}));
    EXPECT_EQ(side.of_blocks, (SimtPieces{8, 4, 2}));
    EXPECT_EQ(side.distinct, (SimtPieces{8, 4, 2}));
    EXPECT_EQ(side.distinct_bytes, 256);
  }
}

TEST_P(SimtTally, a_stride_of_32_bytes_takes_a_sector_for_each_lane) {
  TalliedBlock block(GetParam());
  for (uint32_t i = 0; i < 64; ++i) block.read(i, kGlobal + 32 * i, 1);
  const SimtTraffic traffic = block.end();
  EXPECT_EQ(traffic.loads.moved, (SimtPieces{64, 32, 16}));
  EXPECT_EQ(traffic.loads.distinct_bytes, 256);
  ASSERT_EQ(traffic.sites.size(), 1u);
  EXPECT_EQ(traffic.sites[0].units, 64);
  EXPECT_EQ(traffic.sites[0].best_units, 8);  // 256 bytes side by side
}

TEST_P(SimtTally, a_word_that_all_lanes_read_is_one_sector_for_each_wave) {
  TalliedBlock block(GetParam());
  for (uint32_t i = 0; i < 64; ++i) block.read(i, kGlobal + 8, 1);
  const SimtTraffic traffic = block.end();
  EXPECT_EQ(traffic.loads.moved.sectors, num_waves());
  EXPECT_EQ(traffic.loads.of_blocks.sectors, 1);
  EXPECT_EQ(traffic.loads.distinct_bytes, 4);
  EXPECT_EQ(traffic.loads.bytes, 256);
}

TEST_P(SimtTally, an_access_across_a_boundary_moves_both_sides) {
  TalliedBlock block(GetParam());
  block.read(0, kGlobal + 124, 1, 8);
  const SimtTraffic traffic = block.end();
  EXPECT_EQ(traffic.loads.moved, (SimtPieces{2, 2, 2}));
  EXPECT_EQ(traffic.loads.distinct_bytes, 8);
}

TEST_P(SimtTally, rounds_of_a_loop_are_accesses_of_their_own) {
  TalliedBlock block(GetParam());
  // Lane after lane runs through all rounds, as the executor does it.
  for (uint32_t i = 0; i < 64; ++i) {
    for (uint32_t round = 0; round < 10; ++round) {
      block.read(i, kGlobal + 256 * round + 4 * i, 1);
    }
  }
  const SimtTraffic traffic = block.end();
  EXPECT_EQ(traffic.loads.accesses, 10 * num_waves());
  EXPECT_EQ(traffic.loads.moved.sectors, 80);
}

TEST_P(SimtTally, a_wave_waits_as_often_as_the_lane_that_waits_most) {
  TalliedBlock block(GetParam());
  AmbidexSimtInstructions all{}, some{};
  all.waits = 16;
  some.waits = 1;  // sixteenths
  for (uint32_t i = 0; i < 64; ++i) {
    block.block->instructions(block.who(i), all);
    for (uint32_t round = 0; round < i % 8; ++round) {
      block.block->instructions(block.who(i), some);
    }
  }
  EXPECT_EQ(block.end().load_rounds, (1 + 7.0 / 16) * static_cast<double>(num_waves()));
}

TEST_P(SimtTally, neighbours_are_accesses_of_their_own) {
  TalliedBlock block(GetParam());
  for (uint32_t i = 0; i < 64; ++i) {
    block.read(i, kGlobal + 4 * i, 1);
    block.read(i, kGlobal + 4 * i + 4, 2);
  }
  EXPECT_EQ(block.end().loads.accesses, 2 * num_waves());
}

TEST_P(SimtTally, rows_of_shared_memory_have_no_conflicts_and_columns_all) {
  TalliedBlock block(GetParam(), 1024);
  for (uint32_t i = 0; i < 1024; ++i) block.write(i, CheckedBlock::tile(i), 1);
  block.block->block_barrier();
  SimtTraffic rows = block.end();
  EXPECT_EQ(rows.shared.passes, 32);
  EXPECT_EQ(rows.shared.passes_without_conflicts, 32);
  EXPECT_EQ(rows.shared.worst_passes, 1);

  TalliedBlock columns(GetParam(), 1024);
  for (uint32_t i = 0; i < 1024; ++i) {
    columns.read(i, CheckedBlock::tile(i % 32 * 32 + i / 32), 1);
  }
  const SimtTraffic traffic = columns.end();
  EXPECT_EQ(traffic.shared.passes, 1024);
  EXPECT_EQ(traffic.shared.passes_without_conflicts, 32);
  EXPECT_EQ(traffic.shared.worst_passes, 32);
  EXPECT_EQ(traffic.shared.bytes, 4096);
  EXPECT_EQ(traffic.loads.accesses, 0);
}

TEST_P(SimtTally, padding_of_one_word_removes_the_conflicts_of_32_banks) {
  TalliedBlock block(GetParam(), 1024);
  for (uint32_t i = 0; i < 1024; ++i) {
    block.read(i, CheckedBlock::tile(i % 32 * 33 + i / 32), 1);
  }
  const SimtTraffic traffic = block.end();
  EXPECT_EQ(traffic.shared.passes, 32);
  EXPECT_EQ(traffic.shared.worst_passes, 1);
}

// Brute force: lanes in groups, the most different words that one bank has.
int64_t passes_by_hand(const std::vector<uint64_t>& words, size_t lanes_at_once, uint64_t banks) {
  int64_t passes = 0;
  for (size_t begin = 0; begin < words.size(); begin += lanes_at_once) {
    std::map<uint64_t, std::set<uint64_t>> of_bank;
    size_t most = 0;
    for (size_t i = begin; i < std::min(words.size(), begin + lanes_at_once); ++i) {
      std::set<uint64_t>& bank = of_bank[words[i] % banks];
      bank.insert(words[i]);
      most = std::max(most, bank.size());
    }
    passes += static_cast<int64_t>(most);
  }
  return passes;
}

TEST_P(SimtTally, passes_agree_with_brute_force_for_any_words) {
  uint64_t state = 12345;
  for (int trial = 0; trial < 200; ++trial) {
    TalliedBlock block(GetParam());
    std::vector<uint64_t> words;
    for (uint32_t i = 0; i < 64; ++i) {
      state = state * 6364136223846793005ull + 1442695040888963407ull;
      const auto index = static_cast<int64_t>((state >> 33) % 2048);
      block.read(i, CheckedBlock::tile(index), 1);
      words.push_back(CheckedBlock::tile(index) / 4);
    }
    const SimtTraffic traffic = block.end();
    EXPECT_EQ(traffic.shared.passes, passes_by_hand(words, 32, 32));
    const auto width = static_cast<size_t>(GetParam());
    EXPECT_EQ(traffic.shared.wide_passes, passes_by_hand(words, width, 64));
  }
}

TEST_P(SimtTally, wide_lanes_of_shared_memory_go_in_groups) {
  TalliedBlock block(GetParam());
  for (uint32_t i = 0; i < 64; ++i) block.read(i, CheckedBlock::tile(4 * i), 1, 16);
  const SimtTraffic traffic = block.end();
  EXPECT_EQ(traffic.shared.passes, 8);       // of 8 lanes with 16 bytes
  EXPECT_EQ(traffic.shared.wide_passes, 4);  // of 16
}

TEST_P(SimtTally,
       atomics_to_one_word_are_one_for_each_wave_in_memory_and_one_for_each_lane_in_shared) {
  TalliedBlock block(GetParam());
  for (uint32_t i = 0; i < 64; ++i) block.atomic(i, kGlobal, AccessKind::read_write);
  for (uint32_t i = 0; i < 64; ++i) {
    block.atomic(i, CheckedBlock::tile(0), AccessKind::read_write);
  }
  const SimtTraffic traffic = block.end();
  EXPECT_EQ(traffic.atomics.updates, 128);
  EXPECT_EQ(traffic.atomics.in_shared, 64);
  EXPECT_EQ(traffic.atomics.wave_words, num_waves());
  EXPECT_EQ(traffic.atomics.hottest_word, num_waves());
  EXPECT_EQ(traffic.shared.passes, 64);
}

TEST_P(SimtTally, a_load_and_compare_exchange_is_an_update_and_others_are_not) {
  TalliedBlock block(GetParam());
  block.atomic(0, kGlobal, AccessKind::read);  // as a header adds a float
  block.atomic(0, kGlobal, AccessKind::read_write, true);
  block.atomic(0, kGlobal, AccessKind::read_write, true);  // in vain at first
  block.read(1, kGlobal, 7);                               // as a program does it
  block.atomic(1, kGlobal, AccessKind::read_write, true);
  block.atomic(1, kGlobal, AccessKind::read_write, true);
  block.atomic(2, kGlobal, AccessKind::read);  // a load of its own
  const SimtTraffic traffic = block.end();
  EXPECT_EQ(traffic.atomics.updates, 1);
  EXPECT_EQ(traffic.atomics.compare_exchanges, 2);
  EXPECT_EQ(traffic.loads.lanes, 2);
}

TEST_P(SimtTally, instructions_count_once_for_lanes_that_execute_them_together) {
  TalliedBlock block(GetParam());
  const AmbidexSimtInstructions both{{0, 3, 0, 0, 1}, {0, 4, 0}}, some{{0, 0, 0, 2, 0}, {0, 0, 0}};
  for (uint32_t i = 0; i < 64; ++i) {
    block.block->instructions(block.who(i), both);
    if (i % 2 == 0) block.block->instructions(block.who(i), some);
  }
  const SimtArithmetic arithmetic = block.end().arithmetic;
  EXPECT_EQ(arithmetic.lanes, (SimtInstructions{0, 192, 0, 64, 64}));
  EXPECT_EQ(arithmetic.waves,
            (SimtInstructions{0, 3 * num_waves(), 0, 2 * num_waves(), num_waves()}));
  EXPECT_EQ(arithmetic.flop[1], 256);
}

TEST(SimtTally, blocks_share_what_they_touch_and_count_it_apart) {
  TalliedBlock block(32, 32);
  for (int b = 0; b < 3; ++b) {
    if (b > 0) block.block->begin_block({});
    for (uint32_t i = 0; i < 32; ++i) block.read(i, kGlobal + 4 * i, 1);
    if (b < 2) block.block->end_block();
  }
  const SimtTraffic traffic = block.end();
  EXPECT_EQ(traffic.loads.of_blocks.sectors, 12);
  EXPECT_EQ(traffic.loads.distinct.sectors, 4);
}

}  // namespace
}  // namespace ambidex::simt
