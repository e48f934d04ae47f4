// SPDX-License-Identifier: Apache-2.0
// What the Tensile model reads of a device.
#include <fmt/format.h>

#include <optional>

#include "cost/constants.h"
#include "cost/tensile.h"

namespace ambidex {
namespace {

template <class V>
void visit_constants(V&& v, TensileConstants& x) {
  v("launch_seconds", x.launch_seconds);
  v("load_latency_clocks", x.load_latency_clocks);
  v(Field("sync_clocks", true), x.sync_clocks);
  v("lds_strided_ratio", x.lds_strided_ratio);
  v("lds_untransposed_ratio", x.lds_untransposed_ratio);
  v(Field("partial_line_ratio", true), x.partial_line_ratio);
  v(Field("joules_per_flop", true), x.joules_per_flop);
  v("mfma32_joules_ratio", x.mfma32_joules_ratio);
  v(Field("joules_per_lds_byte", true), x.joules_per_lds_byte);
  v(Field("joules_per_fill_byte", true), x.joules_per_fill_byte);
  v(Field("joules_per_miss_byte", true), x.joules_per_miss_byte);
  v(Field("mapped_share_ratio", true), x.mapped_share_ratio);
  v(Field("dealt_share_ratio", true), x.dealt_share_ratio);
  v("memory_ratio", x.memory_ratio);
  v("store_ratio", x.store_ratio);
  v("partial_tile_ratio", x.partial_tile_ratio);
  v("partial_wide_ratio", x.partial_wide_ratio);
  v("displaced_ratio", x.displaced_ratio);
  v(Field("fixup_exposed_ratio", true), x.fixup_exposed_ratio);
}

std::optional<double> as_number(const std::optional<int64_t>& value) {
  if (!value) return std::nullopt;
  return static_cast<double>(*value);
}

void read_rates(TensileRates& rates, const Device& device, ConstantReader& constants) {
  const Spec& spec = device.spec;
  const auto number = [&](const auto& value, std::string_view field) {
    return static_cast<double>(require(value, field, device));
  };
  rates.num_units = number(spec.compute.num_compute_units, "spec.num_compute_units");
  rates.num_domains = number(spec.cache.num_l2_domains, "spec.num_l2_domains");
  rates.clock_hz = number(spec.compute.clock_hz, "spec.clock_hz");
  rates.lds_bytes_per_clock = number(spec.shared_memory.shared_memory_bytes_per_clock,
                                     "spec.shared_memory_bytes_per_clock");
  rates.line_bytes = number(spec.cache.cache_line_bytes, "spec.cache_line_bytes");
  rates.memory_bytes_per_second =
      number(spec.memory.memory_bytes_per_second, "spec.memory_bytes_per_second");
  rates.last_level_bytes =
      number(spec.memory.last_level_cache_bytes, "spec.last_level_cache_bytes");
  rates.power_watts = constants.fact(spec.compute.board_power_watts, "spec.board_power_watts",
                                     "assumed_board_power_watts");
  rates.in_flight_bytes =
      constants.fact(as_number(spec.cache.in_flight_bytes_per_unit),
                     "spec.in_flight_bytes_per_unit", "assumed_in_flight_bytes_per_unit");
  rates.last_level_bytes_per_second = constants.fact(spec.memory.last_level_cache_bytes_per_second,
                                                     "spec.last_level_cache_bytes_per_second",
                                                     "assumed_last_level_cache_bytes_per_second");
}

void read_matrix(TensileRates& rates, const Device& device) {
  const Compute& compute = device.spec.compute;
  const double clock_hz = require(compute.peak_rate_clock_hz, "spec.peak_rate_clock_hz", device);
  require(compute.flop_per_second, DType::bf16, "spec.flop_per_second", device);
  for (const MatrixInstruction& row : compute.matrix_instructions) {
    if (row.m != row.n || (row.m != 16 && row.m != 32)) continue;
    const auto index = static_cast<size_t>(row.dtype);
    const auto rate = compute.flop_per_second.find(row.dtype);
    if (rate == compute.flop_per_second.end()) continue;
    rates.flop_per_clock[index] = rate->second / (rates.num_units * clock_hz);
    rates.mfma_depths[index][row.m == 16 ? 0 : 1] = static_cast<double>(row.k);
  }
  if (rates.flop_per_clock[static_cast<size_t>(DType::bf16)] > 0) return;
  throw Error(ErrorKind::unsupported,
              fmt::format("device {} lacks spec.matrix_instructions of bf16, 16x16 or 32x32, which "
                          "Tensile's kernels are made of",
                          device.id));
}

void read_limits(TensileLimits& limits, const Device& device) {
  const Waves& waves = device.spec.waves;
  const SharedMemory& lds = device.spec.shared_memory;
  limits.lds_bytes =
      require(lds.shared_memory_bytes_per_group, "spec.shared_memory_bytes_per_group", device);
  limits.lds_granule_bytes =
      require(lds.shared_memory_granule_bytes, "spec.shared_memory_granule_bytes", device);
  limits.max_registers =
      require(waves.max_registers_per_lane, "spec.max_registers_per_lane", device);
  limits.register_granule = require(waves.register_granule, "spec.register_granule", device);
  limits.wave_width = require(waves.wave_width, "spec.wave_width", device);
  limits.num_simds = require(waves.num_simds_per_unit, "spec.num_simds_per_unit", device);
  limits.max_waves = require(waves.max_waves_per_unit, "spec.max_waves_per_unit", device);
  limits.async_copy_bytes =
      require(lds.async_copy_bytes_per_lane, "spec.async_copy_bytes_per_lane", device);
  constexpr int64_t kRegisterBytes = 4;
  limits.registers_per_lane =
      require(waves.register_file_bytes_per_unit, "spec.register_file_bytes_per_unit", device) /
      (limits.num_simds * limits.wave_width * kRegisterBytes);
}

}  // namespace

TensileModel make_tensile_model(const Device& device) {
  TensileModel model;
  ConstantReader constants(device, "tensile");
  visit_constants(constants, model.constants);
  read_rates(model.rates, device, constants);
  constants.finish();
  read_matrix(model.rates, device);
  read_limits(model.limits, device);
  model.sigma = constants.sigma();
  return model;
}

}  // namespace ambidex
