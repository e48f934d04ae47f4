// SPDX-License-Identifier: Apache-2.0
// What the Triton model reads of a device.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "cost/constants.h"
#include "cost/triton.h"

namespace ambidex {
namespace {

template <class V, class T>
void visit_constants(V&& v, T& x) {
  v("launch_seconds", x.launch_seconds);
  v(Field("dispatch_seconds", true), x.dispatch_seconds);
  v(Field("prologue_seconds", true), x.prologue_seconds);
  v("latency_seconds", x.latency_seconds);
  v(Field("memory_latency_seconds", true), x.memory_latency_seconds);
  v("matrix_ratio", x.matrix_ratio);
  v("shared_memory_ratio", x.shared_memory_ratio);
  v(Field("k_contiguous_ratio", true), x.k_contiguous_ratio);
  v(Field("iteration_clocks", true), x.iteration_clocks);
  v(Field("chain_clocks", true), x.chain_clocks);
  v(Field("column_clocks", true), x.column_clocks);
  v(Field("serial_clocks", true), x.serial_clocks);
  v(Field("short_run_k_ratio", true), x.short_run_k_ratio);
  v(Field("short_run_mn_ratio", true), x.short_run_mn_ratio);
  v("memory_ratio", x.memory_ratio);
  v("resident_ratio", x.resident_ratio);
  v("stream_bytes_per_clock", x.stream_bytes_per_clock);
  v("load_bytes_per_clock", x.load_bytes_per_clock);
  v(Field("load_wait_ratio", true), x.load_wait_ratio);
  v("overlap_ratio", x.overlap_ratio);
  v(Field("tail_drift", true), x.tail_drift);
  v("epilogue_bytes_per_clock", x.epilogue_bytes_per_clock);
  v("lone_epilogue_bytes_per_clock", x.lone_epilogue_bytes_per_clock);
  v(Field("scalar_load_clocks", true), x.scalar_load_clocks);
  v(Field("scalar_store_clocks", true), x.scalar_store_clocks);
  v(Field("spilled_store_clocks", true), x.spilled_store_clocks);
  v("wrapped_bytes_per_clock", x.wrapped_bytes_per_clock);
  v("spill_bytes_per_clock", x.spill_bytes_per_clock);
  v(Field("zero_fill_seconds", true), x.zero_fill_seconds);
}

/// What Triton 3.6's backend for a compiler target does.
struct Target {
  std::string_view isa;
  bool has_shared_operands;  // wgmma, tcgen05: operands come from shared memory
  bool has_tensor_memory;    // tcgen05: accumulators are not in registers
  bool has_async_copy;       // loads reach shared memory past the registers
  bool has_mfma = false;     // fed from the registers of single waves
  bool has_kpack = false;
  RegisterFit registers = {};
};

// Fitted to 130 compiled configurations each; docs/gemm-triton.md.
constexpr RegisterFit kGfx942{.one_stage = {0.72, 3.3, 2.47, 10},
                              .more_stages = {1.45, 3.2, 2.13, 30},
                              .fragment = 0.78,
                              .fragment_cap = 26,
                              .transposed = 0.95,
                              .pointer = 5.0,
                              .capped = 0.88};
constexpr RegisterFit kGfx950{.one_stage = {0.80, 9.8, 2.54, 7.7},
                              .more_stages = {0.74, 13.1, 2.06, 23},
                              .fragment = 0.65,
                              .fragment_cap = 122,
                              .transposed = 0.59,
                              .pointer = 1.2,
                              .capped = 0.91};
constexpr std::array<Target, 6> kTargets{{{"sm_80", false, false, true},
                                          {"sm_90", true, false, true},
                                          {"sm_100", true, true, true},
                                          {"sm_103", true, true, true},
                                          {"gfx942", false, false, false, true, true, kGfx942},
                                          {"gfx950", false, false, false, true, false, kGfx950}}};

const Target& target_of(const Device& device) {
  std::string_view isa = device.isa;
  if (isa.starts_with("sm_") && isa.ends_with("a")) isa.remove_suffix(1);  // sm_90a
  const auto entry = std::find_if(kTargets.begin(), kTargets.end(),
                                  [&](const Target& target) { return target.isa == isa; });
  if (entry != kTargets.end()) return *entry;
  std::vector<std::string> known;
  for (const Target& target : kTargets) known.emplace_back(target.isa);
  throw Error(ErrorKind::unsupported,
              fmt::format("device {}: Triton has no backend for isa {}; known: {}", device.id,
                          device.isa, fmt::join(known, ", ")));
}

void read_limits(TritonLimits& limits, const Device& device) {
  const Target& target = target_of(device);
  const Waves& waves = device.spec.waves;
  const SharedMemory& shared = device.spec.shared_memory;
  const auto need = [&](const std::optional<int64_t>& value, std::string_view field) {
    return require(value, field, device);
  };
  constexpr int64_t kRegisterBytes = 4;
  limits.wave_width = need(waves.wave_width, "spec.wave_width");
  limits.max_waves = need(waves.max_waves_per_unit, "spec.max_waves_per_unit");
  limits.num_simds = need(waves.num_simds_per_unit, "spec.num_simds_per_unit");
  limits.max_groups = waves.max_groups_per_unit.value_or(limits.max_waves);
  limits.registers_per_unit =
      need(waves.register_file_bytes_per_unit, "spec.register_file_bytes_per_unit") /
      kRegisterBytes;
  limits.max_registers = need(waves.max_registers_per_lane, "spec.max_registers_per_lane");
  limits.register_granule = need(waves.register_granule, "spec.register_granule");
  limits.shared_bytes_per_unit =
      need(shared.shared_memory_bytes_per_unit, "spec.shared_memory_bytes_per_unit");
  limits.shared_bytes_per_group =
      need(shared.shared_memory_bytes_per_group, "spec.shared_memory_bytes_per_group");
  limits.shared_reserved_bytes = need(shared.shared_memory_reserved_bytes_per_group,
                                      "spec.shared_memory_reserved_bytes_per_group");
  limits.shared_granule_bytes =
      need(shared.shared_memory_granule_bytes, "spec.shared_memory_granule_bytes");
  limits.has_shared_operands = target.has_shared_operands;
  limits.has_tensor_memory = target.has_tensor_memory;
  limits.has_async_copy = target.has_async_copy;
  limits.has_mfma = target.has_mfma;
  limits.has_kpack = target.has_kpack;
  limits.registers = target.registers;
  if (!target.has_tensor_memory) return;
  constexpr int64_t kColumnBytes = 128 * 4;  // lanes x bytes
  limits.tensor_columns =
      need(shared.tensor_memory_bytes_per_unit, "spec.tensor_memory_bytes_per_unit") / kColumnBytes;
}

/// The measured clock under dense products, or what the calibration assumes where nobody has
/// published one, or the highest.
void read_matrix(TritonRates& rates, const Device& device, std::optional<double> assumed_clock_hz) {
  const Compute& compute = device.spec.compute;
  const double peak_clock_hz =
      require(compute.peak_rate_clock_hz, "spec.peak_rate_clock_hz", device);
  const auto& sustained = device.measured.sustained_clock_hz;
  for (const auto& [dtype, rate] : compute.flop_per_second) {
    const auto index = static_cast<size_t>(dtype);
    rates.flop_per_clock[index] = rate / (rates.num_units * peak_clock_hz);
    const auto clock = sustained.find(dtype);
    rates.clock_of[index] =
        clock == sustained.end() ? assumed_clock_hz.value_or(rates.clock_hz) : clock->second;
  }
}

void read_rates(TritonModel& model, const Device& device, ConstantReader& constants) {
  const Spec& spec = device.spec;
  TritonRates& rates = model.rates;
  const auto number = [&](const auto& value, std::string_view field) {
    return static_cast<double>(require(value, field, device));
  };
  rates.num_units = number(spec.compute.num_compute_units, "spec.num_compute_units");
  rates.num_domains = number(spec.cache.num_l2_domains, "spec.num_l2_domains");
  rates.wave_width = number(spec.waves.wave_width, "spec.wave_width");
  // A device whose highest clock nobody has published runs at the clock of its peak rates.
  rates.clock_hz =
      number(spec.compute.clock_hz ? spec.compute.clock_hz : spec.compute.peak_rate_clock_hz,
             "spec.clock_hz");
  rates.shared_bytes_per_clock = number(spec.shared_memory.shared_memory_bytes_per_clock,
                                        "spec.shared_memory_bytes_per_clock");
  rates.memory_bytes_per_second =
      number(spec.memory.memory_bytes_per_second, "spec.memory_bytes_per_second");
  const double last_level = static_cast<double>(spec.memory.last_level_cache_bytes.value_or(0));
  rates.resident_bytes = last_level > 0
                             ? last_level
                             : number(spec.cache.l2_bytes, "spec.l2_bytes") * rates.num_domains;
  if (last_level > 0) {
    rates.last_level_bytes_per_second = constants.fact(
        spec.memory.last_level_cache_bytes_per_second, "spec.last_level_cache_bytes_per_second",
        "assumed_last_level_cache_bytes_per_second");
  }
  rates.in_flight_bytes = static_cast<double>(spec.cache.in_flight_bytes_per_unit.value_or(0));
  read_matrix(rates, device, constants.find("assumed_sustained_clock_hz"));
}

}  // namespace

TritonModel make_triton_model(const Device& device) {
  TritonModel model;
  read_limits(model.limits, device);
  ConstantReader constants(device, "triton");
  visit_constants(constants, model.constants);
  read_rates(model, device, constants);
  constants.finish();
  model.sigma = constants.sigma();
  return model;
}

std::vector<std::string> triton_constant_names() {
  std::vector<std::string> names;
  TritonConstants constants;
  visit_constants([&](Field field, double&) { names.emplace_back(field.key); }, constants);
  return names;
}

}  // namespace ambidex
