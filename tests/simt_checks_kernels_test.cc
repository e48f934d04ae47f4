// SPDX-License-Identifier: Apache-2.0
// Instrumented kernels in the executor: right ones without a report, and each mistake with the line
// where it is made.
#include "simt_checks_kernels.h"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <numeric>

#include "ambidex/simt.h"
#include "ambidex/simt_memory.h"
#include "port/symbolize.h"

namespace ambidex {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

constexpr uint32_t kThreads = 128;

struct Kernel {
  explicit Kernel(SimtKernel function, int64_t num_bytes = kThreads * 4) : run(function) {
    memory.add_shared({"tile", 1024, 4, 64, checked_tile_address});
    memory.add_shared({"counts", 32, 1, 64, checked_bytes_address});
    in = static_cast<int*>(memory.allocate(num_bytes, {"in", 4, true, true}));
    out = static_cast<int*>(memory.allocate(num_bytes, {"out", 4, false, true}));
    std::iota(in, in + num_bytes / 4, 1);
  }
  SimtReport operator()(int mistake, SimtOptions options = {}, uint32_t num_blocks = 1) {
    options.memory = &memory;
    void* arguments[] = {&in, &out, &mistake};
    return simt_run({.grid = {num_blocks, 1, 1}, .block = {kThreads, 1, 1}}, options, run,
                    arguments);
  }
  SimtKernel run;
  SimtMemory memory;
  int* in;
  int* out;
};

// The text of the line of the kernels' source that the program counter is in.
std::string line_of(uint64_t program_counter) {
  Dl_info info{};
  dladdr(reinterpret_cast<void*>(program_counter), &info);
  const std::vector<uint64_t> addresses{program_counter -
                                        reinterpret_cast<uintptr_t>(info.dli_fbase)};
  const auto places = symbolize("/proc/" + std::to_string(getpid()) + "/exe", addresses);
  if (!places[0] || !places[0]->file.ends_with("simt_checks_kernels.cc")) return "elsewhere";
  std::ifstream source(AMBIDEX_SOURCE_DIR "/tests/simt_checks_kernels.cc");
  std::string line;
  for (int i = 0; i < places[0]->line; ++i) std::getline(source, line);
  return line;
}

void expect_clean(const SimtReport& report) {
  for (const SimtProblem& problem : report.problems) ADD_FAILURE() << problem.message;
}

// The first problem is of this kind, on the line with this mark, and says `text`.
void expect_problem(const SimtReport& report, SimtProblemKind kind, const std::string& mark,
                    const std::string& text) {
  ASSERT_FALSE(report.problems.empty()) << mark;
  const SimtProblem& problem = report.problems[0];
  EXPECT_EQ(name_of(problem.kind), name_of(kind)) << problem.message;
  EXPECT_THAT(line_of(problem.program_counter), HasSubstr("MARK " + mark)) << problem.message;
  EXPECT_THAT(problem.message, HasSubstr(text));
}

TEST(SimtChecksKernels, a_tree_reduction) {
  for (const int width : {32, 64}) {
    for (const uint64_t seed : {0, 1, 2, 3}) {
      Kernel tree(checked_tree);
      expect_clean(tree(0, {.wave_width = width, .seed = seed}));
      EXPECT_EQ(tree.out[0], 128 * 129 / 2);
      expect_problem(tree(1, {.wave_width = width, .seed = seed}), SimtProblemKind::shared_race,
                     "tree", "with no barrier between");
      expect_problem(tree(2, {.wave_width = width, .seed = seed}), SimtProblemKind::shared_race,
                     "tail", "both in wave 0");
    }
  }
}

TEST(SimtChecksKernels, both_lines_of_a_race_are_known) {
  Kernel stencil(checked_stencil);
  expect_clean(stencil(0));
  for (int i = 0; i < 128; ++i) {
    const auto x = [](int k) { return k % 128 + 1; };
    EXPECT_EQ(stencil.out[i], x(i) + 2 * x(i + 1) + x(i + 2)) << i;
  }
  SimtReport report = stencil(1);  // which also finds that the neighbour has not written yet
  std::erase_if(report.problems, [](const SimtProblem& problem) {
    return problem.kind != SimtProblemKind::shared_race;
  });
  ASSERT_FALSE(report.problems.empty());
  const SimtProblem& race = report.problems[0];
  const std::vector<std::string> lines{line_of(race.program_counter),
                                       line_of(race.other_program_counter)};
  EXPECT_THAT(lines, testing::UnorderedElementsAre(HasSubstr("MARK stencil write"),
                                                   HasSubstr("MARK stencil read")));
  EXPECT_FALSE(stencil(2).problems.empty());
}

TEST(SimtChecksKernels, an_array_that_half_of_the_threads_filled) {
  Kernel kernel(checked_partial_fill);
  expect_clean(kernel(0));
  EXPECT_EQ(kernel.out[31], 32);
  expect_problem(kernel(1), SimtProblemKind::uninitialised_read, "partial",
                 "reads 1 bytes at counts + 16 bytes, which nobody has written");
}

TEST(SimtChecksKernels, accesses_outside) {
  Kernel kernel(checked_bounds);
  expect_clean(kernel(0));
  expect_problem(kernel(1), SimtProblemKind::out_of_bounds, "bounds in",
                 "reads 4 bytes at in[128], 4 bytes past the end of in (128 elements of 4 bytes)");
  expect_problem(kernel(2), SimtProblemKind::out_of_bounds, "bounds out",
                 "writes 4 bytes at out[-1], 4 bytes before out");
  expect_problem(kernel(3), SimtProblemKind::out_of_bounds, "bounds tile",
                 "writes 4 bytes at tile[256], 4 bytes past the end of tile");
}

TEST(SimtChecksKernels, a_pointer_of_the_host_ends_the_launch_and_leaves_its_memory_alone) {
  Kernel kernel(checked_bounds);
  std::vector<int> on_host(kThreads, 7);
  kernel.out = on_host.data();
  const SimtReport report = kernel(0);
  ASSERT_FALSE(report.problems.empty());
  EXPECT_THAT(report.problems[0].message, HasSubstr("a pointer of the host, or a wild one"));
  EXPECT_EQ(on_host, std::vector<int>(kThreads, 7));
}

TEST(SimtChecksKernels, a_write_to_constant_memory) {
  Kernel kernel(checked_bounds);
  static std::vector<int> table(kThreads, 1);
  kernel.memory.add(table.data(), kThreads * 4, {"table", 4, true, false});
  kernel.in = table.data();
  expect_clean(kernel(0));
  expect_problem(kernel(4), SimtProblemKind::out_of_bounds, "bounds constant",
                 "writes 4 bytes at table[0], which is constant");
}

TEST(SimtChecksKernels, a_histogram_with_atomics) {
  Kernel kernel(checked_histogram);
  expect_clean(kernel(0));
  for (int i = 0; i < 16; ++i) EXPECT_EQ(kernel.out[i], 8);
  expect_problem(kernel(1), SimtProblemKind::shared_race, "histogram", "has written");
}

TEST(SimtChecksKernels, a_flag_between_waves) {
  Kernel kernel(checked_flag);
  expect_clean(kernel(0));
  EXPECT_EQ(kernel.out[0], 1);
  expect_problem(kernel(1), SimtProblemKind::shared_race, "flag", "thread (0, 0, 0) has written");
  expect_problem(kernel(2), SimtProblemKind::shared_race, "flag", "thread (0, 0, 0) has written");
}

TEST(SimtChecksKernels, a_shuffle_is_no_barrier_unless_lanes_go_in_lockstep) {
  Kernel kernel(checked_neighbour);
  expect_clean(kernel(0));
  EXPECT_EQ(kernel.out[6], 8);
  expect_problem(kernel(1), SimtProblemKind::shared_race, "neighbour", "both in wave 0");
  expect_clean(kernel(1, {.convergence = Convergence::lockstep}));
}

TEST(SimtChecksKernels, a_collective_may_touch_the_payloads_of_all_its_lanes) {
  Kernel kernel(checked_collective);
  expect_clean(kernel(0));
  for (int i = 0; i < 128; ++i) EXPECT_EQ(kernel.out[i], i / 32 * 32 * 32 + 33 * 16);
}

TEST(SimtChecksKernels, a_copy_of_a_byte_too_many) {
  Kernel kernel(checked_copy);
  expect_clean(kernel(0));
  EXPECT_EQ(kernel.out[127], 128);
  expect_problem(kernel(1), SimtProblemKind::out_of_bounds, "copy",
                 "reads 513 bytes at in[0], 1 bytes past the end of in");
}

TEST(SimtChecksKernels, what_one_launch_did_not_write_the_next_may_not_read) {
  Kernel kernel(checked_tree);
  expect_clean(kernel(0));  // writes out[0] alone
  std::swap(kernel.in, kernel.out);
  const SimtReport report = kernel(0);
  ASSERT_FALSE(report.problems.empty());
  EXPECT_THAT(report.problems[0].message, HasSubstr("which nobody has written"));
  EXPECT_THAT(report.problems[0].message, HasSubstr("at out["));
}

TEST(SimtChecksKernels, many_blocks_on_two_workers_are_clean_and_right) {
  constexpr uint32_t kBlocks = 500;
  Kernel kernel(checked_exchange, kBlocks * kThreads * 4);
  expect_clean(kernel(0, {.num_workers = 2}, kBlocks));
  for (uint32_t i = 0; i < kBlocks * kThreads; i += 97) {
    const int first = static_cast<int>((i ^ 32) / 32 * 32) + 1;  // of the other wave
    EXPECT_EQ(kernel.out[i], 8 * (32 * first + 31 * 32 / 2)) << i;
  }
}

TEST(SimtChecksKernels, an_unchecked_launch_reports_nothing) {
  Kernel kernel(checked_bounds);
  expect_clean(kernel(1, {.checked = false}));
}

}  // namespace
}  // namespace ambidex
