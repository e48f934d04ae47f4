// SPDX-License-Identifier: Apache-2.0
// Seconds of Triton's plain matrix-product kernel (pointer loads, masked k, grouped rasterisation)
// on any vendor's device. docs/gemm-triton.md has the formulas in order, what was fitted, and the
// measured error. Leaves out compilation and the host's launch path.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ambidex/base.h"
#include "ambidex/cost.h"
#include "ambidex/devices.h"
#include "cost/lanes.h"

namespace ambidex {

/// `calibration.triton.constants` of a device: effective numbers, not hardware facts.
/// `_clocks` are core clocks; a bytes_per_clock is of one compute unit.
struct TritonConstants {
  double launch_seconds = 0;            // kernel start to end without work, inside a graph
  double dispatch_seconds = 0;          // of each of the first wave's groups
  double prologue_seconds = 0;          // addresses, before the first load
  double latency_seconds = 0;           // of a load that a cache answers
  double memory_latency_seconds = 0;    // what one from memory takes longer
  double matrix_ratio = 0;              // matrix rate of kernels that feed it from registers
  double shared_memory_ratio = 0;       // of the device's shared-memory rate
  double k_contiguous_ratio = 0;        // extra fill of an operand contiguous in k
  double iteration_clocks = 0;          // barriers and issue of one iteration
  double chain_clocks = 0;              // lone group fed from registers: one 32-byte step along k
  double column_clocks = 0;             // of a column beyond 64, B contiguous in k, shared-fed
  double serial_clocks = 0;             // of an iteration whose products the compiler serialised
  double short_run_k_ratio = 0;         // cost of the missing part of 256 contiguous bytes, along k
  double short_run_mn_ratio = 0;        // of 128 contiguous bytes, along m or n
  double memory_ratio = 0;              // of the data sheet's memory rate
  double resident_ratio = 0;            // of the last cache that keeps operands between launches
  double stream_bytes_per_clock = 0;    // from L2, while the working set streams through it
  double load_bytes_per_clock = 0;      // issue of loads before the loop
  double load_wait_ratio = 0;           // of that issue time, waited for in each iteration
  double overlap_ratio = 0;             // of a group's start and end, not hidden by its neighbours
  double tail_drift = 0;                // how fast rounds drift apart, so that the last one hides
  double epilogue_bytes_per_clock = 0;  // all units at once
  double lone_epilogue_bytes_per_clock = 0;  // one unit alone
  double scalar_load_clocks = 0;             // of a warp's load of one element a lane
  double scalar_store_clocks = 0;
  double spilled_store_clocks = 0;     // of a column whose scalar stores spill
  double wrapped_bytes_per_clock = 0;  // loads that wrap around a side smaller than the tile
  double spill_bytes_per_clock = 0;
  double zero_fill_seconds = 0;  // of the output before split-K adds to it
};

/// How Triton's compiler feeds the matrix unit of a target.
enum class Feed : uint8_t { registers, shared_memory, tensor_memory };

/// Rates of the device, per compute unit where not said otherwise.
struct TritonRates {
  double num_units = 0;
  double num_domains = 1;  // L2s that do not share lines
  double wave_width = 0;
  double clock_hz = 0;
  double shared_bytes_per_clock = 0;
  double memory_bytes_per_second = 0;               // of the device
  double resident_bytes = 0;                        // of the device's last cache
  double last_level_bytes_per_second = 0;           // of the device; 0: the L2 is the last one
  double in_flight_bytes = 0;                       // 0: not a limit that is known
  std::array<double, kNumDTypes> flop_per_clock{};  // 0: the matrix unit lacks the type
  std::array<double, kNumDTypes> clock_of{};        // sustained under such products, Hz
};

/// Registers of a lane of the kernels that feed MFMA, as a fit to what was compiled:
/// max(sums + loads + fragments + transposed + pointers + base, store * sums + store_base).
struct RegisterFit {
  struct Loop {
    double load = 0;  // of a register of loads in flight
    double base = 0;
    double store = 0;
    double store_base = 0;
  };
  Loop one_stage, more_stages;
  double fragment = 0;  // of a register of operand fragments, as far as fragment_cap
  double fragment_cap = 0;
  double transposed = 0;  // of a register of loads that are not contiguous in k
  double pointer = 0;     // of a load
  double capped = 1;      // with waves_per_eu of 2 and above
};

/// What legality and occupancy are judged by.
struct TritonLimits {
  int64_t wave_width = 32;
  int64_t max_waves = 0;
  int64_t max_groups = 0;
  int64_t num_simds = 0;
  int64_t registers_per_unit = 0;  // 4 bytes each, over all lanes
  int64_t max_registers = 0;       // of one lane
  int64_t register_granule = 0;
  int64_t shared_bytes_per_unit = 0;
  int64_t shared_bytes_per_group = 0;
  int64_t shared_reserved_bytes = 0;
  int64_t shared_granule_bytes = 1;
  int64_t tensor_columns = 0;  // of 128 lanes x 4 bytes
  bool has_shared_operands = false;
  bool has_tensor_memory = false;
  bool has_async_copy = false;  // loads reach shared memory past the registers
  bool has_mfma = false;        // fed from the registers of single waves, see AmdOptions
  bool has_kpack = false;
  RegisterFit registers;  // with MFMA
};

struct TritonModel {
  TritonConstants constants;
  TritonRates rates;
  TritonLimits limits;
  std::array<double, kNumRegimes> sigma{};
};

/// throws Error(unsupported) naming a field that the device lacks, or a target that Triton has no
/// backend for; Error(bad_input) on a constant that no formula reads
TritonModel make_triton_model(const Device& device);

/// Names of TritonConstants' fields, in their order.
std::vector<std::string> triton_constant_names();

/// Why the device cannot run `config` on `op`, in a sentence; empty if it can.
std::string triton_why_illegal(const TritonModel& model, const GemmOp& op,
                               const GemmConfig& config);

/// What the compiler makes of a configuration, for one kind of op.
struct TritonResources {
  Feed feed = Feed::registers;
  int64_t registers_per_lane = 0;  // wanted; above the limit they spill
  int64_t shared_bytes = 0;        // of one group
  int64_t tensor_columns = 0;
  int64_t groups_per_unit = 0;  // resident at once; 0: does not fit
  double spill_bytes = 0;       // stored and loaded in one iteration of a group
  double spilled_columns = 0;   // columns of the output tile whose stores spill
  int32_t waves_m = 1;          // grid of waves over the tile
  int32_t waves_n = 1;
  bool is_serialized = false;  // products that the compiler does not overlap
};
TritonResources triton_resources(const TritonModel& model, const GemmOp& op,
                                 const GemmConfig& config);

/// Which of an op's operands are contiguous in k, and which can be loaded 16 bytes at a time.
struct OperandAccess {
  bool a_along_k = false;
  bool b_along_k = false;
  bool a_is_wide = false;
  bool b_is_wide = false;
  bool d_is_wide = false;
};
OperandAccess operand_access(const GemmOp& op);

/// What one candidate needs that m, n, k, batch and the number of units do not change.
struct TritonLane {
  double tile_m = 1, tile_n = 1, tile_k = 1, split_k = 1, group_m = 1;
  double resident = 1;        // groups of one unit
  double stages = 1;          // loads in flight, in iterations
  double prologue_loads = 1;  // iterations' loads that are issued before the loop
  double core_clocks = 0;     // of one iteration: pipes, issue, spills, scalar loads
  double chain_clocks = 0;    // of one iteration of a lone group
  double own_wait_ratio = 1;  // of the core time that a load waits for before it is issued
  double unpiped = 0;         // 1: a load in the loop is waited for at once
  double fill_bytes = 0;      // of one iteration
  double store_bytes = 0;     // of an output tile, with what its epilogue reads
  double store_clocks = 0;    // of one tile on top: scalar stores, spills
  double overlap_ratio = 1;   // of start and end that other groups do not hide
  double atomic_bytes = 0;    // of an output element, all splits
  double penalty = 0;         // seconds; infinity: illegal
};

/// The lanes of all candidates, one field after the other.
struct TritonPrepared {
  size_t num_candidates = 0;
  std::vector<double> values;
};

/// Reads all of `kind` but m, n, k, batch and cold; of m, n and k only their alignment.
TritonPrepared triton_prepare(const TritonModel& model, const GemmOp& kind,
                              std::span<const GemmConfig> configs);

/// seconds[i] of candidate i; infinity where it is illegal. Allocates nothing. `num_units` <= 0 is
/// all of them.
void triton_seconds(const TritonModel& model, const TritonPrepared& prepared, const GemmOp& op,
                    int64_t num_units, std::span<double> seconds);

/// The same seconds to the last bit, with terms and interval. `config` must be legal.
Estimate triton_estimate(const TritonModel& model, const GemmOp& op, const GemmConfig& config,
                         int64_t num_units);

/// Pipes of one iteration of one group, each alone, in clocks.
struct TritonLoop {
  double matrix_clocks = 0;
  double shared_clocks = 0;
  double issue_clocks = 0;  // barriers, scalar loads, spills, what the compiler serialised
};
TritonLoop triton_loop(const TritonModel& model, const GemmOp& kind, const GemmConfig& config);
TritonLane triton_lane(const TritonModel& model, const GemmOp& kind, const GemmConfig& config);

template <class V, class Lane>
AMBIDEX_LANE void visit_triton_lane(V&& v, Lane& x) {
  v(x.tile_m), v(x.tile_n), v(x.tile_k), v(x.split_k), v(x.group_m);
  v(x.resident), v(x.stages), v(x.prologue_loads);
  v(x.core_clocks), v(x.chain_clocks), v(x.own_wait_ratio), v(x.unpiped);
  v(x.fill_bytes), v(x.store_bytes), v(x.store_clocks), v(x.overlap_ratio);
  v(x.atomic_bytes), v(x.penalty);
}
inline constexpr size_t kTritonLaneFields = 18;
static_assert(sizeof(TritonLane) == kTritonLaneFields * sizeof(double));

}  // namespace ambidex
