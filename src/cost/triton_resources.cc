// SPDX-License-Identifier: Apache-2.0
// Registers, shared memory and occupancy of Triton's matrix-product kernel, and what is legal.
// Formulas from compiling about 700 configurations with Triton 3.6.0, without a launch:
// docs/gemm-triton.md says how many of them each formula gets right.
#include <fmt/format.h>

#include <algorithm>

#include "cost/triton.h"

namespace ambidex {
namespace {

int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }
int64_t round_up(int64_t value, int64_t granule) { return ceil_div(value, granule) * granule; }
bool is_power_of_two(int64_t value) { return value > 0 && (value & (value - 1)) == 0; }

constexpr int64_t kWarpGroup = 4;  // waves that issue one wgmma or tcgen05 together
constexpr int64_t kSumBytes = 4;

Feed feed_of(const TritonLimits& limits, const GemmOp& op, const GemmConfig& config) {
  const bool fits = config.tile.m >= 64 && config.num_warps % kWarpGroup == 0;
  if (!limits.has_shared_operands || !fits) return Feed::registers;
  // tcgen05 has no integer products: int8 falls back to mma.sync.
  if (limits.has_tensor_memory) {
    return op.dtype == DType::int8 ? Feed::registers : Feed::tensor_memory;
  }
  return Feed::shared_memory;
}

/// Sums held by one lane.
double sums_of(const TritonLimits& limits, const GemmConfig& config) {
  return static_cast<double>(config.tile.m) * config.tile.n /
         static_cast<double>(limits.wave_width * config.num_warps);
}

/// Loads of one operand tile that a lane issues in one iteration, 16 bytes each.
double wide_loads(const TritonLimits& limits, const GemmOp& op, const GemmConfig& config,
                  int64_t side) {
  const double lanes = static_cast<double>(limits.wave_width * config.num_warps);
  const double bytes = static_cast<double>(side) * config.tile.k * dtype_bytes(op.dtype);
  return std::max(1.0, bytes / 16 / lanes);
}

/// Elements of one operand tile that a lane loads one by one.
double scalar_loads(const TritonLimits& limits, const GemmConfig& config, int64_t side) {
  const double lanes = static_cast<double>(limits.wave_width * config.num_warps);
  return static_cast<double>(side) * config.tile.k / lanes;
}

// Registers of a lane, as a fit to compiled kernels; docs/gemm-triton.md, Resources.
constexpr double kMaskedElement = 3.3;   // of an element loaded alone, with a mask along k
constexpr double kElement = 2.0;         // of another
constexpr double kSharedFedBase = 20;    // wgmma, beside sums and pointers
constexpr double kTwoBlocks = 10;        // of two blocks of 64 rows by 128 columns and more
constexpr double kRegisterFedSum = 1.2;  // mma.sync, of a sum
constexpr double kRegisterFedBase = 25;
constexpr double kTensorFedBase = 22;   // tcgen05, while sums are stored
constexpr double kTensorFedMost = 226;  // above 128 sums the epilogue takes them in turns
constexpr double kAtomicSum = 1.98;     // of a sum that is added atomically
constexpr double kAtomicMost = 254;
constexpr double kScalarStoreSum = 2;  // of a sum stored alone, with its address
constexpr double kScalarStoreBase = 14;
constexpr double kSumsOnly = 0.875;  // of all registers: with so many sums ptxas spills them

struct LoadRegisters {
  double pointers = 0;  // two registers for each of a lane's wide loads
  double scalars = 0;   // elements on their way, with addresses
};

LoadRegisters load_registers(const TritonLimits& limits, const GemmOp& op,
                             const GemmConfig& config) {
  const OperandAccess access = operand_access(op);
  LoadRegisters loads;
  const auto add = [&](bool is_wide, bool along_k, int64_t side) {
    if (is_wide) {
      loads.pointers += 2 * wide_loads(limits, op, config, side);
    } else {  // along k each element has its own mask
      loads.scalars += (along_k ? kMaskedElement : kElement) * scalar_loads(limits, config, side);
    }
  };
  add(access.a_is_wide, access.a_along_k, config.tile.m);
  add(access.b_is_wide, access.b_along_k, config.tile.n);
  return loads;
}

double tensor_fed_registers(double sums, bool is_split) {
  const double wanted = is_split ? kAtomicSum * sums : sums + kTensorFedBase;
  return sums <= 128 ? wanted : std::clamp(wanted, kTensorFedMost, kAtomicMost);
}

double warp_registers(const TritonLimits& limits, const GemmOp& op, const GemmConfig& config,
                      Feed feed) {
  const OperandAccess access = operand_access(op);
  const double sums = sums_of(limits, config);
  if (feed == Feed::tensor_memory) return tensor_fed_registers(sums, config.split_k > 1);
  const LoadRegisters loads = load_registers(limits, op, config);
  double registers = loads.pointers + loads.scalars;
  if (feed == Feed::shared_memory) {
    registers += sums + kSharedFedBase;
    const bool has_two_row_blocks = config.num_warps == kWarpGroup && config.tile.m >= 128;
    if (has_two_row_blocks && config.tile.n >= 128 && !access.b_along_k) registers += kTwoBlocks;
  } else {
    registers += kRegisterFedSum * sums + kRegisterFedBase;
  }
  return access.d_is_wide ? registers
                          : std::max(registers, kScalarStoreSum * sums + kScalarStoreBase);
}

/// Kernels that feed MFMA from registers, with loads on their way to shared memory in registers.
double mfma_registers(const TritonLimits& limits, const GemmOp& op, const GemmConfig& config,
                      int32_t waves_m, int32_t waves_n) {
  const RegisterFit& fit = limits.registers;
  const RegisterFit::Loop& loop = config.num_stages == 1 ? fit.one_stage : fit.more_stages;
  const OperandAccess access = operand_access(op);
  const double depth_bytes = static_cast<double>(config.tile.k) * dtype_bytes(op.dtype);
  const double side = config.amd.matrix_instr > 0 ? config.amd.matrix_instr : 16;
  const double rows = std::max(side, static_cast<double>(config.tile.m) / waves_m);
  const double columns = std::max(side, static_cast<double>(config.tile.n) / waves_n);
  const double sums = rows * columns / static_cast<double>(limits.wave_width);
  const double fragments = (rows + columns) * depth_bytes / 256;
  const double lanes = static_cast<double>(limits.wave_width * config.num_warps);
  double loads = 0;
  double transposed = 0;
  double pointers = 0;
  const auto add = [&](bool is_wide, bool along_k, int32_t tile_side) {
    const double packed = tile_side * depth_bytes / (4 * lanes);
    const double registers = is_wide ? packed : scalar_loads(limits, config, tile_side);
    loads += registers;
    if (!along_k) transposed += registers;
    pointers += wide_loads(limits, op, config, tile_side);
  };
  add(access.a_is_wide, access.a_along_k, config.tile.m);
  add(access.b_is_wide, access.b_along_k, config.tile.n);
  const double in_loop = sums + loop.load * loads +
                         fit.fragment * std::min(fragments, fit.fragment_cap) +
                         fit.transposed * transposed + fit.pointer * pointers + loop.base;
  const double in_store = loop.store * sums + loop.store_base;
  return (config.amd.waves_per_eu >= 2 ? fit.capped : 1) * std::max(in_loop, in_store);
}

/// How Triton deals the tile out to waves.
void set_wave_grid(TritonResources& resources, const TritonLimits& limits,
                   const GemmConfig& config) {
  const int32_t waves = config.num_warps;
  if (resources.feed != Feed::registers) {
    const auto groups = static_cast<int32_t>(waves / kWarpGroup);
    resources.waves_m = std::clamp(config.tile.m / 64, 1, groups);
    resources.waves_n = groups / resources.waves_m;
    return;
  }
  const bool has_mfma = limits.has_mfma;
  const int32_t side = has_mfma && config.amd.matrix_instr > 0 ? config.amd.matrix_instr : 16;
  const int32_t step_m = has_mfma ? 2 * side : 16;
  const int32_t step_n = has_mfma ? side : 16;
  const int32_t least_n = has_mfma ? side : 8;
  int32_t m = 1;
  int32_t n = 1;
  while (m * n < waves) {
    const bool prefers_m = config.tile.m / step_m / m >= config.tile.n / step_n / n;
    const bool can_m = m < config.tile.m / side;
    const bool can_n = has_mfma || n < config.tile.n / least_n;
    ((prefers_m && can_m) || !can_n ? m : n) *= 2;
  }
  if (has_mfma && n * side > config.tile.n) std::swap(m, n);
  resources.waves_m = m;
  resources.waves_n = n;
}

/// Most that the output tile takes while its layout is changed for the stores.
int64_t epilogue_bytes(const TritonLimits& limits, const GemmOp& op, const GemmConfig& config,
                       Feed feed) {
  if (limits.has_mfma) return 0;
  const bool stores_sums = config.split_k > 1 || op.dtype == DType::int8;
  const int64_t element = stores_sums ? kSumBytes : dtype_bytes(op.out_dtype);
  const int64_t bytes = int64_t{config.tile.m} * config.tile.n * element;
  if (feed == Feed::tensor_memory) return bytes / 4;
  // What would not fit is changed in two halves.
  return bytes <= limits.shared_bytes_per_group ? bytes : bytes / 2;
}

int64_t shared_bytes_of(const TritonLimits& limits, const GemmOp& op, const GemmConfig& config,
                        Feed feed) {
  const OperandAccess access = operand_access(op);
  const int64_t bytes = dtype_bytes(op.dtype);
  const int64_t a = int64_t{config.tile.m} * config.tile.k * bytes;
  const int64_t b = int64_t{config.tile.n} * config.tile.k * bytes;
  if (config.num_stages == 1 && !limits.has_async_copy) return std::max(a, b);
  const int64_t ring = feed == Feed::registers ? config.num_stages - 1 : config.num_stages;
  // An operand loaded element by element passes through registers, and has one buffer; tcgen05
  // reads it while the next one is stored. gfx950's pipeliner does not tell.
  const bool tells = !limits.has_mfma || limits.has_kpack;
  const int64_t scalar = !tells ? ring : feed == Feed::tensor_memory ? 2 : 1;
  const auto stages = [&](bool is_wide) {
    return std::max<int64_t>(1, is_wide ? ring : std::min(scalar, ring));
  };
  const int64_t barriers = feed == Feed::tensor_memory ? 16 : 0;
  const int64_t tiles = a * stages(access.a_is_wide) + b * stages(access.b_is_wide) + barriers;
  return std::max(tiles, epilogue_bytes(limits, op, config, feed));
}

int64_t tensor_columns_of(const GemmConfig& config, Feed feed) {
  if (feed != Feed::tensor_memory) return 0;
  return std::max<int64_t>(32, config.tile.n * ceil_div(config.tile.m, 128));
}

/// ptxas of CUDA 12 and 13 gives up overlapping products when it sees the sums defined twice, which
/// Triton 3.6's kernel does for these (warning C7515).
bool is_serialized(const GemmOp& op, const GemmConfig& config, Feed feed) {
  if (feed != Feed::shared_memory || config.num_warps != 8 || config.split_k != 1) return false;
  if (!operand_access(op).b_along_k || !operand_access(op).b_is_wide) return false;
  const int32_t columns = dtype_bytes(op.dtype) == 4 ? 128 : 256;
  return config.tile.n >= columns && op.dtype != DType::int8;
}

void set_occupancy(TritonResources& resources, const TritonLimits& limits,
                   const GemmConfig& config) {
  const int64_t registers = round_up(std::min(resources.registers_per_lane, limits.max_registers),
                                     limits.register_granule);
  const int64_t lanes = limits.wave_width * config.num_warps;
  const int64_t shared =
      round_up(resources.shared_bytes + limits.shared_reserved_bytes, limits.shared_granule_bytes);
  int64_t groups = std::min(limits.max_waves / config.num_warps, limits.max_groups);
  if (lanes * registers > 0)
    groups = std::min(groups, limits.registers_per_unit / (lanes * registers));
  if (shared > 0) groups = std::min(groups, limits.shared_bytes_per_unit / shared);
  if (resources.tensor_columns > 0) {
    groups = std::min(groups, limits.tensor_columns / resources.tensor_columns);
  }
  // One group runs whatever the registers: what does not fit spills.
  const bool fits = shared <= limits.shared_bytes_per_unit &&
                    config.num_warps <= limits.max_waves &&
                    resources.tensor_columns <= limits.tensor_columns;
  resources.groups_per_unit = fits ? std::max<int64_t>(1, groups) : 0;
}

void set_spills(TritonResources& resources, const TritonLimits& limits, const GemmOp& op,
                const GemmConfig& config) {
  const double sums = sums_of(limits, config);
  const double lanes = static_cast<double>(limits.wave_width * config.num_warps);
  const double limit = static_cast<double>(limits.max_registers);
  const double wanted = static_cast<double>(resources.registers_per_lane);
  constexpr double kStoreAndLoad = 2 * kSumBytes;
  double spilled = std::max(0.0, wanted - limit);
  // With nearly all registers taken by sums, ptxas moves all of them in every iteration.
  if (resources.feed == Feed::shared_memory && sums >= kSumsOnly * (limit + 1)) spilled = sums;
  resources.spill_bytes = kStoreAndLoad * lanes * spilled;
  const bool stores_spill = !operand_access(op).d_is_wide && !limits.has_mfma &&
                            resources.feed != Feed::tensor_memory &&
                            kScalarStoreSum * sums + kScalarStoreBase > limit;
  resources.spilled_columns = stores_spill ? config.tile.n : 0;
}

std::string why_wrong_tile(const GemmConfig& config) {
  const Tile& tile = config.tile;
  for (const auto& [name, side] :
       {std::pair{"BLOCK_M", tile.m}, {"BLOCK_N", tile.n}, {"BLOCK_K", tile.k}}) {
    if (!is_power_of_two(side) || side < 16 || side > 512) {
      return fmt::format("{} {}: Triton's tiles are powers of two from 16 to 512", name, side);
    }
  }
  if (!is_power_of_two(config.num_warps) || config.num_warps > 16) {
    return fmt::format("num_warps {}: a power of two from 1 to 16", config.num_warps);
  }
  if (config.num_stages < 1 || config.num_stages > 8) {
    return fmt::format("num_stages {}: from 1 to 8", config.num_stages);
  }
  if (config.group_m < 1) return fmt::format("GROUP_M {}: starts at 1", config.group_m);
  if (config.split_k < 1) return fmt::format("SPLIT_K {}: starts at 1", config.split_k);
  return "";
}

std::string why_wrong_options(const TritonModel& model, const GemmOp& op,
                              const GemmConfig& config) {
  const TritonLimits& limits = model.limits;
  const AmdOptions& amd = config.amd;
  if (!limits.has_mfma) {
    return amd == AmdOptions{} ? ""
                               : "matrix_instr, waves_per_eu and kpack are options of MFMA targets";
  }
  if (amd.matrix_instr != 0 && amd.matrix_instr != 16 && amd.matrix_instr != 32) {
    return fmt::format("matrix_instr_nonkdim {}: 16 or 32, or 0", amd.matrix_instr);
  }
  if (amd.matrix_instr > std::min(config.tile.m, config.tile.n)) {
    return fmt::format("matrix_instr_nonkdim {} is larger than the tile {}x{}", amd.matrix_instr,
                       config.tile.m, config.tile.n);
  }
  if (amd.waves_per_eu < 0 || amd.waves_per_eu > limits.max_waves / limits.num_simds) {
    return fmt::format("waves_per_eu {}: from 0 to {}", amd.waves_per_eu,
                       limits.max_waves / limits.num_simds);
  }
  if (amd.kpack != 1 && !(amd.kpack == 2 && limits.has_kpack)) {
    return fmt::format("kpack {}: {}", amd.kpack,
                       limits.has_kpack ? "1 or 2" : "this target takes 1 only");
  }
  // A packed fragment deeper than the tile reads past it: wrong results.
  if (amd.kpack == 2 && config.tile.k * dtype_bytes(op.dtype) <= 32) {
    return fmt::format("kpack 2 needs a BLOCK_K above {}", 32 / dtype_bytes(op.dtype));
  }
  return "";
}

std::string why_too_large(const TritonModel& model, const GemmOp& op, const GemmConfig& config) {
  const TritonResources resources = triton_resources(model, op, config);
  const TritonLimits& limits = model.limits;
  if (resources.shared_bytes > limits.shared_bytes_per_group) {
    return fmt::format("needs {} bytes of shared memory, a group may have {}",
                       resources.shared_bytes, limits.shared_bytes_per_group);
  }
  if (resources.tensor_columns > limits.tensor_columns) {
    return fmt::format("needs {} columns of tensor memory, a unit has {}", resources.tensor_columns,
                       limits.tensor_columns);
  }
  if (resources.groups_per_unit < 1) return "needs more waves than a unit holds";
  const int64_t lanes = limits.wave_width * config.num_warps;
  if (lanes > 1024) return fmt::format("{} lanes: a group may have 1024", lanes);
  return "";
}

}  // namespace

OperandAccess operand_access(const GemmOp& op) {
  // Triton knows of a size or stride only whether 16 divides it.
  const auto is_wide = [](int64_t leading) { return leading % 16 == 0; };
  OperandAccess access;
  access.a_along_k = op.layout == Layout::nn || op.layout == Layout::nt;
  access.b_along_k = op.layout == Layout::nt || op.layout == Layout::tt;
  access.a_is_wide = is_wide(access.a_along_k ? op.k : op.m);
  access.b_is_wide = is_wide(access.b_along_k ? op.k : op.n);
  access.d_is_wide = is_wide(op.n);
  return access;
}

TritonResources triton_resources(const TritonModel& model, const GemmOp& op,
                                 const GemmConfig& config) {
  const TritonLimits& limits = model.limits;
  TritonResources resources;
  resources.feed = feed_of(limits, op, config);
  set_wave_grid(resources, limits, config);
  const double registers =
      limits.has_mfma ? mfma_registers(limits, op, config, resources.waves_m, resources.waves_n)
                      : warp_registers(limits, op, config, resources.feed);
  resources.registers_per_lane = static_cast<int64_t>(registers);
  resources.shared_bytes = shared_bytes_of(limits, op, config, resources.feed);
  resources.tensor_columns = tensor_columns_of(config, resources.feed);
  resources.is_serialized = is_serialized(op, config, resources.feed);
  set_occupancy(resources, limits, config);
  set_spills(resources, limits, op, config);
  return resources;
}

std::string triton_why_illegal(const TritonModel& model, const GemmOp& op,
                               const GemmConfig& config) {
  if (config.kernel_template != KernelTemplate::triton) {
    return fmt::format("a configuration of template {}, not triton",
                       name_of(config.kernel_template));
  }
  if (!(model.rates.flop_per_clock[static_cast<size_t>(op.dtype)] > 0)) {
    return fmt::format("the device has no matrix unit for {}", name_of(op.dtype));
  }
  std::string why = why_wrong_tile(config);
  if (why.empty() && config.tile.k * dtype_bytes(op.dtype) < 32) {
    why = fmt::format("BLOCK_K {}: one matrix instruction takes 32 bytes along k", config.tile.k);
  }
  if (why.empty()) why = why_wrong_options(model, op, config);
  if (why.empty()) why = why_too_large(model, op, config);
  return why;
}

}  // namespace ambidex
