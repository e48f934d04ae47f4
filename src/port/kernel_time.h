// SPDX-License-Identifier: Apache-2.0
// Seconds of one launch on one device from what it asked for: the largest of the times that each
// resource alone would take, and the launch itself. docs/port-estimate.md has the formulas.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "ambidex/devices.h"
#include "ambidex/simt_traffic.h"
#include "port/occupancy.h"

namespace ambidex {

/// One launch as the executor has counted it, at one width of waves.
struct LaunchCounts {
  std::array<uint32_t, 3> grid{1, 1, 1}, block{1, 1, 1};
  int64_t shared_bytes = 0;  // of a block, static and dynamic
  int64_t waves = 0;
  int64_t shuffles = 0;  // of waves
  SimtTraffic traffic;
  int64_t num_blocks() const { return int64_t{grid[0]} * grid[1] * grid[2]; }
  int64_t num_threads() const { return int64_t{block[0]} * block[1] * block[2]; }
};

enum class TimeTerm : uint8_t {
  memory,         // device memory, each byte fetched once into cold caches
  last_level,     // memory-side cache
  l2,             // L2 towards the units
  l1,             // lines that waves ask a unit for
  shared_memory,  // passes of shared memory, with bank conflicts
  exchange,       // the same unit, where shuffles are most of its work
  vector,         // issue of vector instructions
  f64,
  integer,
  special,
  matrix,
  atomic,   // accesses of waves to the word that has most
  latency,  // loads that wait for memory, with the waves that are resident
};
inline constexpr int kNumTimeTerms = 13;
std::string_view name_of(TimeTerm term);  // "shared memory"

struct KernelTime {
  double seconds = 0;         // launch_seconds, fill_seconds and the largest term
  double launch_seconds = 0;  // of an empty kernel
  double fill_seconds = 0;    // loads of one wave before the largest term; 0 if waits outlast both
  std::array<double, kNumTimeTerms> term_seconds{};
  TimeTerm binds = TimeTerm::memory;
  double memory_bytes = 0;  // that memory moves
  double l2_bytes = 0;
};

/// A prediction, with the error of a model that knows no dependencies between instructions.
///   throws Error(unsupported) if the device lacks a number (the message names it)
KernelTime kernel_time(const Device& device, const LaunchCounts& counts,
                       const Occupancy& occupancy);

/// Bytes of the smallest piece that memory fetches, 32, 64 or 128, and those pieces of `all`.
int64_t granule_of(const Device& device);
int64_t granules_of(const Device& device, const SimtPieces& all);

}  // namespace ambidex
