// SPDX-License-Identifier: Apache-2.0
// Which Tensile kernels exist and fit.
#include <fmt/format.h>

#include "cost/tensile.h"

namespace ambidex {
namespace {

constexpr int64_t kRegisterBytes = 4;

int64_t round_up(int64_t value, int64_t granule) {
  return (value + granule - 1) / granule * granule;
}

std::string why_wrong_shape(const TensileModel& model, const GemmOp& op, const GemmConfig& config) {
  if (config.kernel_template != KernelTemplate::tensile) {
    return fmt::format("a configuration of template {}, not tensile",
                       name_of(config.kernel_template));
  }
  const Tile& tile = config.tile;
  if (tile.m < 1 || tile.n < 1 || tile.k < 1) {
    return fmt::format("tile {}x{}x{}: sides start at 1", tile.m, tile.n, tile.k);
  }
  const auto dtype = static_cast<size_t>(op.dtype);
  if (!(model.rates.flop_per_clock[dtype] > 0)) {
    return fmt::format("the device has no matrix instructions for {}", name_of(op.dtype));
  }
  const int32_t mfma = config.amd.matrix_instr;
  const double depth =
      mfma == 16 || mfma == 32 ? model.rates.mfma_depths[dtype][mfma == 16 ? 0 : 1] : 0;
  if (!(depth > 0)) {
    return fmt::format("the device has no {0}x{0} matrix instruction for {1}", mfma,
                       name_of(op.dtype));
  }
  if (tile.k % static_cast<int64_t>(depth) != 0) {
    return fmt::format("tile.k {} is no multiple of {}, the depth of the matrix instruction",
                       tile.k, depth);
  }
  if (config.split_k != 1) return "split_k: Tensile splits k by Stream-K";
  if (config.group_m < 1) return fmt::format("group_m {}: starts at 1", config.group_m);
  return "";
}

std::string why_wrong_waves(const TensileModel& model, const GemmConfig& config) {
  const Tile& tile = config.tile;
  const TensileOptions& options = config.tensile;
  const int32_t mfma = config.amd.matrix_instr;
  if (options.wave_tile_m < 1 || options.wave_tile_n < 1 || options.wave_tile_m % mfma != 0 ||
      options.wave_tile_n % mfma != 0) {
    return fmt::format("wave tile {}x{} is not made of {}x{} matrix instructions",
                       options.wave_tile_m, options.wave_tile_n, mfma, mfma);
  }
  if (tile.m % options.wave_tile_m != 0 || tile.n % options.wave_tile_n != 0) {
    return fmt::format("tile {}x{} is not made of wave tiles {}x{}", tile.m, tile.n,
                       options.wave_tile_m, options.wave_tile_n);
  }
  const int64_t waves =
      int64_t{tile.m / options.wave_tile_m} * int64_t{tile.n / options.wave_tile_n};
  if (waves != config.num_warps) {
    return fmt::format("the tile has {} wave tiles, num_warps is {}", waves, config.num_warps);
  }
  if (waves > model.limits.max_waves) {
    return fmt::format("{} waves, and a unit holds {}", waves, model.limits.max_waves);
  }
  if (options.direct_to_lds && model.limits.async_copy_bytes == 0) {
    return "direct_to_lds: the device's loads cannot bypass the registers";
  }
  return "";
}

std::string why_too_large(const TensileModel& model, const GemmOp& op, const GemmConfig& config) {
  const TensileLimits& limits = model.limits;
  const int64_t num_buffers = config.tensile.hints.single_lds_buffer ? 1 : 2;
  const int64_t tile_bytes = (int64_t{config.tile.m} + int64_t{config.tile.n}) *
                             int64_t{config.tile.k} * dtype_bytes(op.dtype);
  const int64_t lds_bytes = round_up(num_buffers * tile_bytes, limits.lds_granule_bytes);
  if (lds_bytes > limits.lds_bytes) {
    return fmt::format("needs {} bytes of LDS, and a work-group may have {}", lds_bytes,
                       limits.lds_bytes);
  }
  const int64_t registers = tensile_registers(model, op, config);
  if (registers > limits.max_registers) {
    return fmt::format("needs {} registers, and a lane may have {}", registers,
                       limits.max_registers);
  }
  const int64_t waves_per_simd = (config.num_warps + limits.num_simds - 1) / limits.num_simds;
  if (registers * waves_per_simd > limits.registers_per_lane) {
    return fmt::format("{} waves a SIMD with {} registers each, and there are {}", waves_per_simd,
                       registers, limits.registers_per_lane);
  }
  return "";
}

}  // namespace

int64_t tensile_registers(const TensileModel& model, const GemmOp& op, const GemmConfig& config) {
  constexpr int64_t kOtherRegisters = 40;  // addresses, loop state
  const int64_t element_bytes = dtype_bytes(op.dtype);
  const int64_t lane_bytes = model.limits.wave_width * kRegisterBytes;
  const TensileOptions& options = config.tensile;
  const int64_t wave_sides = int64_t{options.wave_tile_m} + int64_t{options.wave_tile_n};
  const size_t mfma = config.amd.matrix_instr == 16 ? 0 : 1;
  const auto depth =
      static_cast<int64_t>(model.rates.mfma_depths[static_cast<size_t>(op.dtype)][mfma]);
  const int64_t sums = int64_t{options.wave_tile_m} * options.wave_tile_n * kRegisterBytes;
  const int64_t fragments = wave_sides * depth * element_bytes;
  const int64_t sides = int64_t{config.tile.m} + int64_t{config.tile.n};
  const int64_t staged =
      options.direct_to_lds ? 0 : sides * config.tile.k * element_bytes / config.num_warps;
  const int64_t registers =
      (sums + fragments + staged + lane_bytes - 1) / lane_bytes + kOtherRegisters;
  return round_up(registers, model.limits.register_granule);
}

std::string tensile_why_illegal(const TensileModel& model, const GemmOp& op,
                                const GemmConfig& config) {
  std::string reason = why_wrong_shape(model, op, config);
  if (reason.empty()) reason = why_wrong_waves(model, config);
  if (reason.empty()) reason = why_too_large(model, op, config);
  return reason;
}

}  // namespace ambidex
