// SPDX-License-Identifier: Apache-2.0
// Configurations as words and what they need of memory.
#include <fmt/format.h>

#include "ambidex/select.h"

namespace ambidex {
namespace {

std::vector<ConfigField> triton_fields(const GemmConfig& config) {
  std::vector<ConfigField> fields{
      {"BLOCK_M", config.tile.m},        {"BLOCK_N", config.tile.n},
      {"BLOCK_K", config.tile.k},        {"num_warps", config.num_warps},
      {"num_stages", config.num_stages}, {"GROUP_M", config.group_m},
      {"SPLIT_K", config.split_k},
  };
  if (config.amd != AmdOptions{}) {
    fields.push_back({"matrix_instr_nonkdim", config.amd.matrix_instr});
    fields.push_back({"waves_per_eu", config.amd.waves_per_eu});
    fields.push_back({"kpack", config.amd.kpack});
  }
  return fields;
}

// Tensile's names, in lower case, and its sides: column-major, so its M is our n.
std::vector<ConfigField> tensile_fields(const GemmConfig& config) {
  const TensileOptions& tensile = config.tensile;
  const TensileHints& hints = tensile.hints;
  return {
      {"mt_m", config.tile.n},
      {"mt_n", config.tile.m},
      {"mt_k", config.tile.k},
      {"mi", config.amd.matrix_instr},
      {"wave_tile_m", tensile.wave_tile_n},
      {"wave_tile_n", tensile.wave_tile_m},
      {"num_waves", config.num_warps},
      {"streamk", tensile.stream_k},
      {"gsu", config.split_k},
      {"wgm", config.group_m},
      {"wgmxcc", tensile.xcc_mapping},
      {"cms", tensile.custom_schedule},
      {"direct_to_lds", tensile.direct_to_lds},
      {"transpose_lds", tensile.transpose_lds},
      {"staggeru", hints.stagger_u},
      {"staggerustride", hints.stagger_u_stride},
      {"ntb", hints.non_temporal_a},
      {"ntd", hints.non_temporal_store},
      {"cluster_local_read", hints.cluster_local_read},
      {"one_lds_buffer", hints.single_lds_buffer},
  };
}

std::string triton_text(const GemmConfig& config) {
  std::string out = fmt::format("warps {} stages {} group {}", config.num_warps, config.num_stages,
                                config.group_m);
  if (config.split_k > 1) out += fmt::format(" split {}", config.split_k);
  if (config.amd.matrix_instr != 0) out += fmt::format(" mfma {}", config.amd.matrix_instr);
  if (config.amd.waves_per_eu != 0) out += fmt::format(" waves {}", config.amd.waves_per_eu);
  if (config.amd.kpack != 1) out += fmt::format(" kpack {}", config.amd.kpack);
  return out;
}

std::string tensile_text(const GemmConfig& config) {
  const TensileOptions& tensile = config.tensile;
  std::string out =
      fmt::format("mfma {} wave {}x{} wgm {} xcc {}", config.amd.matrix_instr, tensile.wave_tile_m,
                  tensile.wave_tile_n, config.group_m, tensile.xcc_mapping);
  if (config.split_k > 1) out += fmt::format(" gsu {}", config.split_k);
  if (tensile.stream_k != 0) out += fmt::format(" stream-k {}", tensile.stream_k);
  if (tensile.custom_schedule) out += " cms";
  if (tensile.direct_to_lds) out += " dtl";
  return out;
}

}  // namespace

std::vector<ConfigField> config_fields(const GemmConfig& config) {
  if (config.kernel_template == KernelTemplate::triton) return triton_fields(config);
  if (config.kernel_template == KernelTemplate::tensile) return tensile_fields(config);
  return {};
}

std::string config_text(const GemmConfig& config) {
  if (config.kernel_template == KernelTemplate::library) return "library";
  const bool is_triton = config.kernel_template == KernelTemplate::triton;
  return fmt::format("{}x{}x{} {}", config.tile.m, config.tile.n, config.tile.k,
                     is_triton ? triton_text(config) : tensile_text(config));
}

DType default_out_dtype(DType dtype) { return dtype_bytes(dtype) == 1 ? DType::bf16 : dtype; }

int64_t workspace_bytes(const GemmModel& model, const GemmOp& op, const GemmConfig& config) {
  constexpr int64_t kSumBytes = 4;  // partial sums are f32
  if (config.kernel_template == KernelTemplate::library) return 0;
  if (config.tensile.stream_k != 0) {  // at most one unfinished tile of every unit
    const Device& device = device_of(model);
    return require(device.spec.compute.num_compute_units, "spec.num_compute_units", device) *
           config.tile.m * config.tile.n * kSumBytes;
  }
  if (config.split_k == 1) return 0;
  const int64_t num_outputs = op.batch * op.m * op.n;
  if (config.kernel_template == KernelTemplate::tensile) {
    return config.split_k * num_outputs * kSumBytes;  // one copy each, added up in order
  }
  return op.out_dtype == DType::f32 ? 0 : num_outputs * kSumBytes;
}

}  // namespace ambidex
