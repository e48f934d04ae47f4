// SPDX-License-Identifier: Apache-2.0
// How many blocks of a launch one compute unit holds at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "ambidex/devices.h"

namespace ambidex {

struct BlockResources {
  int64_t threads = 1;
  int64_t shared_bytes = 0;                   // static and dynamic
  std::optional<int64_t> registers_per_lane;  // unknown: they are taken not to limit
};

enum class OccupancyLimit : uint8_t { waves, groups, registers, shared_memory };
std::string_view name_of(OccupancyLimit limit);  // "shared memory"

struct Occupancy {
  int64_t groups_per_unit = 0;  // blocks; 0: not even one fits
  int64_t waves_per_unit = 0;
  double ratio = 0;  // of the waves that a unit can hold
  OccupancyLimit limit = OccupancyLimit::waves;
};

/// throws Error(unsupported) if the device lacks a limit (the message names it)
Occupancy occupancy_of(const Device& device, const BlockResources& block);

}  // namespace ambidex
