// SPDX-License-Identifier: Apache-2.0
// What a runtime says of the device that the executor stands for, and which launches it refuses.
#pragma once

#include <cstdint>
#include <string>

#include "ambidex/devices.h"

namespace ambidex::runner {

struct DeviceLimits {
  std::string name;
  std::string isa;
  bool amd = false;
  int64_t wave_width = 32;
  int64_t memory_bytes = 0;
  int64_t num_units = 0;
  int64_t clock_khz = 0;
  int64_t l2_bytes = 0;
  int64_t shared_bytes_per_block = 0;         // without asking
  int64_t shared_bytes_per_block_opt_in = 0;  // after cudaFuncSetAttribute
  int64_t shared_bytes_per_unit = 0;
  int64_t shared_bytes_reserved = 0;  // taken on top by each block
  int64_t registers_per_unit = 0;
  int64_t max_threads_per_unit = 0;
  int64_t max_blocks_per_unit = 0;
  int compute_major = 0, compute_minor = 0;
};

/// throws what load_device does
DeviceLimits device_limits(const std::string& device);

inline constexpr int64_t kMaxThreadsPerBlock = 1024;

/// Blocks of a kernel that fit on one unit at once, by threads and shared memory. Leaves out
/// registers, which only compiled code has.
int64_t blocks_per_unit(const DeviceLimits& limits, int64_t block_threads, int64_t shared_bytes);

}  // namespace ambidex::runner
