// SPDX-License-Identifier: Apache-2.0
// What of a Triton kernel's time does not depend on sizes.
#include <algorithm>
#include <limits>

#include "cost/triton.h"

namespace ambidex {
namespace {

constexpr double kSumBytes = 4;

/// Bytes that all waves read from shared memory in one iteration.
double read_bytes(const GemmOp& kind, const GemmConfig& config, const TritonResources& resources) {
  const double depth = static_cast<double>(config.tile.k) * dtype_bytes(kind.dtype);
  const double m = config.tile.m;
  const double n = config.tile.n;
  if (resources.feed == Feed::registers) {
    return depth * (m * resources.waves_n + n * resources.waves_m);
  }
  // One product takes 64 rows (128 with tensor memory) and reads all columns of its warp group.
  const double rows = resources.feed == Feed::tensor_memory ? 128 : 64;
  return depth * (m * resources.waves_n + n * std::max(1.0, m / rows));
}

/// Bytes written to shared memory in one iteration, weighed by how they arrive.
double weighed_fill(const TritonModel& model, const GemmOp& kind, const GemmConfig& config) {
  const OperandAccess access = operand_access(kind);
  const double depth = static_cast<double>(config.tile.k) * dtype_bytes(kind.dtype);
  const double extra = model.constants.k_contiguous_ratio;
  return depth * (config.tile.m * (access.a_along_k ? 1 + extra : 1) +
                  config.tile.n * (access.b_along_k ? 1 + extra : 1));
}

double matrix_clocks(const TritonModel& model, const GemmOp& kind, const GemmConfig& config,
                     const TritonResources& resources) {
  const auto dtype = static_cast<size_t>(kind.dtype);
  // tcgen05 leaves half of its lanes idle below 128 rows.
  const double rows = resources.feed == Feed::tensor_memory ? std::max(128, config.tile.m)
                                                            : static_cast<double>(config.tile.m);
  const double flop = 2 * rows * config.tile.n * config.tile.k;
  const double rate = model.rates.flop_per_clock[dtype] *
                      (resources.feed == Feed::registers ? model.constants.matrix_ratio : 1);
  // The core's clock under dense products may be below the one that clocks are counted in.
  return flop / rate * (model.rates.clock_hz / model.rates.clock_of[dtype]);
}

double issue_clocks(const TritonModel& model, const GemmOp& kind, const GemmConfig& config,
                    const TritonResources& resources) {
  const TritonConstants& constants = model.constants;
  const OperandAccess access = operand_access(kind);
  const double wave = model.rates.wave_width;
  double clocks =
      constants.iteration_clocks + resources.spill_bytes / constants.spill_bytes_per_clock;
  const double depth = config.tile.k;
  if (!access.a_is_wide) clocks += config.tile.m * depth / wave * constants.scalar_load_clocks;
  if (!access.b_is_wide) clocks += config.tile.n * depth / wave * constants.scalar_load_clocks;
  if (resources.feed == Feed::shared_memory && access.b_along_k) {
    clocks += constants.column_clocks * std::max(0, config.tile.n - 64);
  }
  return clocks + (resources.is_serialized ? constants.serial_clocks : 0);
}

double store_bytes(const GemmOp& kind, const GemmConfig& config) {
  const double element =
      config.split_k > 1 ? kSumBytes : static_cast<double>(dtype_bytes(kind.out_dtype));
  const double tile = static_cast<double>(config.tile.m) * config.tile.n;
  const double out = static_cast<double>(dtype_bytes(kind.out_dtype));
  double bytes = tile * element;
  if (kind.epilogue.residual) bytes += tile * out;
  if (kind.epilogue.bias) bytes += config.tile.n * out;
  if (kind.epilogue.bias_gradient) bytes += 2 * config.tile.n * kSumBytes;  // atomic: read, write
  return bytes;
}

double store_clocks(const TritonModel& model, const GemmOp& kind, const GemmConfig& config,
                    const TritonResources& resources) {
  if (operand_access(kind).d_is_wide) return 0;
  const double tile = static_cast<double>(config.tile.m) * config.tile.n;
  return tile / model.rates.wave_width * model.constants.scalar_store_clocks +
         resources.spilled_columns * model.constants.spilled_store_clocks;
}

void set_pipeline(TritonLane& lane, const TritonModel& model, const GemmOp& kind,
                  const GemmConfig& config, const TritonResources& resources) {
  const OperandAccess access = operand_access(kind);
  const double in_flight = std::max(1, config.num_stages - 1);
  lane.stages = in_flight;
  lane.prologue_loads = in_flight;
  // A copy into shared memory starts once its buffer is read out. Loads into registers start
  // before the products of the iteration, unless there is one stage only.
  lane.own_wait_ratio = model.limits.has_async_copy || config.num_stages == 1 ? 1 : 0;
  lane.unpiped = (access.a_is_wide ? 0 : 1) + (access.b_is_wide ? 0 : 1);
  lane.unpiped = std::min(lane.unpiped, 1.0);
  const double depth_bytes = static_cast<double>(config.tile.k) * dtype_bytes(kind.dtype);
  constexpr double kStepBytes = 32;  // along k, of one matrix instruction
  if (resources.feed == Feed::registers) {
    lane.chain_clocks = model.constants.chain_clocks * depth_bytes / kStepBytes;
  }
}

}  // namespace

TritonLoop triton_loop(const TritonModel& model, const GemmOp& kind, const GemmConfig& config) {
  const TritonResources resources = triton_resources(model, kind, config);
  TritonLoop loop;
  loop.matrix_clocks = matrix_clocks(model, kind, config, resources);
  loop.shared_clocks = (read_bytes(kind, config, resources) + weighed_fill(model, kind, config)) /
                       (model.rates.shared_bytes_per_clock * model.constants.shared_memory_ratio);
  loop.issue_clocks = issue_clocks(model, kind, config, resources);
  return loop;
}

TritonLane triton_lane(const TritonModel& model, const GemmOp& kind, const GemmConfig& config) {
  TritonLane lane;
  if (!triton_why_illegal(model, kind, config).empty()) {
    lane.penalty = std::numeric_limits<double>::infinity();
    return lane;
  }
  const TritonResources resources = triton_resources(model, kind, config);
  const TritonLoop loop = triton_loop(model, kind, config);
  lane.tile_m = config.tile.m;
  lane.tile_n = config.tile.n;
  lane.tile_k = config.tile.k;
  lane.split_k = config.split_k;
  lane.group_m = config.group_m;
  lane.resident = static_cast<double>(resources.groups_per_unit);
  lane.core_clocks = norm4(loop.matrix_clocks, loop.shared_clocks, 0) + loop.issue_clocks;
  set_pipeline(lane, model, kind, config, resources);
  lane.fill_bytes = (lane.tile_m + lane.tile_n) * lane.tile_k * dtype_bytes(kind.dtype);
  lane.store_bytes = store_bytes(kind, config);
  lane.store_clocks = store_clocks(model, kind, config, resources);
  lane.overlap_ratio = resources.groups_per_unit > 1 ? model.constants.overlap_ratio : 1;
  lane.atomic_bytes = config.split_k > 1 ? kSumBytes * config.split_k : 0;
  return lane;
}

TritonPrepared triton_prepare(const TritonModel& model, const GemmOp& kind,
                              std::span<const GemmConfig> configs) {
  TritonPrepared prepared;
  prepared.num_candidates = configs.size();
  prepared.values.resize(configs.size() * kTritonLaneFields);
  for (size_t i = 0; i < configs.size(); ++i) {
    TritonLane lane = triton_lane(model, kind, configs[i]);
    size_t offset = i;
    visit_triton_lane(
        [&](double& value) {
          prepared.values[offset] = value;
          offset += configs.size();
        },
        lane);
  }
  return prepared;
}

}  // namespace ambidex
