// SPDX-License-Identifier: Apache-2.0
// Launches: what is refused, orders, several workers, grids that wait for each other, and the
// services of a device: printf, malloc, the clock, traps.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdarg>
#include <numeric>
#include <vector>

#include "ambidex/base.h"
#include "caught.h"
#include "simt/order.h"
#include "simt_words.h"

namespace ambidex {
namespace {

using namespace words;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

const auto kNothing = [] {};

TEST(Launch, refuses_what_no_device_takes) {
  const auto message = [](const SimtLaunch& launch, const SimtOptions& options) {
    return caught([&] { run(launch, options, kNothing); }).message;
  };
  EXPECT_EQ(message({.block = {32, 33, 1}}, {}), "launch: a block of 1056 threads; at most 1024");
  EXPECT_EQ(message({.grid = {1, 70000, 1}}, {}),
            "launch: grid 1 x 70000 x 1; each must be at least 1 and at most 2147483647 x 65536 x "
            "65536");
  EXPECT_EQ(message({.block = {0, 1, 1}}, {}),
            "launch: block 0 x 1 x 1; each must be at least 1 and at most 1024 x 1024 x 1024");
  EXPECT_EQ(message({.dynamic_shared_bytes = -1}, {}),
            "launch: -1 bytes of dynamic shared memory; at least 0");
  EXPECT_EQ(message({}, {.wave_width = 16}), "launch: wave width 16; expected 32 or 64");
  EXPECT_EQ(message({}, {.num_workers = 0}),
            "launch: 0 workers and 16 problems; at least 1 of each");
  EXPECT_EQ(message({}, {.stack_bytes = 100}), "launch: stacks of 100 bytes; at least 16384");
  EXPECT_EQ(message({.grid = {200, 1, 1}, .block = {1024, 1, 1}, .cooperative = true}, {}),
            "cooperative launch of 200 blocks of 1024 threads: at most 131072 threads can be live "
            "at once; launch at most 128 blocks");
  EXPECT_EQ(message({.block = {1024, 1, 1}}, {.stack_bytes = int64_t{1} << 44}),
            "no room for 1024 stacks of 17592186044416 bytes; lower SimtOptions::stack_bytes, or "
            "launch fewer threads at once");
}

TEST(Launch, every_thread_knows_its_place) {
  const SimtLaunch launch{.grid = {3, 2, 2}, .block = {5, 4, 3}, .dynamic_shared_bytes = 48};
  std::vector<int> seen(3 * 2 * 2 * 60);
  std::atomic<int> wrong = 0;
  run(launch, {.seed = 9}, [&] {
    const AmbidexSimtThread& self = this_thread();
    const uint32_t block = self.block[0] + 3 * (self.block[1] + 2 * self.block[2]);
    ++seen[block * 60 + self.linear_thread];
    const uint32_t linear = self.thread[0] + 5 * (self.thread[1] + 4 * self.thread[2]);
    wrong += linear != self.linear_thread || self.lane != linear % 32 || self.wave != linear / 32;
    wrong += self.thread[0] >= 5 || self.thread[1] >= 4 || self.thread[2] >= 3;
    wrong += self.grid_size[2] != 2 || self.block_size[1] != 4 || self.wave_width != 32;
    wrong += self.dynamic_shared_bytes != 48;
  });
  EXPECT_EQ(wrong, 0);
  EXPECT_THAT(seen, testing::Each(1));
}

TEST(Launch, a_seed_permutes_blocks_waves_and_lanes) {
  const auto order_with = [](uint64_t seed) {
    std::vector<uint32_t> order;
    run({.grid = {4, 1, 1}, .block = {96, 1, 1}}, {.seed = seed},
        [&] { order.push_back(this_thread().block[0] * 96 + this_thread().linear_thread); });
    return order;
  };
  std::vector<uint32_t> in_order(4 * 96);
  std::iota(in_order.begin(), in_order.end(), 0u);
  EXPECT_EQ(order_with(0), in_order);
  const std::vector<uint32_t> one = order_with(1);
  EXPECT_NE(one, in_order);
  EXPECT_NE(one, order_with(2));
  EXPECT_EQ(one, order_with(1));
  EXPECT_THAT(one, testing::UnorderedElementsAreArray(in_order));
  // Waves run as a whole, whatever the order.
  for (size_t i = 0; i < one.size(); ++i) EXPECT_EQ(one[i] / 32, one[i / 32 * 32] / 32);
}

TEST(Launch, orders_of_blocks_are_permutations) {
  for (const uint64_t seed : {0ull, 1ull, 77ull, ~0ull}) {
    for (const int64_t count : {1, 2, 3, 30, 64, 97, 1000}) {
      std::vector<int> seen(static_cast<size_t>(count));
      for (int64_t i = 0; i < count; ++i)
        ++seen[static_cast<size_t>(simt::block_at(seed, i, count))];
      EXPECT_THAT(seen, testing::Each(1)) << seed << " " << count;
    }
  }
  const int64_t large = 0x7fffffff00000000;
  EXPECT_LT(simt::block_at(5, large - 1, large), large);
  EXPECT_GE(simt::block_at(5, large - 1, large), 0);
}

TEST(Launch, several_workers_compute_what_one_does) {
  static thread_local uint32_t shared[256];
  const auto result_with = [](int workers, uint64_t seed) {
    std::vector<uint32_t> out(64 * 256);
    const SimtReport report = run(
        {.grid = {64, 1, 1}, .block = {256, 1, 1}}, {.seed = seed, .num_workers = workers}, [&] {
          const AmbidexSimtThread& self = this_thread();
          shared[self.linear_thread] = self.block[0] * 1000 + self.linear_thread;
          ambidex_simt_barrier();
          const uint32_t other = shared[255 - self.linear_thread];
          out[global_thread()] = shuffle_xor(0xffffffff, other, 3, 32);
        });
    EXPECT_THAT(report.problems, IsEmpty());
    EXPECT_EQ(report.counts.threads, 64 * 256);
    EXPECT_EQ(report.counts.barriers, 64 * 8);
    return out;
  };
  std::vector<uint32_t> expected(64 * 256);
  for (uint32_t i = 0; i < expected.size(); ++i) expected[i] = i / 256 * 1000 + 255 - (i % 256 ^ 3);
  EXPECT_EQ(result_with(1, 0), expected);
  EXPECT_EQ(result_with(2, 0), expected);
  EXPECT_EQ(result_with(5, 4), expected);
}

class Cooperative : public testing::TestWithParam<int> {};

TEST_P(Cooperative, a_grid_that_synchronises_sees_what_all_blocks_wrote) {
  constexpr uint32_t kBlocks = 20, kThreads = 64, kRounds = 6;
  static thread_local uint32_t of_block;  // each live block has its own
  std::vector<uint32_t> values(kBlocks), next(kBlocks);
  for (uint32_t i = 0; i < kBlocks; ++i) values[i] = i * i;
  std::vector<uint32_t> expected = values;
  const SimtLaunch launch{.grid = {kBlocks, 1, 1}, .block = {kThreads, 1, 1}, .cooperative = true};
  const SimtReport report =
      run(launch, {.seed = 2, .num_workers = GetParam(), .max_seconds = 20.0}, [&] {
        const AmbidexSimtThread& self = this_thread();
        const uint32_t block = self.block[0];
        if (self.linear_thread == 0) of_block = block;
        for (uint32_t round = 0; round < kRounds; ++round) {
          if (self.linear_thread == 0) {
            next[of_block] = values[of_block] + 3 * values[(of_block + 1) % kBlocks];
          }
          ambidex_simt_grid_barrier();
          if (self.linear_thread == 0) values[block] = next[block];
          ambidex_simt_grid_barrier();
        }
      });
  EXPECT_THAT(report.problems, IsEmpty());
  EXPECT_EQ(report.counts.grid_barriers, kBlocks * kRounds * 2);
  for (uint32_t round = 0; round < kRounds; ++round) {
    std::vector<uint32_t> after(kBlocks);
    for (uint32_t i = 0; i < kBlocks; ++i) after[i] = expected[i] + 3 * expected[(i + 1) % kBlocks];
    expected = after;
  }
  EXPECT_EQ(values, expected);
}

TEST_P(Cooperative, blocks_that_have_ended_are_not_waited_for) {
  std::atomic<int> passed = 0;
  const SimtReport report = run({.grid = {5, 1, 1}, .block = {32, 1, 1}, .cooperative = true},
                                {.num_workers = GetParam(), .max_seconds = 20.0}, [&] {
                                  if (this_thread().block[0] % 2 == 0) return;
                                  ambidex_simt_grid_barrier();
                                  ++passed;
                                });
  EXPECT_THAT(report.problems, IsEmpty());
  EXPECT_EQ(passed, 64);
}

TEST_P(Cooperative, a_problem_ends_blocks_that_wait_for_the_grid) {
  const SimtReport report = run({.grid = {6, 1, 1}, .block = {32, 1, 1}, .cooperative = true},
                                {.num_workers = GetParam(), .max_seconds = 20.0}, [&] {
                                  if (this_thread().block[0] == 4 && this_thread().lane == 9)
                                    ambidex_simt_trap("enough");
                                  ambidex_simt_grid_barrier();
                                });
  ASSERT_THAT(report.problems, SizeIs(1));
  EXPECT_EQ(report.problems[0].kind, SimtProblemKind::trap);
  EXPECT_EQ(report.problems[0].message, "enough");
  EXPECT_EQ(report.problems[0].block[0], 4u);
  EXPECT_EQ(report.problems[0].thread[0], 9u);
}

// A block that waits for one that has not begun: no device promises that, most grant it.
TEST_P(Cooperative, blocks_that_wait_for_later_blocks_let_them_begin) {
  std::vector<std::atomic<uint32_t>> flags(9);
  const SimtReport report = run({.grid = {8, 1, 1}, .block = {64, 1, 1}},
                                {.num_workers = GetParam(), .max_seconds = 20.0}, [&] {
                                  const uint32_t block = this_thread().block[0];
                                  if (this_thread().linear_thread == 0) {
                                    while (block < 7 && flags[block + 1] == 0) ambidex_simt_yield();
                                    flags[block] = flags[block + 1] + 1;
                                  }
                                });
  EXPECT_THAT(report.problems, IsEmpty());
  EXPECT_EQ(flags[0], 8u);
}

INSTANTIATE_TEST_SUITE_P(Workers, Cooperative, testing::Values(1, 2, 4));

TEST(Launch, a_barrier_of_the_grid_needs_a_cooperative_launch) {
  const SimtReport report = run({.grid = {2, 1, 1}}, {}, [] { ambidex_simt_grid_barrier(); });
  ASSERT_THAT(report.problems, SizeIs(1));
  EXPECT_EQ(report.problems[0].kind, SimtProblemKind::trap);
  EXPECT_EQ(report.problems[0].message,
            "a barrier of the grid in a launch that is not cooperative");
}

TEST(Launch, blocks_apart_at_barriers_of_block_and_grid_are_reported) {
  const SimtReport report =
      run({.grid = {2, 1, 1}, .block = {64, 1, 1}, .cooperative = true}, {.max_seconds = 20.0}, [] {
        if (this_thread().wave == 0) {
          ambidex_simt_barrier();
        } else {
          ambidex_simt_grid_barrier();
        }
      });
  ASSERT_THAT(report.problems, SizeIs(1));
  EXPECT_EQ(report.problems[0].message,
            "lanes 0-31 of wave 0 wait at a barrier of the block, but lanes 0-31 of wave 1 at a "
            "barrier of the grid");
}

TEST(Launch, ends_at_its_deadline) {
  const SimtReport report = run({.block = {64, 1, 1}}, {.max_seconds = 0.05}, [] {
    while (this_thread().lane != 99) ambidex_simt_yield();
  });
  ASSERT_THAT(report.problems, SizeIs(1));
  EXPECT_EQ(report.problems[0].kind, SimtProblemKind::deadline);
  EXPECT_EQ(report.problems[0].message, "the launch has run for more than 0.05 seconds");
}

TEST(Launch, threads_that_wait_for_nobody_are_found_without_a_deadline) {
  const SimtReport report = run({.block = {32, 1, 1}}, {}, [] {
    while (this_thread().lane == 3) ambidex_simt_yield();
  });
  ASSERT_THAT(report.problems, SizeIs(1));
  EXPECT_EQ(report.problems[0].kind, SimtProblemKind::no_forward_progress);
  EXPECT_EQ(report.problems[0].message, "lanes 3 of wave 0 wait at a yield for what nobody does");
}

TEST(Launch, ends_after_as_many_problems_as_the_caller_wants) {
  int begun = 0;
  const SimtReport report =
      run({.grid = {10, 1, 1}, .block = {32, 1, 1}}, {.max_problems = 1}, [&] {
        if (this_thread().lane == 0) ++begun;
        ambidex_simt_ballot(1, 1);
      });
  EXPECT_THAT(report.problems, SizeIs(1));
  EXPECT_EQ(begun, 1);
}

int print(const char* format, ...) {
  va_list values;
  va_start(values, format);
  const int length = ambidex_simt_vprintf(format, values);
  va_end(values);
  return length;
}

TEST(Launch, what_kernels_print_comes_back_in_the_order_of_blocks) {
  for (const int workers : {1, 3}) {
    const SimtReport report = run({.grid = {3, 1, 1}}, {.seed = 1, .num_workers = workers}, [] {
      const std::string longer(300, 'x');
      const uint32_t block = this_thread().block[0];
      EXPECT_EQ(print("block %u, %.2f\n", block, 0.5), 14);
      if (block == 1) {
        EXPECT_EQ(print("%s\n", longer.c_str()), 301);
      }
    });
    EXPECT_EQ(report.output,
              "block 0, 0.50\nblock 1, 0.50\n" + std::string(300, 'x') + "\nblock 2, 0.50\n");
    EXPECT_FALSE(report.output_is_cut);
  }
}

TEST(Launch, memory_of_a_kernel_lives_until_a_kernel_frees_it) {
  uint32_t* kept = nullptr;
  run({}, {}, [&] {
    kept = static_cast<uint32_t*>(ambidex_simt_malloc(100 * sizeof(uint32_t)));
    EXPECT_EQ(reinterpret_cast<uintptr_t>(kept) % 16, 0u);
    for (uint32_t i = 0; i < 100; ++i) kept[i] = i;
    EXPECT_EQ(ambidex_simt_malloc(uint64_t{1} << 40), nullptr);
    ambidex_simt_free(nullptr);
  });
  EXPECT_EQ(kept[99], 99u);
  const SimtReport report = run({}, {}, [&] {
    ambidex_simt_free(kept);
    ambidex_simt_free(kept);
  });
  ASSERT_THAT(report.problems, SizeIs(1));
  EXPECT_EQ(report.problems[0].kind, SimtProblemKind::trap);
  EXPECT_THAT(report.problems[0].message,
              HasSubstr("which malloc has not given or which is free already"));
}

TEST(Launch, the_clock_goes_forward_so_that_delays_end) {
  uint64_t first = 0, last = 0;
  const SimtReport report = run({}, {.max_seconds = 5.0}, [&] {
    first = ambidex_simt_clock();
    while ((last = ambidex_simt_clock()) < first + 10000) continue;
  });
  EXPECT_THAT(report.problems, IsEmpty());
  EXPECT_GE(last, first + 10000);
}

TEST(Launch, stacks_hold_large_local_arrays) {
  uint32_t sum = 0;
  run({.block = {32, 1, 1}}, {.stack_bytes = 1 << 20}, [&] {
    volatile uint32_t local[200000];
    for (uint32_t i = 0; i < 200000; i += 1000) local[i] = i / 1000 + this_thread().lane;
    ambidex_simt_barrier();
    for (uint32_t i = 0; i < 200000; i += 1000) sum += local[i];
  });
  EXPECT_EQ(sum, 32u * (199 * 200 / 2) + 200u * (31 * 32 / 2));
}

}  // namespace
}  // namespace ambidex
