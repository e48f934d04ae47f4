// SPDX-License-Identifier: Apache-2.0
// Threads that wait by reading memory: they let others run, and what never ends in lockstep is
// reported.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "simt_spin_kernels.h"
#include "simt_words.h"

namespace ambidex {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

const SimtOptions kAmd{.wave_width = 64,
                       .convergence = Convergence::lockstep,
                       .checked = false,
                       .max_seconds = 5.0,
                       .lockstep_volatile = true};
const SimtOptions kNvidia{.checked = false, .max_seconds = 5.0};

SimtReport run_on(Shared& shared, const SimtOptions& options, uint32_t num_threads,
                  void (*kernel)(Shared&)) {
  return words::run({.block = {num_threads, 1, 1}}, options, [&] { kernel(shared); });
}

TEST(Spin, a_lock_released_after_the_loop_is_no_forward_progress_in_lockstep) {
  Shared shared;
  const SimtReport report = run_on(shared, kAmd, 64, lock_outside_of_the_loop);
  EXPECT_EQ(shared.counter, 64);  // it goes on all the same
  ASSERT_THAT(report.problems, SizeIs(1));
  EXPECT_EQ(report.problems[0].kind, SimtProblemKind::no_forward_progress);
  EXPECT_THAT(report.problems[0].message,
              HasSubstr("waits for what lane 0 writes, but in lockstep that lane only goes on when "
                        "the loop ends"));
  EXPECT_NE(report.problems[0].program_counter, 0u);
}

TEST(Spin, the_same_lock_is_right_between_independent_threads) {
  for (const uint64_t seed : {0, 4}) {
    Shared shared;
    SimtOptions options = kNvidia;
    options.seed = seed;
    EXPECT_THAT(run_on(shared, options, 96, lock_outside_of_the_loop).problems, IsEmpty());
    EXPECT_EQ(shared.counter, 96);
  }
}

TEST(Spin, a_lock_released_within_the_loop_is_right_in_lockstep) {
  for (const uint64_t seed : {0, 4}) {
    Shared shared;
    SimtOptions options = kAmd;
    options.seed = seed;
    EXPECT_THAT(run_on(shared, options, 128, lock_inside_of_the_loop).problems, IsEmpty());
    EXPECT_EQ(shared.counter, 128);
  }
}

TEST(Spin, a_flag_that_a_lane_of_the_same_wave_sets_is_no_forward_progress_in_lockstep) {
  Shared shared;
  const SimtReport amd = run_on(shared, kAmd, 64, flag_between_lanes);
  EXPECT_EQ(shared.counter, 42);
  ASSERT_THAT(amd.problems, SizeIs(1));
  EXPECT_EQ(amd.problems[0].kind, SimtProblemKind::no_forward_progress);
  EXPECT_THAT(amd.problems[0].message, HasSubstr("lane 1 of wave 0 waits for what lane 0 writes"));
  for (const uint64_t seed : {0, 1, 2}) {  // in some orders lane 1 comes first
    Shared other;
    SimtOptions options = kNvidia;
    options.seed = seed;
    EXPECT_THAT(run_on(other, options, 64, flag_between_lanes).problems, IsEmpty());
    EXPECT_EQ(other.counter, 42);
  }
}

TEST(Spin, a_flag_that_another_wave_sets_is_right) {
  for (const SimtOptions& options : {kAmd, kNvidia}) {
    Shared shared;
    EXPECT_THAT(run_on(shared, options, 128, flag_between_waves).problems, IsEmpty());
    EXPECT_EQ(shared.counter, 42);
  }
}

TEST(Spin, rounds_that_have_an_effect_are_no_spin) {
  Shared shared;
  const SimtReport report = run_on(shared, kAmd, 64, tickets);
  EXPECT_THAT(report.problems, IsEmpty());
  EXPECT_EQ(shared.counter, 64 * 200);
  EXPECT_EQ(report.counts.ordered_accesses, 64 * 200);
}

TEST(Spin, volatile_accesses_order_the_lanes_of_a_wave_if_asked_to) {
  int expected = 0;
  for (int i = 0; i < 64; ++i) expected += i * i;
  Shared in_lockstep;
  EXPECT_THAT(run_on(in_lockstep, kAmd, 64, warp_synchronous_tail).problems, IsEmpty());
  EXPECT_EQ(in_lockstep.values[0], expected);
  Shared independent;  // as hardware since Volta may
  run_on(independent, kNvidia, 64, warp_synchronous_tail);
  EXPECT_NE(independent.values[0], expected);
}

TEST(Spin, loops_that_never_end_are_stopped) {
  for (const SimtOptions& base : {kAmd, kNvidia}) {
    SimtOptions options = base;
    options.max_seconds = 0.1;
    Shared shared;
    for (const auto kernel : {spin_for_ever, plain_loop_for_ever}) {
      const SimtReport report = run_on(shared, options, 64, kernel);
      ASSERT_THAT(report.problems, SizeIs(1));
      EXPECT_EQ(report.problems[0].kind, SimtProblemKind::deadline);
    }
  }
}

}  // namespace
}  // namespace ambidex
