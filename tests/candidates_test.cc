// SPDX-License-Identifier: Apache-2.0
// Candidates of ambidex/select.h: which there are, what they are called and what they need.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ambidex/select.h"

namespace ambidex {
namespace {

constexpr GemmOp kOp{.m = 8192, .n = 1024, .k = 512};

TEST(Enumerate, yields_some_hundreds_of_legal_candidates_on_every_gpu) {
  for (const char* device : {"a100", "h100", "h200", "b200", "mi300x", "mi325x", "mi350x"}) {
    const GemmModel model = make_gemm_model(load_device(device), KernelTemplate::triton);
    const std::vector<GemmConfig> configs = enumerate(model, kOp);
    EXPECT_GE(configs.size(), 200u) << device;
    EXPECT_LE(configs.size(), 600u) << device;
    for (const GemmConfig& config : configs) {
      EXPECT_EQ(why_illegal(model, kOp, config), "") << config_text(config);
    }
  }
}

TEST(Enumerate, has_candidates_for_every_type_that_a_matrix_unit_knows) {
  for (const std::string& id : device_ids()) {
    const Device device = load_device(id);
    if (!device.calibration.contains("triton")) continue;
    const GemmModel model = make_gemm_model(device, KernelTemplate::triton);
    for (const auto& [dtype, rate] : device.spec.compute.flop_per_second) {
      GemmOp op = kOp;
      op.dtype = dtype;
      op.out_dtype = default_out_dtype(dtype);
      EXPECT_GE(enumerate(model, op).size(), 100u) << id << " " << name_of(dtype);
    }
  }
}

TEST(Enumerate, lists_no_candidate_twice) {
  for (const auto kernel_template : {KernelTemplate::triton, KernelTemplate::tensile}) {
    const GemmModel model = make_gemm_model(load_device("mi350x"), kernel_template);
    const std::vector<GemmConfig> configs = enumerate(model, kOp);
    EXPECT_GE(configs.size(), 200u);
    EXPECT_LE(configs.size(), 600u);
    for (size_t i = 0; i < configs.size(); ++i) {
      for (size_t j = 0; j < i; ++j) EXPECT_FALSE(configs[i] == configs[j]) << i << " " << j;
    }
  }
}

TEST(Enumerate, reads_the_choice_of_matrix_instruction_off_the_device) {
  const auto configs_of = [](const char* device) {
    return enumerate(make_gemm_model(load_device(device), KernelTemplate::triton), kOp);
  };
  for (const GemmConfig& config : configs_of("h200")) EXPECT_TRUE(config.amd == AmdOptions{});
  for (const GemmConfig& config : configs_of("mi300x")) EXPECT_EQ(config.amd.kpack, 2);
  bool has_16 = false;
  bool has_32 = false;
  for (const GemmConfig& config : configs_of("mi350x")) {
    EXPECT_EQ(config.amd.kpack, 1);
    has_16 |= config.amd.matrix_instr == 16;
    has_32 |= config.amd.matrix_instr == 32;
  }
  EXPECT_TRUE(has_16 && has_32);
}

TEST(Enumerate, scales_the_depth_of_a_tile_with_the_type) {
  const GemmModel model = make_gemm_model(load_device("h200"), KernelTemplate::triton);
  const GemmOp fp8{.m = 4096, .n = 4096, .k = 4096, .dtype = DType::fp8_e4m3};
  for (const GemmConfig& config : enumerate(model, fp8)) EXPECT_GE(config.tile.k, 64);
}

TEST(Enumerate, has_the_hand_ordered_loops_of_large_tiles) {
  const GemmModel model = make_gemm_model(load_device("mi350x"), KernelTemplate::tensile);
  int64_t num_custom = 0;
  for (const GemmConfig& config : enumerate(model, kOp)) {
    if (!config.tensile.custom_schedule) continue;
    ++num_custom;
    EXPECT_GE(config.tile.m, 192);
    EXPECT_EQ(config.tile.k, 64);
  }
  EXPECT_GT(num_custom, 0);
  const GemmModel mi300x = make_gemm_model(load_device("mi300x"), KernelTemplate::tensile);
  for (const GemmConfig& config : enumerate(mi300x, kOp)) {
    EXPECT_FALSE(config.tensile.custom_schedule);
  }
}

TEST(Config, fields_carry_the_names_of_the_template) {
  const GemmConfig triton{.tile = {128, 64, 32}, .num_warps = 8, .split_k = 4};
  std::string names;
  for (const ConfigField& field : config_fields(triton)) names += std::string(field.name) + " ";
  EXPECT_EQ(names, "BLOCK_M BLOCK_N BLOCK_K num_warps num_stages GROUP_M SPLIT_K ");
  EXPECT_EQ(config_text(triton), "128x64x32 warps 8 stages 2 group 8 split 4");
  GemmConfig tensile{.kernel_template = KernelTemplate::tensile, .tile = {128, 64, 32}};
  EXPECT_EQ(config_fields(tensile)[0].name, "mt_m");
  EXPECT_EQ(config_fields(tensile)[0].value, 64);  // Tensile counts in column-major order
  EXPECT_TRUE(config_fields({.kernel_template = KernelTemplate::library}).empty());
}

TEST(Config, workspace_holds_the_partial_sums) {
  const GemmModel model = make_gemm_model(load_device("mi350x"), KernelTemplate::triton);
  const GemmOp op{.m = 100, .n = 10, .k = 4096, .batch = 3};
  GemmConfig config{.tile = {64, 32, 64}};
  EXPECT_EQ(workspace_bytes(model, op, config), 0);
  config.split_k = 4;
  EXPECT_EQ(workspace_bytes(model, op, config), 3 * 100 * 10 * 4);
  GemmOp f32 = op;
  f32.out_dtype = DType::f32;
  EXPECT_EQ(workspace_bytes(model, f32, config), 0);
  config.kernel_template = KernelTemplate::tensile;
  EXPECT_EQ(workspace_bytes(model, op, config), 4 * 3 * 100 * 10 * 4);
  config.split_k = 1;
  config.tensile.stream_k = 3;
  EXPECT_EQ(workspace_bytes(model, op, config), 256 * 64 * 32 * 4);
}

}  // namespace
}  // namespace ambidex
