// SPDX-License-Identifier: Apache-2.0
// Candidates. What differs between vendors is read off the device's numbers: the width of a wave,
// the shapes of the matrix instructions, the width of copies into shared memory.
#include <algorithm>
#include <array>
#include <tuple>

#include "ambidex/select.h"
#include "select/grid.h"

namespace ambidex {
namespace {

constexpr int64_t kLineBytes = 128;     // rows of a tile are cut in these: half, one, two
constexpr int64_t kLdsReadBytes = 16;   // widest read of shared memory by one lane
constexpr int64_t kWideCopyBytes = 16;  // copies as wide keep several tiles in flight
constexpr int32_t kGroupM = 8;          // rows of tiles: the best or nearly so on every device seen

/// What the grids need to know of a device and a type.
struct Facts {
  int64_t wave_width = 0;
  int64_t max_registers = 0;
  int64_t tensor_memory_bytes = 0;
  int64_t copy_bytes = 0;
  int32_t num_l2_domains = 1;
  int32_t line_elements = 0;                    // elements of the type in a cache line
  std::vector<MatrixInstruction> instructions;  // square ones of the type; may be empty
};

Facts facts_of(const Device& device, DType dtype) {
  Facts facts;
  const Spec& spec = device.spec;
  facts.wave_width = require(spec.waves.wave_width, "spec.wave_width", device);
  facts.max_registers =
      require(spec.waves.max_registers_per_lane, "spec.max_registers_per_lane", device);
  facts.tensor_memory_bytes = spec.shared_memory.tensor_memory_bytes_per_unit.value_or(0);
  facts.copy_bytes = spec.shared_memory.async_copy_bytes_per_lane.value_or(0);
  facts.num_l2_domains = static_cast<int32_t>(spec.cache.num_l2_domains.value_or(1));
  facts.line_elements = static_cast<int32_t>(kLineBytes / dtype_bytes(dtype));
  for (const MatrixInstruction& row : spec.compute.matrix_instructions) {
    if (row.dtype == dtype && row.m == row.n) facts.instructions.push_back(row);
  }
  std::sort(facts.instructions.begin(), facts.instructions.end(),
            [](const auto& a, const auto& b) { return a.m < b.m; });
  return facts;
}

/// Accumulators of one lane, of 4 bytes.
int64_t num_accumulators(const Facts& facts, const GemmConfig& config) {
  return int64_t{config.tile.m} * config.tile.n / (config.num_warps * facts.wave_width);
}

bool has_room(const Facts& facts, const GemmConfig& config) {
  const int64_t tile_bytes = int64_t{config.tile.m} * config.tile.n * 4;
  if (tile_bytes <= facts.tensor_memory_bytes) return true;
  return num_accumulators(facts, config) < facts.max_registers;
}

// Fragments that are narrower than a read of shared memory are packed in pairs.
int32_t kpack_for(const Facts& facts, const MatrixInstruction& row) {
  const int64_t fragment_bytes = row.m * row.k * dtype_bytes(row.dtype) / facts.wave_width;
  return fragment_bytes < kLdsReadBytes ? 2 : 1;
}

/// Adds `config` once for each matrix instruction that fits; as it is where the device's table
/// leaves no choice.
void add_compiled(const Facts& facts, GemmConfig config, std::vector<GemmConfig>& out) {
  if (facts.instructions.empty()) out.push_back(config);
  for (const MatrixInstruction& row : facts.instructions) {
    config.amd.kpack = kpack_for(facts, row);
    if (config.tile.m < row.m || config.tile.n < row.n) continue;
    if (config.tile.k < row.k * config.amd.kpack) continue;  // it would compute with junk
    const bool is_small = config.tile.m < 64 || config.tile.n < 64 || config.split_k > 1;
    if (is_small && &row != &facts.instructions.front()) continue;  // the finer one serves them
    config.amd.matrix_instr = static_cast<int32_t>(row.m);
    out.push_back(config);
  }
}

/// The middle of a tile's configurations has variants: split-K is for few tiles and long k, other
/// orders of the tiles are for many large ones, a cap on registers pays where accumulators leave
/// room for just under two waves.
void add_variants(const Facts& facts, const GemmConfig& config, std::vector<GemmConfig>& out) {
  const int64_t area = int64_t{config.tile.m} * config.tile.n;
  GemmConfig variant = config;
  for (const int32_t split_k : {2, 4, 8, 16}) {
    if (area > 128 * 128 || config.num_warps != 4) break;
    variant.split_k = split_k;
    add_compiled(facts, variant, out);
  }
  variant = config;
  for (const int32_t group_m : {1, 4}) {
    if (area < 128 * 128) break;
    variant.group_m = group_m;
    add_compiled(facts, variant, out);
  }
  variant = config;
  variant.amd.waves_per_eu = 2;
  const int64_t accumulators = num_accumulators(facts, config);
  const bool leaves_room =
      accumulators * 4 >= facts.max_registers && accumulators * 2 <= facts.max_registers;
  if (leaves_room && !facts.instructions.empty()) add_compiled(facts, variant, out);
}

void add_tile(const Facts& facts, Tile tile, std::vector<GemmConfig>& out) {
  const int64_t area = int64_t{tile.m} * tile.n;
  // Through registers, more than one tile ahead does not fit; narrow copies go that way.
  const bool copies_wide = facts.copy_bytes >= kWideCopyBytes;
  const int32_t middle = copies_wide ? 3 : 2;
  for (const int32_t num_warps : {4, 8}) {
    if (num_warps == 8 && area < 64 * 64) continue;
    for (const int32_t num_stages : {middle - 1, middle, middle + 1}) {
      if (num_stages > middle && !copies_wide) continue;
      const GemmConfig config{.kernel_template = KernelTemplate::triton,
                              .tile = tile,
                              .num_warps = num_warps,
                              .num_stages = num_stages,
                              .group_m = kGroupM};
      if (!has_room(facts, config)) continue;
      add_compiled(facts, config, out);
      const bool is_middle = tile.k == facts.line_elements && num_stages == middle;
      if (is_middle) add_variants(facts, config, out);
    }
  }
}

std::vector<GemmConfig> triton_grid(const Facts& facts) {
  std::vector<GemmConfig> out;
  for (const int32_t m : {16, 32, 64, 128, 256}) {
    for (const int32_t n : {16, 32, 64, 128, 256}) {
      if (n == 16 && m != 64 && m != 128) continue;  // for the narrow last layer of a tower
      for (const int32_t k :
           {facts.line_elements / 2, facts.line_elements, facts.line_elements * 2}) {
        add_tile(facts, {m, n, k}, out);
      }
    }
  }
  return out;
}

// hipBLASLt's hand-ordered loops: the tuning runs of MI350X have them for these kernels.
bool has_custom_schedule(const Facts& facts, const GemmConfig& config) {
  const Tile& tile = config.tile;
  const bool is_square =
      config.tensile.wave_tile_m * 2 == tile.m && config.tensile.wave_tile_n * 2 == tile.n;
  const bool is_large = std::min(tile.m, tile.n) >= 192 && std::max(tile.m, tile.n) == 256;
  const bool is_finest = config.amd.matrix_instr == facts.instructions.front().m;
  return config.tensile.direct_to_lds && is_square && is_large && is_finest &&
         tile.k == facts.line_elements;
}

/// Four waves in a row, a square or a column, as far as the tile divides.
void add_wave_grid(const Facts& facts, GemmConfig config, const MatrixInstruction& row,
                   std::vector<GemmConfig>& out) {
  for (const int32_t waves_m : {2, 4, 1}) {
    const int64_t waves_n = 4 / waves_m;
    if (config.tile.m % (waves_m * row.m) != 0 || config.tile.n % (waves_n * row.n) != 0) continue;
    config.tensile.wave_tile_m = config.tile.m / waves_m;
    config.tensile.wave_tile_n = static_cast<int32_t>(config.tile.n / waves_n);
    for (const int32_t stream_k : {0, 3}) {
      config.tensile.stream_k = stream_k;
      config.tensile.custom_schedule = false;
      if (!has_room(facts, config)) continue;
      out.push_back(config);
      config.tensile.custom_schedule = has_custom_schedule(facts, config);
      if (config.tensile.custom_schedule) out.push_back(config);
    }
    return;
  }
}

std::vector<GemmConfig> tensile_grid(const Facts& facts) {
  std::vector<GemmConfig> out;
  constexpr std::array<int32_t, 9> kSides{16, 32, 64, 96, 128, 160, 192, 224, 256};
  GemmConfig config{.kernel_template = KernelTemplate::tensile, .num_warps = 4, .group_m = kGroupM};
  config.tensile.xcc_mapping = facts.num_l2_domains;
  config.tensile.transpose_lds = true;
  for (const int32_t m : kSides) {
    for (const int32_t n : kSides) {
      if (m > 8 * n || n > 8 * m) continue;
      for (const int32_t k : {facts.line_elements / 2, facts.line_elements}) {
        config.tile = {m, n, k};
        for (const MatrixInstruction& row : facts.instructions) {
          config.amd.matrix_instr = static_cast<int32_t>(row.m);
          config.tensile.direct_to_lds = facts.copy_bytes >= kWideCopyBytes;
          add_wave_grid(facts, config, row, out);
        }
      }
    }
  }
  return out;
}

auto order_of(const GemmConfig& x) {
  return std::tuple(x.tile.m, x.tile.n, x.tile.k, x.num_warps, x.num_stages, x.split_k, -x.group_m,
                    x.amd.matrix_instr, x.amd.waves_per_eu, x.tensile.wave_tile_m,
                    x.tensile.stream_k, x.tensile.custom_schedule);
}

/// Where the target's compiler does not take packed fragments, they are left unpacked.
void unpack_where_needed(const GemmModel& model, const GemmOp& op,
                         std::vector<GemmConfig>& configs) {
  for (GemmConfig& config : configs) {
    if (config.amd.kpack == 1 || why_illegal(model, op, config).empty()) continue;
    GemmConfig unpacked = config;
    unpacked.amd.kpack = 1;
    if (why_illegal(model, op, unpacked).empty()) config = unpacked;
  }
}

// A large size that is as well aligned as `size`.
int64_t enlarged(int64_t size) {
  constexpr int64_t kLarge = 8192;
  const int64_t divisor = power_of_two_divisor(size, kLarge);
  return divisor == kLarge ? kLarge : kLarge + divisor;
}

}  // namespace

std::vector<GemmConfig> grid(const GemmModel& model, const GemmOp& op) {
  const KernelTemplate kernel_template = template_of(model);
  if (kernel_template == KernelTemplate::library) {
    return {{.kernel_template = KernelTemplate::library}};
  }
  const Facts facts = facts_of(device_of(model), op.dtype);
  std::vector<GemmConfig> configs =
      kernel_template == KernelTemplate::triton ? triton_grid(facts) : tensile_grid(facts);
  unpack_where_needed(model, op, configs);
  std::sort(configs.begin(), configs.end(),
            [](const auto& a, const auto& b) { return order_of(a) < order_of(b); });
  return configs;
}

std::vector<GemmConfig> without_hopeless(const GemmModel& model, const GemmOp& op,
                                         std::vector<GemmConfig> configs) {
  GemmOp large = op;
  large.m = enlarged(op.m);
  large.n = enlarged(op.n);
  large.k = enlarged(op.k);
  large.batch = 1;
  std::erase_if(configs,
                [&](const auto& config) { return !why_illegal(model, large, config).empty(); });
  return configs;
}

std::vector<GemmConfig> enumerate(const GemmModel& model, const GemmOp& op) {
  validate(op);
  std::vector<GemmConfig> configs = grid(model, op);
  std::erase_if(configs,
                [&](const auto& config) { return !why_illegal(model, op, config).empty(); });
  return configs;
}

}  // namespace ambidex
