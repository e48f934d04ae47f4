// SPDX-License-Identifier: Apache-2.0
#include "runner/device_limits.h"

#include <algorithm>
#include <cctype>

namespace ambidex::runner {
namespace {

// sm_90 -> 9.0; gfx942 -> 9.4, as HIP has it.
void read_isa(DeviceLimits& limits) {
  const size_t digit = limits.isa.find_first_of("0123456789");
  if (digit == std::string::npos) return;
  const std::string digits = limits.isa.substr(digit);
  const size_t minor = limits.amd ? 1 : digits.size() - 1;
  limits.compute_major = std::atoi(digits.substr(0, minor).c_str());
  limits.compute_minor = digits[minor] - '0';
}

}  // namespace

DeviceLimits device_limits(const std::string& id) {
  const Device device = load_device(id);
  const Spec& spec = device.spec;
  DeviceLimits limits;
  limits.name = device.name;
  limits.isa = device.isa;
  limits.amd = device.vendor == Vendor::amd;
  limits.wave_width = spec.waves.wave_width.value_or(32);
  limits.memory_bytes = spec.memory.memory_bytes.value_or(0);
  limits.num_units = spec.compute.num_compute_units.value_or(1);
  limits.clock_khz = static_cast<int64_t>(spec.compute.clock_hz.value_or(0) / 1e3);
  limits.l2_bytes = spec.cache.l2_bytes.value_or(0);
  limits.shared_bytes_per_block_opt_in =
      spec.shared_memory.shared_memory_bytes_per_group.value_or(0);
  limits.shared_bytes_per_unit = spec.shared_memory.shared_memory_bytes_per_unit.value_or(0);
  limits.shared_bytes_reserved =
      spec.shared_memory.shared_memory_reserved_bytes_per_group.value_or(0);
  // CUDA C++ Programming Guide, "Compute Capabilities": more than 48 KiB only after asking.
  limits.shared_bytes_per_block =
      limits.amd ? limits.shared_bytes_per_block_opt_in
                 : std::min<int64_t>(49152, limits.shared_bytes_per_block_opt_in);
  limits.registers_per_unit = spec.waves.register_file_bytes_per_unit.value_or(0) / 4;
  limits.max_threads_per_unit = spec.waves.max_waves_per_unit.value_or(0) * limits.wave_width;
  limits.max_blocks_per_unit = spec.waves.max_groups_per_unit.value_or(0);
  read_isa(limits);
  return limits;
}

int64_t blocks_per_unit(const DeviceLimits& limits, int64_t block_threads, int64_t shared_bytes) {
  if (block_threads < 1 || block_threads > kMaxThreadsPerBlock) return 0;
  const int64_t waves = (block_threads + limits.wave_width - 1) / limits.wave_width;
  int64_t blocks = limits.max_threads_per_unit / (waves * limits.wave_width);
  if (limits.max_blocks_per_unit > 0) blocks = std::min(blocks, limits.max_blocks_per_unit);
  const int64_t taken = shared_bytes + limits.shared_bytes_reserved;
  if (shared_bytes > limits.shared_bytes_per_block_opt_in) return 0;
  if (taken > 0) blocks = std::min(blocks, limits.shared_bytes_per_unit / taken);
  return blocks;
}

}  // namespace ambidex::runner
