// SPDX-License-Identifier: Apache-2.0
#include "runner/launch.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cfenv>
#include <cstdio>
#include <cstring>

#include "ambidex/simt_device.h"
#include "base/random.h"
#include "runner/crash.h"
#include "runner/record.h"

namespace ambidex::runner {
namespace {

char running[512] = "";
bool any_launched = false;

// simt_run hands one argument list to every thread; the first thing that a thread does on its
// worker is to see that a crash there can be told.
struct Thunked {
  SimtKernel thunk;
  void** arguments;
  const ExecutorOptions& options;
};

// A fiber keeps its direction of rounding through all switches.
void set_rounding(const ExecutorOptions& options) {
  if (options.rounding == Rounding::nearest) return;
  bool up = options.rounding == Rounding::up;
  if (options.rounding == Rounding::mixed) {
    const AmbidexSimtThread& self = *ambidex_simt_self();
    const uint64_t block =
        self.block[0] +
        uint64_t{self.grid_size[0]} * (self.block[1] + uint64_t{self.grid_size[1]} * self.block[2]);
    up = (random_bits(random_key(options.seed, block), self.linear_thread) & 1) != 0;
  }
  std::fesetround(up ? FE_UPWARD : FE_DOWNWARD);
}

void run_thread(void** arguments) {
  const auto* call = reinterpret_cast<const Thunked*>(arguments);
  watch_this_thread();
  set_rounding(call->options);
  call->thunk(call->arguments);
}

SimtOptions options_of(Runtime& state) {
  const ExecutorOptions& asked = state.request.options;
  SimtOptions options;
  options.wave_width = asked.wave_width;
  options.convergence = asked.lockstep ? Convergence::lockstep : Convergence::independent;
  options.checked = asked.checked;
  options.counted = asked.counted;
  options.seed = asked.seed;
  options.num_workers = asked.workers;
  options.max_problems = asked.max_problems;
  options.max_seconds = seconds_left();
  options.memory = state.memory.get();
  options.lockstep_volatile = asked.lockstep_volatile;
  options.lenient_shuffles = asked.lenient_shuffles;
  return options;
}

void set_shared(Runtime& state, const Kernel& kernel) {
  state.memory->clear_shared();
  for (const int index : kernel.shared) {
    const SharedVariable& variable = state.module.shared.at(static_cast<size_t>(index));
    state.memory->add_shared({.name = variable.name,
                              .num_bytes = variable.num_bytes,
                              .element_bytes = variable.element_bytes,
                              .guard_bytes = 64,
                              .address = variable.address});
  }
}

nlohmann::json problem_text(const SimtProblem& problem, const Kernel& kernel, int64_t launch) {
  return {{"kind", std::string(name_of(problem.kind))},
          {"kernel", kernel.name},
          {"launch", launch},
          {"block", problem.block},
          {"thread", problem.thread},
          {"program_counter", problem.program_counter},
          {"other_program_counter", problem.other_program_counter},
          {"message", problem.message}};
}

Status status_of(const std::vector<SimtProblem>& problems) {
  Status status = kSuccess;
  for (const SimtProblem& problem : problems) {
    if (problem.kind == SimtProblemKind::out_of_bounds) return kIllegalAddress;
    if (problem.kind == SimtProblemKind::deadline) status = kLaunchTimeout;
    if (problem.kind == SimtProblemKind::trap) {
      status = problem.message.find("assert") != std::string::npos ? kAssert : kLaunchFailure;
    }
  }
  return status;
}

uint64_t product(const std::array<uint32_t, 3>& extents) {
  return uint64_t{extents[0]} * extents[1] * extents[2];
}

Status judge_extents(const Runtime& state, const KernelCall& call) {
  const auto& grid = call.launch.grid;
  const auto& block = call.launch.block;
  const uint64_t threads = product(block);
  if (threads == 0 || product(grid) == 0) return kInvalidConfiguration;
  if (threads > kMaxThreadsPerBlock) return kInvalidConfiguration;
  if (state.limits.amd) {
    // The packet has 32 bits for the threads along each axis (rocm-systems #2372).
    for (size_t axis = 0; axis < 3; ++axis) {
      if (uint64_t{grid[axis]} * block[axis] > 0xffffffffull) return kInvalidConfiguration;
    }
    const bool fits = grid[0] <= 0x7fffffffu && grid[1] <= 65536 && grid[2] <= 65536;
    return fits ? kSuccess : kInvalidConfiguration;
  }
  // CUDA C++ Programming Guide, "Compute Capabilities".
  if (block[2] > 64) return kInvalidConfiguration;
  if (grid[0] > 0x7fffffffu || grid[1] > 65535 || grid[2] > 65535) return kInvalidConfiguration;
  return kSuccess;
}

Status judge_shared(const Runtime& state, const KernelCall& call) {
  const Kernel& kernel = *call.kernel;
  const auto opt_in = state.dynamic_opt_in.find(&kernel);
  int64_t most = state.limits.shared_bytes_per_block;
  if (opt_in != state.dynamic_opt_in.end()) {
    most = std::max(most, opt_in->second + kernel.shared_bytes);
  }
  most = std::min(most, state.limits.shared_bytes_per_block_opt_in);
  if (kernel.shared_bytes + call.launch.dynamic_shared_bytes <= most) return kSuccess;
  return state.limits.amd ? kInvalidConfiguration : kInvalidValue;
}

}  // namespace

Status judge(const Runtime& state, const KernelCall& call) {
  any_launched = true;
  if (call.kernel == nullptr) return kInvalidDeviceFunction;
  if (const Status status = judge_extents(state, call); status != kSuccess) return status;
  const uint64_t threads = product(call.launch.block);
  const auto bound = static_cast<uint64_t>(call.kernel->max_threads);
  if (bound != 0 && threads > bound) {
    return state.limits.amd ? kLaunchFailure : kLaunchOutOfResources;
  }
  if (const Status status = judge_shared(state, call); status != kSuccess) return status;
  if (call.launch.cooperative) {
    const int64_t shared = call.kernel->shared_bytes + call.launch.dynamic_shared_bytes;
    const int64_t fit = blocks_per_unit(state.limits, static_cast<int64_t>(threads), shared) *
                        state.limits.num_units;
    if (product(call.launch.grid) > static_cast<uint64_t>(fit)) return kCooperativeLaunchTooLarge;
  }
  return kSuccess;
}

Status run_kernel(Runtime& state, const KernelCall& call, Record record) {
  const Kernel& kernel = *call.kernel;
  const int64_t number = state.num_launches++;
  note_order(state, "launch");
  set_shared(state, kernel);
  LaunchRecorder recorder(state, call, record);
  SimtLaunch launch = call.launch;
  launch.dynamic_shared = state.module.dynamic_shared;
  Thunked thunked{kernel.thunk, call.arguments, state.request.options};
  std::snprintf(running, sizeof running, "%s", kernel.name.c_str());
  const double begin = seconds_since_start();
  SimtOptions options = options_of(state);
  options.watch = call.watch;
  const SimtReport report =
      simt_run(launch, options, run_thread, reinterpret_cast<void**>(&thunked));
  state.last_write = report.last_write;
  const double seconds = seconds_since_start() - begin;
  running[0] = '\0';
  std::fwrite(report.output.data(), 1, report.output.size(), stdout);
  for (const SimtProblem& problem : report.problems) {
    state.problems.push_back(problem_text(problem, kernel, number));
  }
  recorder.finish(report, seconds);
  return status_of(report.problems);
}

const char* kernel_name() { return running; }

bool has_launched() { return any_launched; }

}  // namespace ambidex::runner
