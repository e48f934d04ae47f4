// SPDX-License-Identifier: Apache-2.0
#include "simt/launch.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>

#include "ambidex/base.h"
#include "simt/block.h"

namespace ambidex {

using simt::Launch;

namespace simt {
namespace {

constexpr int64_t kMaxLiveThreads = 1 << 17;     // about 1 GiB of stacks that are in use
constexpr int64_t kMaxGuardedThreads = 1 << 14;  // each guard is a mapping; Linux grants 65,530
constexpr int kMaxExtraWorkers = 64;             // for blocks that wait for blocks that follow
constexpr size_t kMaxOutputBytes = size_t{16} << 20;

int64_t volume(const std::array<uint32_t, 3>& shape) {
  return static_cast<int64_t>(shape[0]) * shape[1] * shape[2];
}

[[noreturn]] void refuse(const std::string& message) { throw Error(ErrorKind::bad_input, message); }

void validate_shape(const char* what, const std::array<uint32_t, 3>& shape,
                    const std::array<uint32_t, 3>& limit) {
  for (size_t i = 0; i < 3; ++i) {
    if (shape[i] >= 1 && shape[i] <= limit[i]) continue;
    refuse(fmt::format("launch: {} {} x {} x {}; each must be at least 1 and at most {} x {} x {}",
                       what, shape[0], shape[1], shape[2], limit[0], limit[1], limit[2]));
  }
}

void validate(const SimtLaunch& launch, const SimtOptions& options) {
  validate_shape("grid", launch.grid, {0x7fffffff, 65536, 65536});
  validate_shape("block", launch.block, {kMaxThreads, kMaxThreads, kMaxThreads});
  if (volume(launch.block) > kMaxThreads) {
    refuse(fmt::format("launch: a block of {} threads; at most {}", volume(launch.block),
                       kMaxThreads));
  }
  if (launch.dynamic_shared_bytes < 0) {
    refuse(fmt::format("launch: {} bytes of dynamic shared memory; at least 0",
                       launch.dynamic_shared_bytes));
  }
  if (options.wave_width != 32 && options.wave_width != 64) {
    refuse(fmt::format("launch: wave width {}; expected 32 or 64", options.wave_width));
  }
  if (options.num_workers < 1 || options.max_problems < 1) {
    refuse(fmt::format("launch: {} workers and {} problems; at least 1 of each",
                       options.num_workers, options.max_problems));
  }
  if (options.stack_bytes < 16384) {
    refuse(fmt::format("launch: stacks of {} bytes; at least 16384", options.stack_bytes));
  }
}

/// How many workers there may be, and whether their stacks have guards.
void plan_workers(Launch& launch) {
  const int64_t possible = kMaxLiveThreads / launch.num_threads;
  if (launch.shape.cooperative && launch.num_blocks > possible) {
    throw Error(ErrorKind::unsupported,
                fmt::format("cooperative launch of {} blocks of {} threads: at most {} threads can "
                            "be live at once; launch at most {} blocks",
                            launch.num_blocks, launch.num_threads, kMaxLiveThreads, possible));
  }
  const int64_t workers = std::min<int64_t>(launch.options.num_workers, launch.num_blocks);
  const int64_t extra = std::min<int64_t>(kMaxExtraWorkers, possible);
  launch.max_live = static_cast<int>(
      launch.shape.cooperative ? launch.num_blocks : std::min(workers + extra, launch.num_blocks));
  launch.guarded = launch.max_live * launch.num_threads <= kMaxGuardedThreads;
}

void collect_output(Launch& launch, SimtReport& to) {
  for (auto& [block, text] : launch.outputs) {
    const size_t room = kMaxOutputBytes - to.output.size();
    to.output_is_cut |= text.size() > room;
    to.output.append(text, 0, room);
  }
}

int64_t linear_block(const SimtLaunch& launch, const SimtProblem& problem) {
  const auto& b = problem.block;
  return b[0] + static_cast<int64_t>(launch.grid[0]) * (b[1] + int64_t{launch.grid[1]} * b[2]);
}

}  // namespace

void report(Launch& launch, SimtProblem problem) {
  const std::lock_guard lock(launch.mutex);
  for (SimtProblem& known : launch.problems) {
    if (known.kind != problem.kind || known.program_counter != problem.program_counter ||
        known.other_program_counter != problem.other_program_counter) {
      continue;
    }
    if (linear_block(launch.shape, problem) < linear_block(launch.shape, known)) {
      known = std::move(problem);
    }
    return;
  }
  launch.problems.push_back(std::move(problem));
  if (static_cast<int>(launch.problems.size()) >= launch.options.max_problems) launch.stop = true;
}

void add(SimtCounts& sum, const SimtCounts& counts) {
  for (const auto field :
       {&SimtCounts::threads, &SimtCounts::waves, &SimtCounts::barriers,
        &SimtCounts::named_barriers, &SimtCounts::grid_barriers, &SimtCounts::wave_collectives,
        &SimtCounts::shuffles, &SimtCounts::votes, &SimtCounts::wave_barriers,
        &SimtCounts::other_collectives, &SimtCounts::diverged_collectives,
        &SimtCounts::collective_lanes, &SimtCounts::ordered_accesses, &SimtCounts::fences,
        &SimtCounts::yields}) {
    sum.*field += counts.*field;
  }
}

}  // namespace simt

std::string_view name_of(SimtProblemKind kind) {
  switch (kind) {
    case SimtProblemKind::barrier_divergence:
      return "barrier_divergence";
    case SimtProblemKind::partial_exit_barrier:
      return "partial_exit_barrier";
    case SimtProblemKind::shared_race:
      return "shared_race";
    case SimtProblemKind::out_of_bounds:
      return "out_of_bounds";
    case SimtProblemKind::uninitialised_read:
      return "uninitialised_read";
    case SimtProblemKind::inactive_lane_read:
      return "inactive_lane_read";
    case SimtProblemKind::mask_mismatch:
      return "mask_mismatch";
    case SimtProblemKind::no_forward_progress:
      return "no_forward_progress";
    case SimtProblemKind::deadlock:
      return "deadlock";
    case SimtProblemKind::trap:
      return "trap";
    case SimtProblemKind::deadline:
      return "deadline";
  }
  check(false, "every kind of problem has a name");
  return "";
}

SimtReport simt_run(const SimtLaunch& shape, const SimtOptions& options, SimtKernel kernel,
                    void** arguments) {
  simt::validate(shape, options);
  Launch launch{.shape = shape, .options = options, .kernel = kernel, .arguments = arguments};
  launch.num_blocks = simt::volume(shape.grid);
  launch.num_threads = static_cast<int>(simt::volume(shape.block));
  simt::plan_workers(launch);
  if (options.max_seconds > 0.0) {
    launch.deadline = std::chrono::steady_clock::now() +
                      std::chrono::nanoseconds(static_cast<int64_t>(options.max_seconds * 1e9));
  }
  std::optional<simt::Checker> checker;
  if (options.checked) launch.checker = &checker.emplace(shape, options, options.memory);
  std::optional<simt::Tally> tally;
  if (options.counted) launch.tally = &tally.emplace(shape, options);
  simt::run_blocks(launch);
  if (launch.failure) std::rethrow_exception(launch.failure);
  SimtReport result{.problems = std::move(launch.problems), .counts = launch.counts};
  if (tally) result.traffic = tally->take();
  if (checker) {
    result.last_write = checker->last_write();
    for (SimtProblem& problem : checker->take_problems()) {
      result.problems.push_back(std::move(problem));
    }
  }
  std::stable_sort(result.problems.begin(), result.problems.end(), [&](auto& a, auto& b) {
    return simt::linear_block(shape, a) < simt::linear_block(shape, b);
  });
  if (std::ssize(result.problems) > options.max_problems) {
    result.problems.resize(static_cast<size_t>(options.max_problems));
  }
  simt::collect_output(launch, result);
  return result;
}

}  // namespace ambidex
