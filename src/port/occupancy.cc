// SPDX-License-Identifier: Apache-2.0
#include "port/occupancy.h"

#include <algorithm>
#include <array>

namespace ambidex {
namespace {

constexpr int64_t kRegisterBytes = 4;

int64_t round_up(int64_t value, int64_t step) { return (value + step - 1) / step * step; }

// A SIMD's registers are shared by its waves, and a block's waves are dealt to the SIMDs in turn.
int64_t groups_by_registers(const Device& device, int64_t registers, int64_t waves_per_group) {
  const Waves& waves = device.spec.waves;
  const int64_t simds = require(waves.num_simds_per_unit, "spec.num_simds_per_unit", device);
  const int64_t width = require(waves.wave_width, "spec.wave_width", device);
  const int64_t file =
      require(waves.register_file_bytes_per_unit, "spec.register_file_bytes_per_unit", device) /
      simds;
  const int64_t granule = require(waves.register_granule, "spec.register_granule", device);
  const int64_t wave = round_up(std::max<int64_t>(registers, 1), granule) * kRegisterBytes * width;
  return file / wave * simds / waves_per_group;
}

int64_t groups_by_shared_memory(const Device& device, int64_t bytes) {
  const SharedMemory& shared = device.spec.shared_memory;
  const int64_t asked = bytes + require(shared.shared_memory_reserved_bytes_per_group,
                                        "spec.shared_memory_reserved_bytes_per_group", device);
  const int64_t given = round_up(asked, require(shared.shared_memory_granule_bytes,
                                                "spec.shared_memory_granule_bytes", device));
  return require(shared.shared_memory_bytes_per_unit, "spec.shared_memory_bytes_per_unit", device) /
         given;
}

}  // namespace

std::string_view name_of(OccupancyLimit limit) {
  constexpr std::array<std::string_view, 4> kNames{"waves", "block slots", "registers",
                                                   "shared memory"};
  return kNames[static_cast<size_t>(limit)];
}

Occupancy occupancy_of(const Device& device, const BlockResources& block) {
  const Waves& waves = device.spec.waves;
  const int64_t width = require(waves.wave_width, "spec.wave_width", device);
  const int64_t max_waves = require(waves.max_waves_per_unit, "spec.max_waves_per_unit", device);
  const int64_t waves_per_group = (block.threads + width - 1) / width;
  Occupancy occupancy{.groups_per_unit = max_waves / waves_per_group};
  const auto limit_to = [&](int64_t groups, OccupancyLimit limit) {
    if (groups >= occupancy.groups_per_unit) return;
    occupancy.groups_per_unit = groups;
    occupancy.limit = limit;
  };
  if (waves.max_groups_per_unit) limit_to(*waves.max_groups_per_unit, OccupancyLimit::groups);
  if (block.registers_per_lane) {
    limit_to(groups_by_registers(device, *block.registers_per_lane, waves_per_group),
             OccupancyLimit::registers);
  }
  if (block.shared_bytes > 0) {
    limit_to(groups_by_shared_memory(device, block.shared_bytes), OccupancyLimit::shared_memory);
  }
  occupancy.waves_per_unit = occupancy.groups_per_unit * waves_per_group;
  occupancy.ratio = static_cast<double>(occupancy.waves_per_unit) / static_cast<double>(max_waves);
  return occupancy;
}

}  // namespace ambidex
