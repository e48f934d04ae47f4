// SPDX-License-Identifier: Apache-2.0
// Seconds of one of hipBLASLt's Tensile kernels. docs/gemm-tensile.md has the formulas, what was
// fitted, and the measured error.
//
// Everything is row-major, as in GemmOp. Tensile is column-major and computes D' = B' A':
//   here                        in Tensile and its files
//   m, tile.m, wave_tile_m      N, mt_n, second number of miwt times mi
//   n, tile.n, wave_tile_n      M, mt_m, first number of miwt times mi
//   A [m, k], B [k, n]          B, A; non_temporal_a is ntb
//   NT: both contiguous in k    TN
//   group_m, tiles down         wgm
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

/// `calibration.tensile.constants` of a device: effective numbers, not hardware facts.
struct TensileConstants {
  double launch_seconds = 0;       // launch, first loads, drain
  double load_latency_clocks = 0;  // round trip of a load, most of them hitting L2
  double sync_clocks = 0;          // of an iteration without a custom schedule
  // LDS read bytes of an operand, times:
  double lds_strided_ratio = 0;       // not contiguous in k, no custom schedule
  double lds_untransposed_ratio = 0;  // contiguous in k, not kept transposed
  double partial_line_ratio = 0;      // cost of an unused byte of a cache line
  // Energy, which the board's power turns into time:
  double joules_per_flop = 0;      // bf16, 16-row matrix instruction
  double mfma32_joules_ratio = 0;  // 32-row matrix instruction
  double joules_per_lds_byte = 0;
  double joules_per_fill_byte = 0;  // L2 to unit
  double joules_per_miss_byte = 0;  // last-level cache to L2
  // Share of the L2 sharing that is left while units are at different depths (Stream-K):
  double mapped_share_ratio = 0;  // consecutive tiles on one L2 domain
  double dealt_share_ratio = 0;   // consecutive tiles on different ones
  // Parts of the rate of memory or of the last-level cache:
  double memory_ratio = 0;         // memory: operands and results
  double store_ratio = 0;          // memory: result tiles that all units write at once
  double partial_tile_ratio = 0;   // last level: unfinished tiles of Stream-K
  double partial_wide_ratio = 0;   // bytes of these, times, if waves hold rows of 8 instructions
  double displaced_ratio = 0;      // last level: what stores push out of it
  double fixup_exposed_ratio = 0;  // of the time of an unfinished tile beside finished ones
};

/// What legality is judged by, from the device.
struct TensileLimits {
  int64_t lds_bytes = 0;  // of one work-group
  int64_t lds_granule_bytes = 0;
  int64_t max_registers = 0;
  int64_t register_granule = 0;
  int64_t registers_per_lane = 0;  // of one SIMD, over all its waves
  int64_t wave_width = 0;
  int64_t num_simds = 0;
  int64_t max_waves = 0;         // of one unit
  int64_t async_copy_bytes = 0;  // 0: loads cannot bypass the registers
};

/// Rates of the device. A dtype without matrix instructions has zeros.
struct TensileRates {
  double num_units = 0;
  double num_domains = 0;  // L2s
  double clock_hz = 0;
  double power_watts = 0;
  double lds_bytes_per_clock = 0;  // of one unit
  double in_flight_bytes = 0;      // of one unit
  double line_bytes = 0;
  double memory_bytes_per_second = 0;
  double last_level_bytes_per_second = 0;
  double last_level_bytes = 0;
  std::array<double, kNumDTypes> flop_per_clock{};              // of one unit
  std::array<std::array<double, 2>, kNumDTypes> mfma_depths{};  // k of the 16- and 32-row MFMA
};

struct TensileModel {
  TensileConstants constants;
  TensileLimits limits;
  TensileRates rates;
  std::array<double, kNumRegimes> sigma{};
};

/// throws Error(unsupported) naming a field that the device lacks, Error(bad_input) on a constant
/// that no formula reads
TensileModel make_tensile_model(const Device& device);

/// Why the device cannot run `config` on `op`, in a sentence; empty if it can.
std::string tensile_why_illegal(const TensileModel& model, const GemmOp& op,
                                const GemmConfig& config);

/// Registers of one lane, estimated: sums, fragments of one matrix instruction, loads on their way
/// to LDS, addresses.
int64_t tensile_registers(const TensileModel& model, const GemmOp& op, const GemmConfig& config);

/// What one candidate needs that m, n, k and the number of units do not change.
struct TensileLane {
  double tile_m = 1, tile_n = 1, tile_k = 1;
  double bytes_a = 1, bytes_b = 1;     // fetched in one iteration
  double pipe_seconds = 0;             // of an iteration: matrix, LDS and loads
  double joules = 0;                   // of an iteration, misses left out
  double partial_bytes = 1;            // of an unfinished tile
  double returned_bytes = 0;           // of it, if it comes back from memory
  double store_bytes = 0;              // of a finished tile
  double displacing = 0;               // 1: stores push operands out of the caches
  double group_m = 1, mapped = 0;      // order of tiles; 1: consecutive ones share an L2
  double share_ratio = 0, stream = 0;  // of L2 sharing left in Stream-K; 1: Stream-K
  double tie_ratio = 1;                // orders what no other term tells apart
  double penalty = 0;                  // seconds; infinity: illegal
};

/// The lanes of all candidates, one field after the other.
struct TensilePrepared {
  size_t num_candidates = 0;
  std::vector<double> values;
};

/// Reads all of `kind` but m, n, k, batch and cold.
TensilePrepared tensile_prepare(const TensileModel& model, const GemmOp& kind,
                                std::span<const GemmConfig> configs);

/// seconds[i] of candidate i; infinity where it is illegal. Allocates nothing. `num_units` <= 0 is
/// all of them.
void tensile_seconds(const TensileModel& model, const TensilePrepared& prepared, const GemmOp& op,
                     int64_t num_units, std::span<double> seconds);

/// The same seconds to the last bit, with terms and interval. `config` must be legal.
Estimate tensile_estimate(const TensileModel& model, const GemmOp& op, const GemmConfig& config,
                          int64_t num_units);

/// One iteration of the main loop in one unit.
struct TensileLoop {
  double matrix_clocks = 0;
  double lds_clocks = 0;
  double issue_clocks = 0;    // synchronisation and the first LDS reads, exposed
  double latency_clocks = 0;  // as many round trips as its loads overfill the queue
  double matrix_joules = 0;
  double lds_joules = 0;
  double fill_joules = 0;
};
TensileLoop tensile_loop(const TensileModel& model, const GemmOp& kind, const GemmConfig& config);
TensileLane tensile_lane(const TensileModel& model, const GemmOp& kind, const GemmConfig& config);

template <class V, class Lane>
AMBIDEX_LANE void visit_lane(V&& v, Lane& x) {
  v(x.tile_m), v(x.tile_n), v(x.tile_k);
  v(x.bytes_a), v(x.bytes_b), v(x.pipe_seconds), v(x.joules);
  v(x.partial_bytes), v(x.returned_bytes), v(x.store_bytes), v(x.displacing);
  v(x.group_m), v(x.mapped), v(x.share_ratio), v(x.stream);
  v(x.tie_ratio), v(x.penalty);
}
inline constexpr size_t kTensileLaneFields = 17;
static_assert(sizeof(TensileLane) == kTensileLaneFields * sizeof(double));

}  // namespace ambidex
