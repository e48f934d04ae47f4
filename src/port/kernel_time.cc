// SPDX-License-Identifier: Apache-2.0
#include "port/kernel_time.h"

#include <algorithm>
#include <cmath>

namespace ambidex {
namespace {

constexpr double kPortBytes = 64;  // of L2, a clock and unit; as in docs/gemm-library.md
constexpr double kBankBytes = 4;   // a clock
constexpr double kHbmBytes = 64;   // the least that memory moves; docs/port-estimate.md
// To one word, where the device has no measurement: as on an H200, 1.3e9 a second.
constexpr double kAtomicsPerClock = 0.66;
constexpr double kDependentClocks = 4;  // until an instruction can take the result of the last

std::optional<double> constant(const Device& device, const char* of, const char* name) {
  const auto calibration = device.calibration.find(of);
  if (calibration == device.calibration.end()) return {};
  const auto found = calibration->second.constants.find(name);
  if (found == calibration->second.constants.end()) return {};
  return found->second;
}

/// What the model reads of a device.
struct Rates {
  double clock_hz, num_units;
  double memory, last_level, l2;  // bytes per second; last_level 0: there is none
  double launch_seconds;
  double hit_seconds, miss_seconds;  // of a load that an L2 holds, and what another takes more
};

double memory_rate(const Device& device) {
  if (device.measured.copy_bytes_per_second) return *device.measured.copy_bytes_per_second;
  const double peak =
      require(device.spec.memory.memory_bytes_per_second, "spec.memory_bytes_per_second", device);
  return peak * require(constant(device, "library", "memory_ratio"),
                        "measured.copy_bytes_per_second", device);
}

double last_level_rate(const Device& device) {
  if (device.spec.memory.last_level_cache_bytes.value_or(0) == 0) return 0;
  for (const std::optional<double>& rate :
       {device.measured.last_level_cache_bytes_per_second,
        device.spec.memory.last_level_cache_bytes_per_second,
        constant(device, "triton", "assumed_last_level_cache_bytes_per_second")}) {
    if (rate) return *rate;
  }
  return require(std::optional<double>{}, "spec.last_level_cache_bytes_per_second", device);
}

void set_latency(Rates& rates, const Device& device) {
  const Measured& measured = device.measured;
  if (measured.memory_latency_seconds && measured.l2_latency_seconds) {
    rates.hit_seconds = *measured.l2_latency_seconds;
    rates.miss_seconds = *measured.memory_latency_seconds - rates.hit_seconds;
    return;
  }
  const char* const field = "measured.memory_latency_seconds";
  rates.hit_seconds = require(constant(device, "triton", "latency_seconds"), field, device);
  rates.miss_seconds = require(constant(device, "triton", "memory_latency_seconds"), field, device);
}

Rates rates_of(const Device& device) {
  const Spec& spec = device.spec;
  Rates rates{};
  rates.clock_hz = require(spec.compute.clock_hz, "spec.clock_hz", device);
  rates.num_units = static_cast<double>(
      require(spec.compute.num_compute_units, "spec.num_compute_units", device));
  rates.memory = memory_rate(device);
  rates.last_level = last_level_rate(device);
  const auto l2 = device.measured.l2_bytes_per_second ? device.measured.l2_bytes_per_second
                                                      : spec.cache.l2_bytes_per_second;
  rates.l2 = l2.value_or(rates.num_units * kPortBytes * rates.clock_hz);
  rates.launch_seconds = device.measured.launch_seconds
                             ? *device.measured.launch_seconds
                             : require(constant(device, "library", "launch_seconds"),
                                       "measured.launch_seconds", device);
  set_latency(rates, device);
  return rates;
}

double at_most_one(double ratio) { return std::min(1.0, ratio); }

/// The share of repeated accesses that a cache of `cache_bytes` misses, each byte being as likely
/// to be asked for as any other.
double missed(double cache_bytes, double footprint_bytes) {
  return footprint_bytes <= 0 ? 0 : 1 - at_most_one(cache_bytes / footprint_bytes);
}

/// Bytes that each level moves, and the share of the loads' bytes that comes from memory.
struct Moved {
  double l2 = 0, last_level = 0, memory = 0;
  double missed_ratio = 0;
};

// What a unit has for its blocks' loads: an L1 of its own, or what shared memory leaves.
double l1_bytes(const Device& device, const LaunchCounts& counts, const Occupancy& occupancy) {
  if (device.spec.cache.l1_bytes_per_unit) {
    return static_cast<double>(*device.spec.cache.l1_bytes_per_unit);
  }
  const auto all =
      static_cast<double>(require(device.spec.shared_memory.shared_memory_bytes_per_unit,
                                  "spec.shared_memory_bytes_per_unit", device));
  return std::max(0.0, all - static_cast<double>(counts.shared_bytes * occupancy.groups_per_unit));
}

Moved moved_bytes(const Device& device, const LaunchCounts& counts, const Occupancy& occupancy) {
  const auto bytes = [&](const SimtPieces& pieces) {
    return static_cast<double>(granules_of(device, pieces) * granule_of(device));
  };
  const SimtGlobalTraffic& loads = counts.traffic.loads;
  const SimtGlobalTraffic& stores = counts.traffic.stores;
  const auto from_memory = [&](const SimtPieces& pieces) {
    const bool lines = granule_of(device) > kHbmBytes;
    return static_cast<double>(lines ? pieces.lines * 128 : pieces.half_lines * 64);
  };
  const double of_blocks = bytes(loads.of_blocks), distinct = bytes(loads.distinct);
  const auto resident = static_cast<double>(occupancy.groups_per_unit);
  const double in_unit = of_blocks / static_cast<double>(counts.num_blocks()) * resident;
  const double l1 = l1_bytes(device, counts, occupancy);
  const double loads_l2 = of_blocks + (bytes(loads.moved) - of_blocks) * missed(l1, in_unit);
  // Each L2 fetches for itself what its blocks need.
  const Cache& cache = device.spec.cache;
  const auto domains = static_cast<double>(cache.num_l2_domains.value_or(1));
  const auto l2_bytes = static_cast<double>(require(cache.l2_bytes, "spec.l2_bytes", device));
  const double stored = from_memory(stores.distinct);
  const double once = std::min(loads_l2, distinct * domains);
  const double loads_last =
      once + (loads_l2 - once) * missed(l2_bytes * domains, distinct * domains);
  const auto last = static_cast<double>(device.spec.memory.last_level_cache_bytes.value_or(0));
  const double all_caches = std::max(last, l2_bytes * domains);
  const double loads_memory =
      from_memory(loads.distinct) + (loads_last - distinct) * missed(all_caches, distinct);
  const double asked = bytes(loads.moved);
  return {.l2 = loads_l2 + bytes(stores.moved),
          .last_level = loads_last + stored,
          .memory = loads_memory + stored,
          .missed_ratio = asked > 0 ? at_most_one(loads_memory / asked) : 0};
}

// The last blocks leave units idle: as if there were fewer of them.
double busy_units(const Rates& rates, const LaunchCounts& counts) {
  const auto blocks = static_cast<double>(counts.num_blocks());
  return blocks / std::ceil(blocks / rates.num_units);
}

// A SIMD with fewer waves than fill it issues less: the share of what those of a unit could.
double busy_simds(const Device& device, const Rates& rates, const LaunchCounts& counts,
                  const Occupancy& occupancy, double waves_to_fill) {
  const auto simds = static_cast<double>(
      require(device.spec.waves.num_simds_per_unit, "spec.num_simds_per_unit", device));
  const auto blocks = static_cast<double>(counts.num_blocks());
  const double at_once =
      std::min(static_cast<double>(occupancy.groups_per_unit), std::ceil(blocks / rates.num_units));
  return at_most_one(at_once * static_cast<double>(counts.waves) / blocks / simds / waves_to_fill);
}

// Waves that keep a SIMD's vector lanes busy though each waits for its last instruction.
double waves_to_fill(const Device& device) {
  const auto width =
      static_cast<double>(require(device.spec.waves.wave_width, "spec.wave_width", device));
  const auto simds = static_cast<double>(
      require(device.spec.waves.num_simds_per_unit, "spec.num_simds_per_unit", device));
  const double lanes =
      require(device.spec.vector_lanes.f32_lanes_per_clock, "spec.f32_lanes_per_clock", device);
  return std::max(1.0, kDependentClocks * lanes / simds / width);
}

void add_shared(KernelTime& time, const Device& device, const LaunchCounts& counts,
                double unit_clocks) {
  const double width = require(device.spec.shared_memory.shared_memory_bytes_per_clock,
                               "spec.shared_memory_bytes_per_clock", device);
  const SimtSharedTraffic& shared = counts.traffic.shared;
  const bool wide = width >= 64 * kBankBytes;
  const auto passes = static_cast<double>(wide ? shared.wide_passes : shared.passes);
  const auto lanes =
      static_cast<double>(require(device.spec.waves.wave_width, "spec.wave_width", device));
  const double exchanges =
      static_cast<double>(counts.shuffles) * std::ceil(lanes * kBankBytes / width);
  const TimeTerm term = exchanges > passes ? TimeTerm::exchange : TimeTerm::shared_memory;
  time.term_seconds[static_cast<size_t>(term)] = (passes + exchanges) / unit_clocks;
}

void add_arithmetic(KernelTime& time, const Device& device, const LaunchCounts& counts,
                    double simd_clocks) {
  const VectorLanes& lanes = device.spec.vector_lanes;
  const auto width =
      static_cast<double>(require(device.spec.waves.wave_width, "spec.wave_width", device));
  const SimtInstructions& waves = counts.traffic.arithmetic.waves;
  const auto seconds = [&](double num, double lanes_per_clock) {
    return num * width / lanes_per_clock / simd_clocks;
  };
  const auto of = [&](SimtInstruction unit) {
    return static_cast<double>(waves[static_cast<size_t>(unit)]);
  };
  double all = 0;
  for (const int64_t num : waves) all += static_cast<double>(num);
  const auto set = [&](TimeTerm term, double num, const std::optional<double>& rate,
                       const char* field) {
    time.term_seconds[static_cast<size_t>(term)] = seconds(num, require(rate, field, device));
  };
  set(TimeTerm::vector, all, lanes.f32_lanes_per_clock, "spec.f32_lanes_per_clock");
  set(TimeTerm::f64, of(SimtInstruction::f64), lanes.f64_lanes_per_clock,
      "spec.f64_lanes_per_clock");
  set(TimeTerm::integer, of(SimtInstruction::integer), lanes.integer_lanes_per_clock,
      "spec.integer_lanes_per_clock");
  set(TimeTerm::special, of(SimtInstruction::special), lanes.special_lanes_per_clock,
      "spec.special_lanes_per_clock");
}

double matrix_rate(const Device& device, DType dtype) {
  if (const auto known = device.measured.matrix_flop_per_second.find(dtype);
      known != device.measured.matrix_flop_per_second.end()) {
    return known->second;
  }
  return require(device.spec.compute.flop_per_second, dtype, "spec.flop_per_second", device);
}

void add_matrix(KernelTime& time, const Device& device, const LaunchCounts& counts,
                double busy_ratio) {
  double seconds = 0;
  for (const auto& [dtype, flop] : counts.traffic.arithmetic.matrix_flop) {
    seconds += static_cast<double>(flop) / (matrix_rate(device, dtype) * busy_ratio);
  }
  time.term_seconds[static_cast<size_t>(TimeTerm::matrix)] = seconds;
}

// Lines that waves write to, each a request of its own.
double write_seconds(const Device& device, const LaunchCounts& counts) {
  const auto& rate = device.measured.write_requests_per_second;
  return rate ? static_cast<double>(counts.traffic.stores.moved.lines) / *rate : 0;
}

// What one wave waits for its loads.
double wave_latency_seconds(const Rates& rates, const LaunchCounts& counts, double missed_ratio) {
  const double rounds = counts.traffic.load_rounds / static_cast<double>(counts.waves);
  return rounds * (rates.hit_seconds + rates.miss_seconds * missed_ratio);
}

// What one wave takes for its instructions alone, each waiting for the last.
double wave_issue_seconds(const Rates& rates, const LaunchCounts& counts) {
  int64_t num = 0;
  for (const int64_t of_kind : counts.traffic.arithmetic.waves) num += of_kind;
  return kDependentClocks * static_cast<double>(num) / static_cast<double>(counts.waves) /
         rates.clock_hz;
}

// Blocks come in turns of as many as the device holds.
double turns_of(const Rates& rates, const LaunchCounts& counts, const Occupancy& occupancy) {
  const double resident = rates.num_units * static_cast<double>(occupancy.groups_per_unit);
  return std::ceil(static_cast<double>(counts.num_blocks()) / resident);
}

}  // namespace

std::string_view name_of(TimeTerm term) {
  constexpr std::array<std::string_view, kNumTimeTerms> kNames{
      "memory", "last-level cache", "L2",      "L1",     "shared memory", "exchange", "vector",
      "f64",    "integer",          "special", "matrix", "atomic",        "latency"};
  return kNames[static_cast<size_t>(term)];
}

int64_t granule_of(const Device& device) {
  const int64_t bytes =
      require(device.spec.cache.fetch_granule_bytes, "spec.fetch_granule_bytes", device);
  return bytes <= 32 ? 32 : bytes <= 64 ? 64 : 128;
}

int64_t granules_of(const Device& device, const SimtPieces& all) {
  const int64_t bytes = granule_of(device);
  return bytes == 32 ? all.sectors : bytes == 64 ? all.half_lines : all.lines;
}

KernelTime kernel_time(const Device& device, const LaunchCounts& counts,
                       const Occupancy& occupancy) {
  const Rates rates = rates_of(device);
  const double busy = busy_units(rates, counts);
  const double unit_clocks = busy * rates.clock_hz;  // a second
  const Moved moved = moved_bytes(device, counts, occupancy);
  KernelTime time{
      .launch_seconds = rates.launch_seconds, .memory_bytes = moved.memory, .l2_bytes = moved.l2};
  const auto set = [&](TimeTerm term, double seconds) {
    time.term_seconds[static_cast<size_t>(term)] = seconds;
  };
  set(TimeTerm::memory, moved.memory / rates.memory);
  if (rates.last_level > 0) set(TimeTerm::last_level, moved.last_level / rates.last_level);
  set(TimeTerm::l2, std::max({moved.l2 / rates.l2, moved.l2 / (kPortBytes * unit_clocks),
                              write_seconds(device, counts)}));
  const SimtGlobalTraffic& loads = counts.traffic.loads;
  set(TimeTerm::l1, static_cast<double>(loads.moved.lines) / unit_clocks);
  add_shared(time, device, counts, unit_clocks);
  const double issuing = busy_simds(device, rates, counts, occupancy, waves_to_fill(device));
  add_arithmetic(time, device, counts, unit_clocks * issuing);
  const double simds = busy_simds(device, rates, counts, occupancy, 1);
  add_matrix(time, device, counts, busy / rates.num_units * simds);
  set(TimeTerm::atomic,
      static_cast<double>(counts.traffic.atomics.hottest_word) /
          device.measured.same_word_atomics_per_second.value_or(kAtomicsPerClock * rates.clock_hz));
  const double wave_latency = wave_latency_seconds(rates, counts, moved.missed_ratio);
  const auto largest = std::max_element(time.term_seconds.begin(), time.term_seconds.end());
  const double turns = turns_of(rates, counts, occupancy);
  const double latency = turns * (wave_latency + wave_issue_seconds(rates, counts));
  const bool waits = latency > *largest + wave_latency;
  time.binds = turns * wave_latency > *largest
                   ? TimeTerm::latency
                   : static_cast<TimeTerm>(largest - time.term_seconds.begin());
  time.fill_seconds = waits ? 0 : wave_latency;
  time.seconds = time.launch_seconds + (waits ? latency : *largest + wave_latency);
  set(TimeTerm::latency, latency);
  return time;
}

}  // namespace ambidex
