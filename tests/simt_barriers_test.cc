// SPDX-License-Identifier: Apache-2.0
// Barriers of blocks: that they hold, and what is said of those that cannot.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "simt_words.h"

namespace ambidex {
namespace {

using namespace words;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

const SimtOptions kAmd{.wave_width = 64, .convergence = Convergence::lockstep, .max_seconds = 5.0};
const SimtOptions kNvidia{.max_seconds = 5.0};

thread_local float tile[32][33];

TEST(Barriers, a_transpose_over_shared_memory_is_that_of_a_loop) {
  constexpr uint32_t kRows = 96, kColumns = 64;
  std::vector<float> in(kRows * kColumns), out(in.size());
  for (size_t i = 0; i < in.size(); ++i) in[i] = static_cast<float>(i * 7 % 1000);
  for (const uint64_t seed : {0, 1, 2}) {
    for (const SimtOptions& base : {kAmd, kNvidia}) {
      SimtOptions options = base;
      options.seed = seed;
      std::fill(out.begin(), out.end(), -1.0f);
      const SimtLaunch launch{.grid = {kColumns / 32, kRows / 32, 1}, .block = {32, 8, 1}};
      const SimtReport report = run(launch, options, [&] {
        const AmbidexSimtThread& self = this_thread();
        const uint32_t column = self.block[0] * 32 + self.thread[0];
        for (uint32_t y = self.thread[1]; y < 32; y += 8) {
          tile[y][self.thread[0]] = in[(self.block[1] * 32 + y) * kColumns + column];
        }
        ambidex_simt_barrier();
        for (uint32_t y = self.thread[1]; y < 32; y += 8) {
          out[(self.block[0] * 32 + y) * kRows + self.block[1] * 32 + self.thread[0]] =
              tile[self.thread[0]][y];
        }
      });
      EXPECT_THAT(report.problems, IsEmpty());
      for (uint32_t row = 0; row < kRows; ++row) {
        for (uint32_t column = 0; column < kColumns; ++column) {
          ASSERT_EQ(out[column * kRows + row], in[row * kColumns + column]);
        }
      }
    }
  }
}

TEST(Barriers, predicates_are_counted_and_joined) {
  std::vector<int> out(3 * 100);
  const SimtReport report = run({.block = {100, 1, 1}}, kNvidia, [&] {
    const uint32_t i = this_thread().linear_thread;
    out[i] = ambidex_simt_barrier_reduce(i % 7 == 0 ? 8 : 0, 0);
    out[100 + i] = ambidex_simt_barrier_reduce(i < 99, 1) * 2 + ambidex_simt_barrier_reduce(1, 1);
    out[200 + i] = ambidex_simt_barrier_reduce(i == 99, 2) * 2 + ambidex_simt_barrier_reduce(0, 2);
  });
  EXPECT_THAT(report.problems, IsEmpty());
  for (size_t i = 0; i < 100; ++i) {
    EXPECT_EQ(out[i], 15);
    EXPECT_EQ(out[100 + i], 1);
    EXPECT_EQ(out[200 + i], 2);
  }
}

TEST(Barriers, waves_that_have_exited_as_a_whole_are_not_missed) {
  for (const SimtOptions& options : {kAmd, kNvidia}) {
    const SimtReport report = run({.block = {256, 1, 1}}, options, [&] {
      if (this_thread().linear_thread >= 128) return;
      ambidex_simt_barrier();
    });
    EXPECT_THAT(report.problems, IsEmpty());
    EXPECT_EQ(report.counts.barriers, 128 / options.wave_width);
  }
}

TEST(Barriers, an_early_return_of_part_of_a_wave_is_reported) {
  const auto early_return = [] {
    if (this_thread().linear_thread >= 100) return;
    ambidex_simt_barrier();
  };
  const SimtReport amd = run({.grid = {3, 1, 1}, .block = {128, 1, 1}}, kAmd, early_return);
  ASSERT_THAT(amd.problems, SizeIs(1));
  EXPECT_EQ(amd.problems[0].kind, SimtProblemKind::barrier_divergence);
  EXPECT_EQ(amd.problems[0].block[0], 0u);
  EXPECT_EQ(amd.problems[0].thread[0], 64u);
  EXPECT_NE(amd.problems[0].program_counter, 0u);
  EXPECT_EQ(amd.problems[0].message,
            "lanes 0-35 of wave 1 wait at a barrier of the block, but lanes 36-63 have exited");
  const SimtReport nvidia = run({.block = {128, 1, 1}}, kNvidia, early_return);
  ASSERT_THAT(nvidia.problems, SizeIs(1));
  EXPECT_EQ(nvidia.problems[0].kind, SimtProblemKind::partial_exit_barrier);
  EXPECT_EQ(nvidia.problems[0].message,
            "lanes 0-3 of wave 3 wait at a barrier of the block, but lanes 4-31 have exited");
}

// S02: uniform in 32 lanes, not in 64.
TEST(Barriers, a_barrier_in_a_branch_by_warp_is_divergence_only_in_wider_waves) {
  const auto by_warp = [] {
    if (this_thread().linear_thread / 32 % 2 == 0) {
      ambidex_simt_barrier();
    } else {
      ambidex_simt_barrier();
    }
  };
  EXPECT_THAT(run({.block = {128, 1, 1}}, kNvidia, by_warp).problems, IsEmpty());
  const SimtReport amd = run({.block = {128, 1, 1}}, kAmd, by_warp);
  ASSERT_THAT(amd.problems, SizeIs(1));
  EXPECT_EQ(amd.problems[0].kind, SimtProblemKind::barrier_divergence);
  EXPECT_EQ(amd.problems[0].message,
            "lanes 0-31 of wave 0 wait at one barrier of the block, lanes 32-63 at another");
  EXPECT_NE(amd.problems[0].program_counter, amd.problems[0].other_program_counter);
  EXPECT_NE(amd.problems[0].other_program_counter, 0u);
}

TEST(Barriers, a_lane_that_skips_a_barrier_pairs_it_with_a_later_one) {
  const SimtReport report = run({.block = {64, 1, 1}}, kAmd, [] {
    if (this_thread().lane < 32) ambidex_simt_barrier();
    ambidex_simt_barrier();
  });
  ASSERT_THAT(report.problems, SizeIs(2));  // the second barrier, when half of the wave is gone
  EXPECT_EQ(report.problems[0].kind, SimtProblemKind::barrier_divergence);
  EXPECT_THAT(report.problems[0].message, HasSubstr("lanes 32-63 at another"));
  EXPECT_THAT(report.problems[1].message, HasSubstr("lanes 32-63 have exited"));
}

// A producer and a consumer warp, as in pipelines that copy ahead.
TEST(Barriers, named_barriers_hand_over_between_warps) {
  static thread_local uint32_t buffer[32];
  constexpr uint32_t kRounds = 5, kFull = 1, kEmpty = 2;
  std::vector<uint32_t> out(kRounds * 32);
  for (const uint64_t seed : {0, 1, 2, 3}) {
    SimtOptions options = kNvidia;
    options.seed = seed;
    std::fill(out.begin(), out.end(), 0u);
    const SimtReport report = run({.block = {64, 1, 1}}, options, [&] {
      const AmbidexSimtThread& self = this_thread();
      for (uint32_t round = 0; round < kRounds; ++round) {
        if (self.wave == 0) {
          if (round > 0) ambidex_simt_named_barrier(kEmpty, 64, 0);
          buffer[self.lane] = round * 100 + self.lane;
          ambidex_simt_named_barrier(kFull, 64, 1);
        } else {
          ambidex_simt_named_barrier(kFull, 64, 0);
          out[round * 32 + self.lane] = buffer[31 - self.lane];
          if (round + 1 < kRounds) ambidex_simt_named_barrier(kEmpty, 64, 1);
        }
      }
    });
    EXPECT_THAT(report.problems, IsEmpty());
    EXPECT_EQ(report.counts.named_barriers, 64 * (2 * kRounds - 1));
    for (uint32_t i = 0; i < out.size(); ++i) EXPECT_EQ(out[i], i / 32 * 100 + 31 - i % 32);
  }
}

TEST(Barriers, named_barriers_that_are_asked_the_impossible_say_so) {
  const SimtReport waits = run({.block = {64, 1, 1}}, kNvidia, [] {
    if (this_thread().wave == 0) ambidex_simt_named_barrier(3, 64, 0);
  });
  ASSERT_THAT(waits.problems, SizeIs(1));
  EXPECT_EQ(waits.problems[0].kind, SimtProblemKind::deadlock);
  EXPECT_EQ(waits.problems[0].message,
            "named barrier 3 waits for 64 threads, 32 have come, and no other can go on");
  const SimtReport counts = run({.block = {64, 1, 1}}, kNvidia, [] {
    ambidex_simt_named_barrier(3, this_thread().wave == 0 ? 64 : 32, 0);
  });
  ASSERT_THAT(counts.problems, testing::Not(IsEmpty()));
  EXPECT_EQ(counts.problems[0].kind, SimtProblemKind::barrier_divergence);
  EXPECT_EQ(counts.problems[0].message,
            "named barrier 3 is asked to wait for 32 threads, but those that have come wait for "
            "64");
  const SimtReport far =
      run({.block = {64, 1, 1}}, kNvidia, [] { ambidex_simt_named_barrier(16, 64, 0); });
  ASSERT_THAT(far.problems, SizeIs(1));
  EXPECT_EQ(far.problems[0].kind, SimtProblemKind::trap);
  EXPECT_EQ(far.problems[0].message,
            "named barrier 16 for 64 threads: there are 16 barriers, and 64 threads");
}

TEST(Barriers, threads_at_different_barriers_for_ever_are_a_problem) {
  const SimtReport report = run({.block = {64, 1, 1}}, kNvidia, [] {
    if (this_thread().wave == 0) {
      ambidex_simt_barrier();
    } else {
      ambidex_simt_named_barrier(1, 64, 0);
    }
  });
  ASSERT_THAT(report.problems, testing::Not(IsEmpty()));
  EXPECT_EQ(report.problems[0].kind, SimtProblemKind::barrier_divergence);
  EXPECT_EQ(report.problems[0].message,
            "lanes 0-31 of wave 0 wait at a barrier of the block, but lanes 0-31 of wave 1 at the "
            "named barrier 1");
  EXPECT_NE(report.problems[0].other_program_counter, 0u);
}

TEST(Barriers, a_shuffle_whose_lanes_wait_at_a_barrier_is_a_mismatch) {
  const SimtReport report = run({.block = {32, 1, 1}}, kNvidia, [] {
    if (this_thread().lane == 7) {
      ambidex_simt_barrier();
    } else {
      ambidex_simt_shuffle(0xffffffff, 1, 7);
    }
  });
  ASSERT_THAT(report.problems, testing::Not(IsEmpty()));
  EXPECT_EQ(report.problems[0].kind, SimtProblemKind::mask_mismatch);
  EXPECT_EQ(report.problems[0].message,
            "lanes 0-6, 8-31 of wave 0 are at a shuffle of lanes 0-31, but lane 7 waits at a "
            "barrier of the block");
}

}  // namespace
}  // namespace ambidex
