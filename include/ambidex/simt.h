// SPDX-License-Identifier: Apache-2.0
// Runs kernels on the CPU as a GPU would: threads in waves of 32 or 64 lanes, waves in blocks,
// blocks in a grid; and finds what a GPU would not tell. One fiber per thread, blocks over cores.
//
//   SimtLaunch launch{.grid = {num_blocks, 1, 1}, .block = {256, 1, 1}};
//   SimtReport report = simt_run(launch, {.wave_width = 64, .checked = true}, kernel, arguments);
//
// Kernel code speaks to the executor by the functions of simt_device.h. Its plain loads and stores
// are seen if it was compiled with -fsanitize=thread (src/simt/tsan.cc).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ambidex/base.h"
#include "ambidex/simt_traffic.h"

namespace ambidex {

class SimtMemory;  // simt_memory.h

/// Bytes of global memory whose last write is to be told.
struct SimtWatch {
  const void* begin = nullptr;
  int64_t num_bytes = 0;  // 0: nothing is watched
};

struct SimtLaunch {
  std::array<uint32_t, 3> grid{1, 1, 1};   // blocks along x, y, z
  std::array<uint32_t, 3> block{1, 1, 1};  // threads along x, y, z
  int64_t dynamic_shared_bytes = 0;
  bool cooperative = false;  // all blocks live at once, so that the grid can synchronise
  // Where the worker that calls has the dynamic shared memory of its block, for the checker.
  void* (*dynamic_shared)() = nullptr;
};

/// What a wave's lanes share beside their numbering.
enum class Convergence : uint8_t {
  independent,  // each thread goes forward on its own (NVIDIA since Volta)
  lockstep,     // diverged lanes wait for each other where their paths meet (AMD)
};

struct SimtOptions {
  int wave_width = 32;  // 32 or 64
  Convergence convergence = Convergence::independent;
  bool checked = true;             // memory is checked; what the scheduler finds is always reported
  bool counted = false;            // SimtReport::traffic is wanted
  uint64_t seed = 0;               // permutes blocks, waves and lanes; 0 keeps them in order
  int num_workers = 1;             // cores; > 0
  int max_problems = 16;           // after so many, the launch ends
  double max_seconds = 0.0;        // > 0: a launch that takes longer ends with a problem
  SimtMemory* memory = nullptr;    // what kernels may touch; null: global memory is not checked
  bool lockstep_volatile = false;  // volatile accesses order the lanes of a wave, as before Volta
  bool lenient_shuffles = false;   // a lane that takes no part gives 0, as GPUs do, and no problem
  int64_t stack_bytes = int64_t{1} << 18;  // of a thread, for its local variables
  SimtWatch watch;                         // when checked
};

enum class SimtProblemKind : uint8_t {
  barrier_divergence,
  partial_exit_barrier,  // a barrier of waves that have lost lanes; NVIDIA's hardware tolerates it
  shared_race,
  out_of_bounds,
  uninitialised_read,
  inactive_lane_read,
  mask_mismatch,
  no_forward_progress,
  deadlock,
  trap,
  deadline,
};
std::string_view name_of(SimtProblemKind kind);  // "barrier_divergence"

struct SimtProblem {
  SimtProblemKind kind;
  std::array<uint32_t, 3> block{};
  std::array<uint32_t, 3> thread{};
  uint64_t program_counter = 0;        // of the access or the call; symbolised by the caller
  uint64_t other_program_counter = 0;  // of the access that it conflicts with; 0 if none
  std::string message;                 // what happened, with sizes and the other thread
};

/// A write by a thread.
struct SimtWrite {
  std::array<uint32_t, 3> block{};
  std::array<uint32_t, 3> thread{};
  uint64_t program_counter = 0;
};

/// Events of one launch, summed over all blocks; the raw material of estimates. A wave counts an
/// instruction once for each group of its lanes that executes it together.
struct SimtCounts {
  int64_t threads = 0;
  int64_t waves = 0;
  int64_t barriers = 0;          // arrivals of waves
  int64_t named_barriers = 0;    // arrivals of threads
  int64_t grid_barriers = 0;     // arrivals of blocks
  int64_t wave_collectives = 0;  // the next four
  int64_t shuffles = 0;
  int64_t votes = 0;  // ballots, and questions for the active lanes
  int64_t wave_barriers = 0;
  int64_t other_collectives = 0;
  int64_t diverged_collectives = 0;  // those in which not all lanes of the wave took part
  int64_t collective_lanes = 0;      // lanes that took part, summed over collectives
  /// Volatile and atomic, of threads, where instrumented; a thread that finds at one place what it
  /// found there just before makes one.
  int64_t ordered_accesses = 0;
  int64_t fences = 0;  // of threads
  int64_t yields = 0;  // of threads
};

struct SimtReport {
  std::vector<SimtProblem> problems;    // by block, then in the order in which they were found
  std::optional<SimtWrite> last_write;  // of what is watched; empty: nobody has written it
  SimtCounts counts;
  SimtTraffic traffic;         // where it was counted
  std::string output;          // of printf, blocks in order
  bool output_is_cut = false;  // there was more than 16 MiB of it
};

/// `arguments[i]` points to the value of parameter i.
using SimtKernel = void (*)(void** arguments);

/// Runs the whole grid; returns when it is done, or when problems end it.
///   throws Error(bad_input) for a width, block or grid that no GPU takes
///   throws Error(unsupported) for a cooperative grid of more threads than can be live here
SimtReport simt_run(const SimtLaunch& launch, const SimtOptions& options, SimtKernel kernel,
                    void** arguments);

}  // namespace ambidex
