// SPDX-License-Identifier: Apache-2.0
// Is a native body faster than tier A, by the model, and does it do the same work? Both run on
// three launches that nobody has seen, where their results are compared once more.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ambidex/devices.h"
#include "port/contract.h"
#include "port/estimate.h"
#include "port/modules.h"
#include "port/native_result.h"
#include "port/repair_task.h"

namespace ambidex::repair {

/// How many times as fast a body has to be, on every launch and device. Both are predicted by one
/// model, so errors of a device's rates cancel; what does not are its assumptions of the code (how
/// many loads are under way, what an integer division costs, that barriers cost nothing). Nobody
/// has measured those: a quarter is our guess at what they may be wrong by between two forms of one
/// kernel, and no figure of a measurement.
inline constexpr double kLeastGain = 1.25;

/// One side of the comparison.
struct NativeCode {
  std::string checked_module, counted_module;  // paths
  std::vector<ModuleKernel> kernels;           // of the latter
  std::vector<CompiledSource> compiled;        // for resources
  std::string symbol;                          // of the kernel
};

/// Builds both modules of a program in HIP, in `folder`.
NativeCode native_code_of(const Program& port, std::vector<CompiledSource> compiled,
                          const std::string& kernel, const std::string& folder);

/// What a kernel's native body is held to.
struct TierA {
  std::string kernel;  // base name
  Contract contract;
  std::string original_module, original_symbol;  // checked, in CUDA
  NativeCode code;
  std::vector<Device> devices;
  double scale = 1;  // of the contract's sizes in the largest launch
  int num_workers = 1;
};

/// Finds how large launches can be, so that one takes the executor a second or less.
///   task    of one kernel
///   folder  for modules and contents of buffers
///   throws Error(unsupported) if no three launches can be made: without a contract, without sizes
TierA tier_a_of(const Task& task, const Program& tier_a, std::vector<CompiledSource> compiled,
                std::vector<Device> devices, const std::string& folder);

struct GainVerdict {
  std::string gate;  // "" if accepted; tier-a, work, floor, gain
  std::string reason, shown;
  std::vector<NativeGain> gains;
};

/// Of one launch on one device: gate floor or gain, or none, with the figures.
///   floor_seconds  of memory at its peak rate, for what must be read and written
GainVerdict judge_times(const std::string& kernel, const Device& device,
                        const LaunchEstimate& before, const LaunchEstimate& after,
                        double floor_seconds);

/// `key` draws sizes and contents of the three launches.
GainVerdict judge_gain(const TierA& tier_a, const NativeCode& candidate, uint64_t key,
                       const std::string& folder);

}  // namespace ambidex::repair
