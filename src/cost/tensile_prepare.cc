// SPDX-License-Identifier: Apache-2.0
// What of a Tensile kernel does not depend on the size of the product.
#include <limits>

#include "cost/lanes.h"
#include "cost/tensile.h"

namespace ambidex {
namespace {

/// A and B as the main loop meets them.
struct Operand {
  double side = 0;   // rows of A or columns of B in a tile
  double reads = 0;  // waves that read each byte from LDS
  bool k_contiguous = false;
};

struct Operands {
  Operand a;
  Operand b;
};

Operands operands_of(const GemmOp& kind, const GemmConfig& config) {
  const TensileOptions& options = config.tensile;
  const bool a_k_contiguous = kind.layout == Layout::nn || kind.layout == Layout::nt;
  const bool b_k_contiguous = kind.layout == Layout::nt || kind.layout == Layout::tt;
  const int32_t waves_m = config.tile.m / options.wave_tile_m;
  const int32_t waves_n = config.tile.n / options.wave_tile_n;
  return {.a = {static_cast<double>(config.tile.m), static_cast<double>(waves_n), a_k_contiguous},
          .b = {static_cast<double>(config.tile.n), static_cast<double>(waves_m), b_k_contiguous}};
}

double lds_ratio(const TensileConstants& constants, const TensileOptions& options,
                 const Operand& operand) {
  if (operand.k_contiguous) return options.transpose_lds ? 1 : constants.lds_untransposed_ratio;
  return options.custom_schedule ? 1 : constants.lds_strided_ratio;
}

/// Bytes fetched for one step of k, unused parts of lines included.
double bytes_per_step(const TensileModel& model, const Operand& operand, double element_bytes) {
  const double run = operand.side * element_bytes;
  if (operand.k_contiguous) return run;
  const auto line = static_cast<int64_t>(model.rates.line_bytes);
  const auto divisor = static_cast<double>(power_of_two_divisor(static_cast<int64_t>(run), line));
  return run + model.constants.partial_line_ratio * (model.rates.line_bytes - divisor);
}

/// 16 bytes over the bytes of one load: the queue of a unit holds so many loads, not bytes.
double load_ratio(const TensileModel& model, const Operand& operand, const GemmConfig& config,
                  const GemmOp& kind) {
  constexpr int64_t kWidestBytes = 16;
  constexpr int64_t kNarrowCopyBytes = 4;
  const int64_t element_bytes = dtype_bytes(kind.dtype);
  const int64_t elements = static_cast<int64_t>(operand.side) * config.tile.k;
  const int64_t threads = config.num_warps * model.limits.wave_width;
  int64_t bytes = element_bytes;
  if (elements % threads == 0) {
    bytes *= power_of_two_divisor(elements / threads, kWidestBytes / element_bytes);
  }
  const bool is_copied_whole =
      model.limits.async_copy_bytes >= kWidestBytes && bytes == kWidestBytes;
  if (config.tensile.direct_to_lds && !is_copied_whole && bytes > kNarrowCopyBytes) {
    bytes = kNarrowCopyBytes;
  }
  return static_cast<double>(kWidestBytes) / static_cast<double>(bytes);
}

/// Switches without a term of their own, in the order that the tuning run ranks them.
double tie_ratio(const TensileHints& hints) {
  return 1 + 1.3e-4 * hints.stagger_u + (hints.cluster_local_read ? 0 : 2e-5) +
         (hints.single_lds_buffer ? 1e-5 : 0) + (hints.stagger_u_stride != 128 ? 1e-6 : 0) +
         (hints.non_temporal_a ? 1e-6 : 0);
}

void set_tile(TensileLane& lane, const TensileModel& model, const GemmOp& kind,
              const GemmConfig& config) {
  const Tile& tile = config.tile;
  const double outputs = static_cast<double>(tile.m) * tile.n;
  const auto out_bytes = static_cast<double>(dtype_bytes(kind.out_dtype));
  constexpr double kSumBytes = 4;
  const int64_t instructions_n = config.tensile.wave_tile_n / config.amd.matrix_instr;
  const bool has_wide_rows = power_of_two_divisor(instructions_n, 8) == 8;
  const bool is_past_caches = config.tensile.hints.non_temporal_store;
  lane.tile_m = tile.m, lane.tile_n = tile.n, lane.tile_k = tile.k;
  lane.partial_bytes =
      kSumBytes * outputs * (has_wide_rows ? model.constants.partial_wide_ratio : 1);
  lane.returned_bytes = is_past_caches ? kSumBytes * outputs : 0;
  lane.displacing = is_past_caches ? 0 : 1;
  lane.store_bytes = outputs * out_bytes * (kind.epilogue.residual ? 2 : 1);
  if (kind.epilogue.bias) lane.store_bytes += tile.n * out_bytes;
  if (kind.epilogue.bias_gradient) lane.store_bytes += tile.n * kSumBytes;
}

void set_order(TensileLane& lane, const TensileModel& model, const GemmConfig& config) {
  const bool is_mapped = config.tensile.xcc_mapping > 1;
  lane.group_m = config.group_m;
  lane.mapped = is_mapped ? 1 : 0;
  lane.share_ratio =
      is_mapped ? model.constants.mapped_share_ratio : model.constants.dealt_share_ratio;
  lane.stream = config.tensile.stream_k != 0 ? 1 : 0;
  lane.tie_ratio = tie_ratio(config.tensile.hints);
}

}  // namespace

TensileLoop tensile_loop(const TensileModel& model, const GemmOp& kind, const GemmConfig& config) {
  const TensileConstants& constants = model.constants;
  const TensileRates& rates = model.rates;
  const auto dtype = static_cast<size_t>(kind.dtype);
  const bool has_16_rows = config.amd.matrix_instr == 16;
  const auto element_bytes = static_cast<double>(dtype_bytes(kind.dtype));
  const double depth = config.tile.k;
  const auto [a, b] = operands_of(kind, config);
  const double flop = 2 * a.side * b.side * depth;
  const double read_bytes = element_bytes * depth *
                            (a.side * a.reads * lds_ratio(constants, config.tensile, a) +
                             b.side * b.reads * lds_ratio(constants, config.tensile, b));
  const double write_bytes =
      config.tensile.direct_to_lds ? 0 : element_bytes * depth * (a.side + b.side);
  const double num_steps = depth / rates.mfma_depths[dtype][has_16_rows ? 0 : 1];
  // Energy of a product in proportion to the time it takes at the peak.
  const double joules_per_flop =
      constants.joules_per_flop * rates.flop_per_clock[static_cast<size_t>(DType::bf16)] /
      rates.flop_per_clock[dtype] * (has_16_rows ? 1 : constants.mfma32_joules_ratio);
  TensileLoop loop;
  loop.matrix_clocks = flop / rates.flop_per_clock[dtype];
  loop.lds_clocks = (read_bytes + write_bytes) / rates.lds_bytes_per_clock;
  if (!config.tensile.custom_schedule) {
    loop.issue_clocks = constants.sync_clocks + read_bytes / num_steps / rates.lds_bytes_per_clock;
  }
  loop.matrix_joules = flop * joules_per_flop;
  loop.lds_joules = (read_bytes + write_bytes) * constants.joules_per_lds_byte;
  loop.fill_joules =
      depth * (bytes_per_step(model, a, element_bytes) + bytes_per_step(model, b, element_bytes)) *
      constants.joules_per_fill_byte;
  const double request_bytes =
      depth * (bytes_per_step(model, a, element_bytes) * load_ratio(model, a, config, kind) +
               bytes_per_step(model, b, element_bytes) * load_ratio(model, b, config, kind));
  loop.latency_clocks = request_bytes / rates.in_flight_bytes * constants.load_latency_clocks;
  return loop;
}

TensileLane tensile_lane(const TensileModel& model, const GemmOp& kind, const GemmConfig& config) {
  TensileLane lane;
  if (!tensile_why_illegal(model, kind, config).empty()) {
    lane.penalty = std::numeric_limits<double>::infinity();
    return lane;
  }
  const int64_t element_bytes = dtype_bytes(kind.dtype);
  const auto [a, b] = operands_of(kind, config);
  const TensileLoop loop = tensile_loop(model, kind, config);
  set_tile(lane, model, kind, config);
  set_order(lane, model, config);
  lane.bytes_a = lane.tile_k * bytes_per_step(model, a, static_cast<double>(element_bytes));
  lane.bytes_b = lane.tile_k * bytes_per_step(model, b, static_cast<double>(element_bytes));
  const double clocks = norm4(loop.matrix_clocks + loop.issue_clocks,
                              loop.lds_clocks + loop.issue_clocks, loop.latency_clocks);
  lane.pipe_seconds = clocks / model.rates.clock_hz;
  lane.joules = loop.matrix_joules + loop.lds_joules + loop.fill_joules;
  return lane;
}

TensilePrepared tensile_prepare(const TensileModel& model, const GemmOp& kind,
                                std::span<const GemmConfig> configs) {
  TensilePrepared prepared{.num_candidates = configs.size(),
                           .values = std::vector<double>(configs.size() * kTensileLaneFields)};
  for (size_t i = 0; i < configs.size(); ++i) {
    const TensileLane lane = tensile_lane(model, kind, configs[i]);
    size_t offset = i;
    const auto store = [&](double value) {
      prepared.values[offset] = value;
      offset += prepared.num_candidates;
    };
    visit_lane(store, lane);
  }
  return prepared;
}

}  // namespace ambidex
