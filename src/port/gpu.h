// SPDX-License-Identifier: Apache-2.0
// Real GPUs, where there are some: what the executor says is held against them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "port/agreement.h"
#include "port/programs.h"
#include "port/replay.h"

namespace ambidex {

struct Gpu {
  std::string vendor;        // nvidia, amd
  std::string name;          // "NVIDIA H200"
  std::string architecture;  // "sm_90"; of AMD's: ""
};

/// The first device of each vendor whose driver is installed; none if ambidex-gpu was not built.
std::vector<Gpu> gpus();

/// A CUDA program as objects for an NVIDIA GPU, by the user's nvcc, in `folder`; without contracted
/// multiply-adds, as the executor computes.
///   throws Error(not_found) without nvcc on PATH, Error(bad_input) if it does not compile
std::vector<std::string> compile_with_nvcc(const Program& program, const Gpu& gpu,
                                           const std::string& folder);

/// Runs one recorded launch on a GPU. `problems` has what its driver said against it, and whether
/// it wrote beside a buffer; status is "refused" if no object has the kernel.
Replayed replay_on_gpu(const TracedLaunch& launch, const std::string& symbol, const Gpu& gpu,
                       const std::vector<std::string>& objects, const std::string& folder);

/// Launches of the original in the executor beside the same on a GPU.
struct GpuComparison {
  std::string device;
  int64_t num_launches = 0;       // that the GPU ran
  int64_t num_right = 0;          // with what the executor has, by the rules of compare_buffers
  int64_t num_bit_identical = 0;  // of these
  std::string difference;         // the first that is not right
  std::string not_run;            // why the first launch that did not run did not
};

struct GpuLaunch {
  const TracedLaunch* launch = nullptr;  // of the original: its contents after are the measure
  std::string symbol;                    // in the objects
  const KernelView* view = nullptr;
  std::function<FurtherRuns()> further;  // of the original in the executor
};

GpuComparison compare_on_gpu(const Gpu& gpu, const std::vector<std::string>& objects,
                             const std::vector<GpuLaunch>& launches, const std::string& folder);

}  // namespace ambidex
