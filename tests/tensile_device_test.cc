// SPDX-License-Identifier: Apache-2.0
// What the Tensile model asks of a device and of a configuration.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "cost/tensile.h"

namespace ambidex {
namespace {

using ::testing::HasSubstr;

const TensileModel& mi350x() {
  static const TensileModel model = make_tensile_model(load_device("mi350x"));
  return model;
}

GemmConfig good_config() {
  GemmConfig config{.kernel_template = KernelTemplate::tensile, .tile = {256, 256, 64}};
  config.amd.matrix_instr = 16;
  config.tensile = {.wave_tile_m = 128, .wave_tile_n = 128, .stream_k = 3, .direct_to_lds = true};
  return config;
}

double seconds_of(const GemmOp& op, const GemmConfig& config) {
  double seconds = 0;
  tensile_seconds(mi350x(), tensile_prepare(mi350x(), op, std::span(&config, 1)), op, 0,
                  std::span(&seconds, 1));
  return seconds;
}

TEST(TensileDevice, says_why_a_kernel_cannot_run) {
  const GemmConfig good = good_config();
  const auto why = [&](auto change, DType dtype = DType::bf16) {
    GemmConfig config = good;
    change(config);
    const GemmOp op{.m = 64, .n = 64, .k = 64, .dtype = dtype};
    EXPECT_EQ(std::isinf(seconds_of(op, config)),
              !tensile_why_illegal(mi350x(), op, config).empty());
    return tensile_why_illegal(mi350x(), op, config);
  };
  using Config = GemmConfig;
  EXPECT_EQ(why([](Config&) {}), "");
  EXPECT_THAT(why([](Config& x) { x.kernel_template = KernelTemplate::triton; }),
              HasSubstr("template triton"));
  EXPECT_THAT(why([](Config& x) { x.tile.m = 0; }), HasSubstr("start at 1"));
  EXPECT_THAT(why([](Config&) {}, DType::tf32), HasSubstr("no matrix instructions for tf32"));
  EXPECT_THAT(why([](Config& x) { x.amd.matrix_instr = 4; }), HasSubstr("no 4x4"));
  EXPECT_THAT(why([](Config& x) { x.tile.k = 40; }), HasSubstr("no multiple of 32"));
  EXPECT_THAT(why([](Config& x) { x.split_k = 2; }), HasSubstr("Stream-K"));
  EXPECT_THAT(why([](Config& x) { x.group_m = 0; }), HasSubstr("group_m 0"));
  EXPECT_THAT(why([](Config& x) { x.tensile.wave_tile_m = 24; }), HasSubstr("wave tile 24x128"));
  EXPECT_THAT(why([](Config& x) { x.tensile.wave_tile_m = 96; }), HasSubstr("is not made of wave"));
  EXPECT_THAT(why([](Config& x) { x.num_warps = 8; }), HasSubstr("4 wave tiles, num_warps is 8"));
  EXPECT_THAT(why([](Config& x) { x.tile.k = 128; }), HasSubstr("262144 bytes of LDS"));
  EXPECT_THAT(
      why([](Config& x) { x.tensile.wave_tile_m = x.tensile.wave_tile_n = 256, x.num_warps = 1; }),
      HasSubstr("registers, and a lane may have 512"));
  EXPECT_THAT(why([](Config& x) {
                x.tensile.wave_tile_m = 16, x.tensile.wave_tile_n = 64, x.num_warps = 64;
              }),
              HasSubstr("64 waves, and a unit holds 32"));
  TensileModel crowded = mi350x();
  crowded.limits.registers_per_lane = 256;
  EXPECT_THAT(tensile_why_illegal(crowded, {}, good), HasSubstr("waves a SIMD"));
  crowded.limits.async_copy_bytes = 0;
  EXPECT_THAT(tensile_why_illegal(crowded, {}, good), HasSubstr("bypass the registers"));
}

/// The message of the Error that making a model of the changed device throws.
template <class F>
std::string failure(ErrorKind kind, F change) {
  Device device = load_device("mi350x");
  change(device);
  try {
    make_tensile_model(device);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind, kind) << error.what();
    return error.what();
  }
  return "no error";
}

TEST(TensileDevice, names_what_a_device_lacks) {
  const auto lacks = [](auto change) { return failure(ErrorKind::unsupported, change); };
  EXPECT_THAT(lacks([](Device& x) { x.calibration.clear(); }), HasSubstr("calibration.tensile"));
  EXPECT_THAT(lacks([](Device& x) { x.calibration["tensile"].constants.erase("sync_clocks"); }),
              HasSubstr("calibration.tensile.constants.sync_clocks"));
  EXPECT_THAT(lacks([](Device& x) { x.calibration["tensile"].sigma.erase("k"); }),
              HasSubstr("calibration.tensile.sigma.k"));
  EXPECT_THAT(lacks([](Device& x) { x.spec.cache.num_l2_domains.reset(); }),
              HasSubstr("spec.num_l2_domains"));
  EXPECT_THAT(lacks([](Device& x) { x.spec.compute.board_power_watts.reset(); }),
              HasSubstr("spec.board_power_watts"));
  EXPECT_THAT(lacks([](Device& x) { x.spec.compute.flop_per_second.erase(DType::bf16); }),
              HasSubstr("spec.flop_per_second.bf16"));
  EXPECT_THAT(lacks([](Device& x) { x.spec.compute.matrix_instructions.clear(); }),
              HasSubstr("spec.matrix_instructions"));
}

TEST(TensileDevice, rejects_constants_that_no_formula_reads) {
  const auto rejects = [](auto change) { return failure(ErrorKind::bad_input, change); };
  EXPECT_THAT(rejects([](Device& x) { x.calibration["tensile"].constants["synk_clocks"] = 1; }),
              HasSubstr("no constant \"synk_clocks\"; nearest: sync_clocks"));
  EXPECT_THAT(rejects([](Device& x) { x.calibration["tensile"].sigma["mem"] = 1; }),
              HasSubstr("no regime \"mem\"; nearest: memory"));
  EXPECT_THAT(rejects([](Device& x) { x.calibration["tensile"].constants["memory_ratio"] = 0; }),
              HasSubstr("memory_ratio: expected a number > 0, got 0"));
}

}  // namespace
}  // namespace ambidex
