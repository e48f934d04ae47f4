// SPDX-License-Identifier: Apache-2.0
// Races in shared memory: patterns of kernels, each with the barrier that it needs and without.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "simt_checks_support.h"

namespace ambidex::simt {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr uint64_t kAllLanes = ~uint64_t{0};
constexpr uint64_t kLow32 = 0xffffffff;

TEST(SimtChecksRaces, a_read_of_what_another_wave_wrote_names_both_sides) {
  CheckedBlock b(64);
  b.write(40, b.tile(5), 111);
  b.read(3, b.tile(5), 222);
  const SimtProblem problem = b.only_problem();
  EXPECT_EQ(problem.kind, SimtProblemKind::shared_race);
  EXPECT_EQ(problem.message,
            "reads 4 bytes at tile[5], which thread (40, 0, 0) has written with no barrier between "
            "(waves 0 and 1)");
  EXPECT_EQ(problem.program_counter, 222u);
  EXPECT_EQ(problem.other_program_counter, 111u);
  EXPECT_EQ(problem.thread, (std::array<uint32_t, 3>{3, 0, 0}));
}

TEST(SimtChecksRaces, coordinates_of_the_other_thread_follow_the_shape_of_the_block) {
  SimtMemory memory(int64_t{1} << 24);
  CheckedBlock::add_tile(memory);
  Checker checker({.block = {8, 4, 2}}, {}, &memory);
  BlockChecker& block = checker.add_block();
  block.begin_block({}, {});
  Accessor who;
  who.linear_thread = 45;
  who.wave = 1;
  block.access(who, {CheckedBlock::tile(0), 4, AccessKind::write});
  who.linear_thread = who.wave = 0;
  block.access(who, {CheckedBlock::tile(0), 4, AccessKind::read});
  EXPECT_THAT(checker.take_problems()[0].message, HasSubstr("thread (5, 1, 1) has written"));
}

TEST(SimtChecksRaces, writes_of_one_value_are_none_unless_somebody_reads_it) {
  CheckedBlock any(96);
  for (const uint32_t thread : {3u, 40u, 70u}) any.write_value(1, thread, any.tile(5), AT);
  EXPECT_THAT(any.messages(), IsEmpty());

  CheckedBlock other(96);
  other.write_value(1, 3, other.tile(5), AT);
  other.write_value(1, 40, other.tile(5), AT);
  other.write_value(2, 70, other.tile(5), AT);
  EXPECT_THAT(other.messages(), ElementsAre(HasSubstr("thread (40, 0, 0) has written")));

  CheckedBlock reader(96);
  reader.write_value(1, 3, reader.tile(5), AT);
  reader.write_value(1, 40, reader.tile(5), AT);
  reader.read(70, reader.tile(5), AT);
  EXPECT_THAT(reader.messages(), ElementsAre(HasSubstr("reads 4 bytes")));

  CheckedBlock before_barrier(96);
  before_barrier.write_value(1, 3, before_barrier.tile(5), AT);
  before_barrier.write_value(2, 40, before_barrier.tile(5), AT);
  before_barrier.block.block_barrier();
  before_barrier.write_value(1, 3, before_barrier.tile(5), AT);
  EXPECT_THAT(before_barrier.messages(), SizeIs(1));
}

// for (s = n / 2; s > 0; s /= 2) { if (i < s) x[i] += x[i + s]; barrier }
std::vector<std::string> tree(uint32_t num_threads, uint32_t without_barrier_at, bool wave_tail,
                              bool sync_tail) {
  CheckedBlock b(num_threads);
  for (uint32_t i = 0; i < num_threads; ++i) b.write(i, b.tile(i), AT);
  b.block.block_barrier();
  for (uint32_t s = num_threads / 2; s > 0; s /= 2) {
    for (uint32_t i = 0; i < s; ++i) {
      b.read(i, b.tile(i + s), 1);
      b.read(i, b.tile(i), 2);
      b.write(i, b.tile(i), 3);
    }
    if (wave_tail && s <= 32) {
      if (sync_tail) b.block.wave_barrier(0, kAllLanes);
    } else if (s != without_barrier_at) {
      b.block.block_barrier();
    }
  }
  b.read(0, b.tile(0), AT);
  return b.messages();
}

TEST(SimtChecksRaces, a_tree_reduction_needs_each_of_its_barriers) {
  EXPECT_THAT(tree(256, 0, false, false), IsEmpty());
  for (uint32_t s : {128, 64, 32, 16, 2}) EXPECT_THAT(tree(256, s, false, false), SizeIs(1)) << s;
}

TEST(SimtChecksRaces, the_tail_of_a_tree_needs_barriers_of_the_wave) {
  EXPECT_THAT(tree(256, 0, true, true), IsEmpty());
  EXPECT_THAT(tree(256, 0, true, false), ElementsAre(HasSubstr("both in wave 0")));
}

TEST(SimtChecksRaces, the_same_value_written_by_all_is_still_a_race) {
  CheckedBlock b(64);
  b.write(0, b.tile(0), 1);
  b.write(1, b.tile(0), 1);
  EXPECT_THAT(b.messages(), ElementsAre(HasSubstr("both in wave 0")));
  CheckedBlock one(64);
  one.write(0, one.tile(0), 1);
  one.block.block_barrier();
  one.write(1, one.tile(0), 1);
  EXPECT_THAT(one.messages(), IsEmpty());
}

TEST(SimtChecksRaces, a_write_after_reads_of_others_needs_a_barrier) {
  for (const uint32_t writer : {0u, 7u, 63u}) {
    for (const bool barrier : {false, true}) {
      CheckedBlock b(64);
      b.write(0, b.tile(0), AT);
      b.block.block_barrier();
      for (uint32_t i = 0; i < 64; ++i) b.read(i, b.tile(0), AT);
      if (barrier) b.block.block_barrier();
      b.write(writer, b.tile(0), AT);
      EXPECT_EQ(b.messages().size(), barrier ? 0u : 1u) << writer;
    }
  }
}

// The last readers are ordered before the writer by a barrier of their wave; one of another wave,
// before them, is not.
TEST(SimtChecksRaces, a_reader_of_another_wave_is_not_forgotten_for_later_ones) {
  for (const bool far : {false, true}) {
    CheckedBlock b(64);
    b.write(0, b.tile(0), AT);
    b.block.block_barrier();
    if (far) b.read(40, b.tile(0), AT);
    for (uint32_t i = 0; i < 32; ++i) b.read(31 - i, b.tile(0), AT);
    b.block.wave_barrier(0, kLow32);
    b.write(0, b.tile(0), AT);
    EXPECT_EQ(b.messages().size(), far ? 1u : 0u);
  }
}

// Every thread fills its place of row k % 2 and reads its neighbour's: two rows need one barrier a
// round, one row needs two.
std::vector<std::string> stencil(int num_rows, int num_barriers) {
  CheckedBlock b(128);
  for (int k = 0; k < 6; ++k) {
    const int64_t row = k % num_rows * 128;
    for (uint32_t i = 0; i < 128; ++i) b.write(i, b.tile(row + i), 1);
    if (num_barriers > 0) b.block.block_barrier();
    for (uint32_t i = 0; i < 128; ++i) b.read(i, b.tile(row + (i + 1) % 128), 2);
    if (num_barriers > 1) b.block.block_barrier();
  }
  return b.messages();
}

TEST(SimtChecksRaces, a_halo_needs_a_barrier_and_double_buffering_saves_the_second) {
  EXPECT_THAT(stencil(1, 2), IsEmpty());
  EXPECT_THAT(stencil(2, 1), IsEmpty());
  EXPECT_THAT(stencil(1, 1), SizeIs(1));  // the next round's write
  EXPECT_THAT(stencil(2, 0), SizeIs(2));  // reads, and writes of two rounds later
}

TEST(SimtChecksRaces, slices_of_waves_need_only_barriers_of_waves) {
  for (const uint32_t shift : {0u, 32u}) {  // into the own wave's slice, into the other's
    CheckedBlock b(64);
    for (uint32_t wave = 0; wave < 2; ++wave) {
      for (uint32_t i = 0; i < 32; ++i) b.write(wave * 32 + i, b.tile(wave * 32 + i), AT);
      b.block.wave_barrier(wave, kLow32);
    }
    for (uint32_t i = 0; i < 64; ++i) {
      b.read(i, b.tile(i / 32 * 32 + (i + 1) % 32), AT);
      b.read(i, b.tile(((i ^ shift) / 32) * 32 + (i + 1) % 32), 9);
    }
    EXPECT_EQ(b.messages().size(), shift == 0 ? 0u : 1u);
  }
}

TEST(SimtChecksRaces, a_wave_barrier_orders_the_named_lanes_and_no_others) {
  for (const uint64_t lanes : {uint64_t{0xffff}, uint64_t{0x0ffff}, uint64_t{0xfffff}}) {
    CheckedBlock b(32);
    b.write(16, b.tile(0), AT);
    b.block.wave_barrier(0, lanes);
    b.read(0, b.tile(0), AT);
    EXPECT_EQ(b.messages().size(), lanes == 0xfffff ? 0u : 1u) << lanes;
  }
}

TEST(SimtChecksRaces, order_is_handed_on_from_barrier_to_barrier) {
  for (const uint64_t second : {uint64_t{0b110}, uint64_t{0b101}}) {
    CheckedBlock b(32);
    b.write(0, b.tile(0), AT);
    b.block.wave_barrier(0, 0b011);   // 1 knows of 0
    b.block.wave_barrier(0, second);  // 2 learns it from 1, or 0 itself tells it
    b.read(2, b.tile(0), AT);
    EXPECT_THAT(b.messages(), IsEmpty());
    b.write(0, b.tile(1), AT);
    b.block.wave_barrier(0, 0b110);  // 1 does not know of this
    b.read(2, b.tile(1), AT);
    EXPECT_THAT(b.messages(), SizeIs(1));
  }
}

TEST(SimtChecksRaces, in_a_wave_of_64_lanes_a_barrier_of_a_half_leaves_the_other_out) {
  for (const uint64_t lanes : {kLow32, kAllLanes}) {
    CheckedBlock b(128, {.wave_width = 64});
    b.write(40, b.tile(0), AT);
    b.block.wave_barrier(0, lanes);
    b.read(0, b.tile(0), AT);
    EXPECT_EQ(b.messages().size(), lanes == kAllLanes ? 0u : 1u);
  }
}

TEST(SimtChecksRaces, atomics_do_not_race_with_each_other_but_with_plain_accesses) {
  CheckedBlock b(64);
  b.write(0, b.tile(0), AT);
  b.block.block_barrier();
  for (uint32_t i = 0; i < 64; ++i) b.update(i, b.tile(0), AT);
  EXPECT_THAT(b.messages(), IsEmpty());
  b.read(63, b.tile(0), AT);  // the last that updated it: others have, too
  EXPECT_THAT(b.messages(), ElementsAre(HasSubstr("(62, 0, 0) has written")));
}

TEST(SimtChecksRaces, a_histogram_needs_barriers_after_clearing_and_before_reading) {
  for (const int missing : {0, 1, 2}) {
    CheckedBlock b(64);
    for (uint32_t i = 0; i < 16; ++i) b.write(i, b.tile(i), 1);
    if (missing != 1) b.block.block_barrier();
    for (uint32_t i = 0; i < 64; ++i) b.update(i, b.tile(i % 16), 2);
    if (missing != 2) b.block.block_barrier();
    for (uint32_t i = 0; i < 16; ++i) b.read(i, b.tile(i), 3);
    EXPECT_EQ(b.messages().size(), missing == 0 ? 0u : 1u) << missing;
  }
}

// Thread 0 clears a counter and adds to it at once; so do all others.
// old = *p; do { assumed = old; old = atomicCAS(p, assumed, f(assumed)); } while (old != assumed);
TEST(SimtChecksRaces, the_plain_read_of_a_compare_and_exchange_loop_is_no_race) {
  CheckedBlock b(64);
  b.write(0, b.tile(5), AT);
  b.block.block_barrier();
  b.read(40, b.tile(5), AT);
  b.read(3, b.tile(5), AT);
  b.exchange(40, b.tile(5), AT);  // over the open read of thread 3
  b.exchange(3, b.tile(5), AT);
  EXPECT_THAT(b.messages(), IsEmpty());
}

TEST(SimtChecksRaces, a_plain_read_that_no_exchange_follows_races_with_atomics) {
  for (const bool first : {false, true}) {
    for (const bool elsewhere : {false, true}) {
      CheckedBlock b(64);
      for (const int i : {5, 6}) b.write(0, b.tile(i), AT);
      b.block.block_barrier();
      if (first) b.read(3, b.tile(5), 7);
      b.exchange(40, b.tile(5), 8);
      if (!first) b.read(3, b.tile(5), 7);
      if (elsewhere) b.exchange(3, b.tile(6), AT);
      const SimtProblem problem = b.only_problem();
      EXPECT_EQ(problem.program_counter, first ? 8u : 7u);
    }
  }
}

TEST(SimtChecksRaces, a_clear_is_not_forgotten_because_its_thread_went_on_with_an_atomic) {
  CheckedBlock b(64);
  b.write(0, b.tile(0), 11);
  for (uint32_t i = 0; i < 64; ++i) b.update(i, b.tile(0), 12);
  EXPECT_EQ(b.only_problem().other_program_counter, 11u);
}

TEST(SimtChecksRaces, volatile_accesses_of_a_wave_are_ordered_only_where_lockstep_is_promised) {
  for (const bool lockstep : {false, true}) {
    CheckedBlock b(32, {.lockstep_volatile = lockstep});
    for (uint32_t i = 0; i < 32; ++i) b.write(i, b.tile(i), AT);
    b.block.block_barrier();
    for (uint32_t s = 16; s > 0; s /= 2) {
      for (uint32_t i = 0; i < 16; ++i) {
        b.touch_volatile(i, b.tile(i + s), AccessKind::read, 1);
        b.touch_volatile(i, b.tile(i), AccessKind::write, 2);
      }
    }
    EXPECT_EQ(b.messages().empty(), lockstep);
  }
}

// Thread 0 of one wave writes data, fences and sets a flag; thread 32 sees the flag, fences and
// reads the data.
std::vector<std::string> flag(bool fence_before, bool fence_after, bool is_volatile, bool sees) {
  CheckedBlock b(64);
  b.write(0, b.tile(0), AT);
  b.write(0, b.tile(100), AT);
  b.block.block_barrier();
  b.write(0, b.tile(0), AT);
  if (fence_before) b.fence(0);
  if (is_volatile) {
    b.touch_volatile(0, b.tile(100), AccessKind::write, AT);
    if (sees) b.touch_volatile(32, b.tile(100), AccessKind::read, AT);
  } else {
    b.update(0, b.tile(100), AT);
    if (sees) b.update(32, b.tile(100), AT);
  }
  if (fence_after) b.fence(32);
  b.read(32, b.tile(0), AT);
  return b.messages();
}

TEST(SimtChecksRaces, a_flag_orders_with_fences_on_both_sides) {
  for (const bool is_volatile : {false, true}) {
    EXPECT_THAT(flag(true, true, is_volatile, true), IsEmpty());
    EXPECT_THAT(flag(false, true, is_volatile, true), SizeIs(1));
    EXPECT_THAT(flag(true, false, is_volatile, true), SizeIs(1));
    EXPECT_THAT(flag(true, true, is_volatile, false), SizeIs(1));
  }
}

TEST(SimtChecksRaces, what_was_written_after_the_fence_is_not_handed_on) {
  CheckedBlock b(64);
  b.write(0, b.tile(100), AT);
  b.block.block_barrier();
  b.fence(0);
  b.write(0, b.tile(0), AT);
  b.update(0, b.tile(100), AT);
  b.update(32, b.tile(100), AT);
  b.fence(32);
  b.read(32, b.tile(0), AT);
  EXPECT_THAT(b.messages(), SizeIs(1));
}

TEST(SimtChecksRaces, release_and_acquire_need_no_fences) {
  for (const Order read_order : {Order::acquire, Order::relaxed}) {
    CheckedBlock b(64);
    b.write(0, b.tile(100), AT);
    b.block.block_barrier();
    b.write(0, b.tile(0), AT);
    b.update(0, b.tile(100), AT, Order::release);
    b.update(32, b.tile(100), AT, read_order);
    b.read(32, b.tile(0), AT);
    EXPECT_EQ(b.messages().size(), read_order == Order::acquire ? 0u : 1u);
  }
}

// The last to count itself in reads what all have written: through a chain of updates.
TEST(SimtChecksRaces, the_last_of_many_that_count_themselves_knows_all) {
  for (const bool fenced : {true, false}) {
    CheckedBlock b(128);
    b.write(0, b.tile(200), AT);
    b.block.block_barrier();
    for (uint32_t i = 0; i < 128; ++i) {
      b.write(i, b.tile(i), AT);
      if (fenced) b.fence(i);
      b.update(i, b.tile(200), AT);
    }
    b.fence(127);
    for (uint32_t i = 0; i < 128; ++i) b.read(127, b.tile(i), AT);
    EXPECT_EQ(b.messages().size(), fenced ? 0u : 1u);
  }
}

TEST(SimtChecksRaces, what_one_lane_learned_the_others_learn_by_a_barrier_of_the_wave) {
  for (const bool barrier : {true, false}) {
    CheckedBlock b(64);
    b.write(0, b.tile(100), AT);
    b.block.block_barrier();
    b.write(0, b.tile(0), AT);
    b.fence(0);
    b.update(0, b.tile(100), AT);
    b.update(32, b.tile(100), AT);
    b.fence(32);
    if (barrier) b.block.wave_barrier(1, kLow32);
    b.read(50, b.tile(0), AT);
    EXPECT_EQ(b.messages().size(), barrier ? 0u : 1u);
  }
}

// Wave 0 produces and arrives, wave 1 waits and consumes; then the other way round.
TEST(SimtChecksRaces, a_named_barrier_orders_those_that_wait_after_all_that_arrive) {
  std::vector<uint32_t> both, wave0, wave1;
  for (uint32_t i = 0; i < 64; ++i) {
    both.push_back(i);
    (i < 32 ? wave0 : wave1).push_back(i);
  }
  for (const bool back : {true, false}) {
    CheckedBlock b(96);
    for (int round = 0; round < 3; ++round) {
      for (const uint32_t i : wave0) b.write(i, b.tile(i), 1);
      b.block.named_barrier(both, wave1);
      for (const uint32_t i : wave1) b.read(i, b.tile(63 - i), 2);
      if (back) b.block.named_barrier(both, wave0);
    }
    EXPECT_EQ(b.messages().size(), back ? 0u : 1u);
    b.read(64, b.tile(0), 3);  // a wave that took no part
    EXPECT_THAT(b.messages(), SizeIs(1));
  }
}

TEST(SimtChecksRaces, bytes_beside_each_other_are_apart) {
  CheckedBlock b(64);
  for (uint32_t i = 0; i < 64; ++i) b.write(i, b.tile(0, i), AT, 1);
  for (uint32_t i = 0; i < 32; ++i) b.write(i, b.tile(100, 2 * i), AT, 2);
  EXPECT_THAT(b.messages(), IsEmpty());
  b.read(5, b.tile(0, 4), AT, 2);
  EXPECT_THAT(b.messages(), ElementsAre(HasSubstr("2 bytes at tile[1], which thread (4, 0, 0)")));
  b.block.block_barrier();
  b.write(0, b.tile(0), AT, 16);
  b.read(0, b.tile(0), AT, 16);
  EXPECT_THAT(b.messages(), IsEmpty());
  b.write(40, b.tile(0, 15), AT, 1);
  EXPECT_THAT(b.messages(), SizeIs(1));
}

TEST(SimtChecksRaces, blocks_do_not_race_with_blocks_before_them) {
  CheckedBlock b(64);
  b.write(40, b.tile(0), AT);
  b.block.end_block();
  b.block.begin_block({3, 0, 0}, {});
  b.write(0, b.tile(0), AT);
  EXPECT_THAT(b.messages(), IsEmpty());
}

}  // namespace
}  // namespace ambidex::simt
