// SPDX-License-Identifier: Apache-2.0
// The Triton model against the compiler, against itself in vector form, and against laws.
#include "cost/triton.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>
#include <fstream>
#include <random>
#include <sstream>

#include "ambidex/cost.h"

namespace ambidex {
namespace {

using testing::HasSubstr;

const std::vector<std::string> kDevices{"a100", "h200", "b200", "mi300x", "mi350x"};

/// Powers of two, so that tiles, warps and splits are as people write them.
class Draw {
 public:
  explicit Draw(uint64_t seed) : engine_(seed) {}
  int64_t below(int64_t bound) {
    return std::uniform_int_distribution<int64_t>(0, bound - 1)(engine_);
  }
  int32_t power(int32_t low, int32_t high) {
    int32_t value = low;
    for (int64_t steps = below(8); steps > 0 && value < high; --steps) value *= 2;
    return value;
  }
  GemmConfig config(const GemmModel& model) {
    GemmConfig config{.tile = {power(16, 256), power(16, 256), power(32, 128)},
                      .num_warps = power(4, 8),
                      .num_stages = static_cast<int32_t>(1 + below(4)),
                      .group_m = power(1, 16),
                      .split_k = power(1, 4)};
    if (device_of(model).spec.waves.wave_width == 64) {
      config.amd = {.matrix_instr = 16, .waves_per_eu = 0, .kpack = 1};
    }
    return config;
  }
  GemmOp op() {
    GemmOp op{.m = 16 * (1 + below(400)), .n = 16 * (1 + below(200)), .k = 16 * (1 + below(400))};
    op.layout = static_cast<Layout>(below(4));
    op.batch = 1 + below(3);
    op.cold = below(2) == 1;
    op.epilogue.residual = below(4) == 0;
    if (below(8) == 0) op.m += 1 + below(14);
    if (below(8) == 0) op.n += 1 + below(14);
    if (below(8) == 0) op.k += 1 + below(14);
    return op;
  }

 private:
  std::mt19937_64 engine_;
};

GemmModel triton_model(const std::string& device) {
  return make_gemm_model(load_device(device), KernelTemplate::triton);
}

TEST(Triton, vector_and_scalar_code_give_the_same_bits) {
  Draw draw(1);
  for (const std::string& device : kDevices) {
    const GemmModel model = triton_model(device);
    for (int round = 0; round < 40; ++round) {
      const GemmOp op = draw.op();
      std::vector<GemmConfig> configs;
      for (int i = 0; i < 13; ++i) configs.push_back(draw.config(model));
      std::vector<double> seconds(configs.size());
      gemm_seconds(model, prepare(model, op, configs), op, 0, seconds);
      for (size_t i = 0; i < configs.size(); ++i) {
        if (!why_illegal(model, op, configs[i]).empty()) {
          EXPECT_EQ(seconds[i], std::numeric_limits<double>::infinity());
          continue;
        }
        const Estimate estimate = gemm_estimate(model, op, configs[i]);
        EXPECT_EQ(estimate.seconds, seconds[i]) << device;
        EXPECT_TRUE(std::isfinite(estimate.seconds));
        EXPECT_LT(estimate.low_seconds, estimate.seconds);
        EXPECT_GT(estimate.high_seconds, estimate.seconds);
      }
    }
  }
}

/// From one whole tile on: below, loads wrap around, and a narrower matrix really is slower
/// (docs/gemm-triton.md).
void make_whole(GemmOp& op, const GemmConfig& config) {
  op.m = std::max<int64_t>(op.m / 16 * 16, config.tile.m);
  op.n = std::max<int64_t>(op.n / 16 * 16, config.tile.n);
  op.k = op.k / 16 * 16 + 16;
}

TEST(Triton, a_larger_size_of_equal_alignment_is_never_faster) {
  Draw draw(2);
  for (const std::string& device : kDevices) {
    const GemmModel model = triton_model(device);
    for (int round = 0; round < 1500; ++round) {
      GemmOp op = draw.op();
      const GemmConfig config = draw.config(model);
      make_whole(op, config);
      if (!why_illegal(model, op, config).empty()) continue;
      for (int64_t GemmOp::*const size : {&GemmOp::m, &GemmOp::n, &GemmOp::k}) {
        GemmOp larger = op;
        larger.*size += 16 * (1 + draw.below(64));
        const double before = gemm_estimate(model, op, config).seconds;
        const double after = gemm_estimate(model, larger, config).seconds;
        EXPECT_GE(after, before * (1 - 1e-12)) << fmt::format(
            "{} {}x{}x{} -> {}x{}x{} tile {}x{}x{} warps {} stages {} split {} {}", device, op.m,
            op.n, op.k, larger.m, larger.n, larger.k, config.tile.m, config.tile.n, config.tile.k,
            config.num_warps, config.num_stages, config.split_k, name_of(op.layout));
      }
    }
  }
}

TEST(Triton, no_time_is_below_the_roofline) {
  Draw draw(3);
  for (const std::string& device : kDevices) {
    const GemmModel model = triton_model(device);
    const Spec& spec = device_of(model).spec;
    for (int round = 0; round < 1000; ++round) {
      const GemmOp op = draw.op();
      const GemmConfig config = draw.config(model);
      if (!why_illegal(model, op, config).empty()) continue;
      // The highest clock may be above the one that the peak rates assume.
      const double clock =
          std::max(spec.compute.clock_hz.value_or(0), *spec.compute.peak_rate_clock_hz);
      const double rate =
          spec.compute.flop_per_second.at(op.dtype) * clock / *spec.compute.peak_rate_clock_hz;
      const double seconds = gemm_estimate(model, op, config).seconds;
      EXPECT_GE(seconds, gemm_flop(op) / rate * (1 - 1e-12));
      if (op.cold) {
        EXPECT_GE(seconds, gemm_compulsory_bytes(op) / *spec.memory.memory_bytes_per_second);
      }
    }
  }
}

TEST(Triton, fewer_units_are_never_faster) {
  Draw draw(4);
  const GemmModel model = triton_model("h200");
  for (int round = 0; round < 500; ++round) {
    const GemmOp op = draw.op();
    const GemmConfig config = draw.config(model);
    if (!why_illegal(model, op, config).empty()) continue;
    EXPECT_GE(gemm_estimate(model, op, config, 66).seconds * (1 + 1e-12),
              gemm_estimate(model, op, config).seconds);
  }
}

TEST(Triton, the_order_of_candidates_does_not_move_a_time) {
  Draw draw(5);
  const GemmModel model = triton_model("mi350x");
  const GemmOp op{.m = 4096, .n = 1024, .k = 2048};
  std::vector<GemmConfig> configs;
  for (int i = 0; i < 50; ++i) configs.push_back(draw.config(model));
  std::vector<double> forward(50);
  gemm_seconds(model, prepare(model, op, configs), op, 0, forward);
  std::reverse(configs.begin(), configs.end());
  std::vector<double> backward(50);
  gemm_seconds(model, prepare(model, op, configs), op, 0, backward);
  std::reverse(backward.begin(), backward.end());
  EXPECT_EQ(forward, backward);
}

TEST(Triton, residual_and_cold_operands_cost_time) {
  const GemmModel model = triton_model("h200");
  const GemmConfig config{.tile = {128, 128, 64}, .num_warps = 8, .num_stages = 3};
  const GemmOp op{.m = 8192, .n = 1024, .k = 512};
  GemmOp residual = op;
  residual.epilogue.residual = true;
  GemmOp cold = op;
  cold.cold = true;
  EXPECT_GT(gemm_estimate(model, residual, config).seconds,
            gemm_estimate(model, op, config).seconds);
  EXPECT_GT(gemm_estimate(model, cold, config).seconds, gemm_estimate(model, op, config).seconds);
}

/// A row of tests/data/triton_resources.csv: what Triton 3.6.0 compiled.
struct Compiled {
  std::string device;
  GemmOp op;
  GemmConfig config;
  int64_t registers = 0;
  int64_t shared_bytes = 0;
  int64_t tensor_columns = 0;
};

std::vector<Compiled> compiled_rows() {
  std::ifstream file(std::string(AMBIDEX_SOURCE_DIR) + "/tests/data/triton_resources.csv");
  std::string line;
  std::getline(file, line);
  std::vector<Compiled> rows;
  while (std::getline(file, line)) {
    std::istringstream cells(line);
    std::vector<std::string> cell;
    for (std::string text; std::getline(cells, text, ',');) cell.push_back(text);
    const auto number = [&](size_t i) { return static_cast<int32_t>(std::stol(cell[i])); };
    Compiled row{.device = cell[0]};
    const int32_t aligned = number(2);  // bits: 1 m, 2 n, 4 k
    row.op = {.m = (aligned & 1) != 0 ? 4096 : 4099,
              .n = (aligned & 2) != 0 ? 4096 : 4099,
              .k = (aligned & 4) != 0 ? 4096 : 4099,
              .layout = layout_from_name(cell[1])};
    row.config = {.tile = {number(3), number(4), number(5)},
                  .num_warps = number(6),
                  .num_stages = number(7),
                  .split_k = number(8),
                  .amd = {number(9), number(11), number(10)}};
    row.registers = number(12);
    row.shared_bytes = number(13);
    row.tensor_columns = number(14);
    rows.push_back(row);
  }
  return rows;
}

int64_t groups_with(const TritonModel& model, const Compiled& row) {
  const TritonLimits& limits = model.limits;
  const int64_t granule = limits.register_granule;
  const int64_t registers = (row.registers + granule - 1) / granule * granule;
  const int64_t lanes = limits.wave_width * row.config.num_warps;
  const int64_t shared = std::max<int64_t>(1, row.shared_bytes + limits.shared_reserved_bytes);
  return std::max<int64_t>(
      1, std::min({limits.registers_per_unit / (lanes * registers),
                   limits.shared_bytes_per_unit / shared, limits.max_waves / row.config.num_warps,
                   row.tensor_columns > 0 ? limits.tensor_columns / row.tensor_columns
                                          : limits.max_groups}));
}

struct Agreement {
  int num_rows = 0;
  int num_shared = 0;  // shared memory right to the byte
  int num_tensor = 0;
  int num_groups = 0;  // resident groups right
  int num_close = 0;   // or off by one
};

std::map<std::string, Agreement> agreement_by_device() {
  std::map<std::string, Agreement> agreement;
  std::map<std::string, TritonModel> models;
  for (const Compiled& row : compiled_rows()) {
    const auto model =
        models.try_emplace(row.device, make_triton_model(load_device(row.device))).first->second;
    const TritonResources got = triton_resources(model, row.op, row.config);
    Agreement& device = agreement[row.device];
    ++device.num_rows;
    device.num_shared += got.shared_bytes == row.shared_bytes ? 1 : 0;
    device.num_tensor += got.tensor_columns == row.tensor_columns ? 1 : 0;
    const int64_t off = std::abs(got.groups_per_unit - groups_with(model, row));
    device.num_groups += off == 0 ? 1 : 0;
    device.num_close += off <= 1 ? 1 : 0;
  }
  return agreement;
}

TEST(Triton, resources_are_what_the_compiler_emits) {
  const std::map<std::string, Agreement> agreement = agreement_by_device();
  ASSERT_EQ(agreement.size(), 4U);
  for (const auto& [device, count] : agreement) {
    SCOPED_TRACE(device);
    const double rows = count.num_rows;
    RecordProperty(device + "_groups_right", fmt::format("{:.3f}", count.num_groups / rows));
    EXPECT_GE(count.num_shared / rows, 0.98);
    EXPECT_GE(count.num_tensor / rows, 0.98);
    EXPECT_GE(count.num_groups / rows, 0.82);
    EXPECT_GE(count.num_close / rows, 0.95);
  }
}

TEST(Triton, says_why_a_configuration_is_illegal) {
  const GemmModel model = triton_model("h200");
  const GemmOp op{.m = 4096, .n = 4096, .k = 4096};
  const auto why = [&](const GemmConfig& config) { return why_illegal(model, op, config); };
  EXPECT_THAT(why({.tile = {256, 256, 128}, .num_warps = 8, .num_stages = 4}),
              HasSubstr("needs 524288 bytes of shared memory, a group may have 232448"));
  EXPECT_THAT(why({.tile = {96, 128, 64}}), HasSubstr("BLOCK_M 96: Triton's tiles are powers"));
  EXPECT_THAT(why({.tile = {128, 128, 64}, .num_warps = 3}), HasSubstr("num_warps 3"));
  EXPECT_THAT(why({.tile = {128, 128, 64}, .num_stages = 9}), HasSubstr("num_stages 9"));
  EXPECT_THAT(why({.tile = {128, 128, 64}, .group_m = 0}), HasSubstr("GROUP_M 0"));
  EXPECT_THAT(why({.tile = {128, 128, 64}, .split_k = 0}), HasSubstr("SPLIT_K 0"));
  EXPECT_THAT(why({.tile = {128, 128, 64}, .amd = {.matrix_instr = 16}}),
              HasSubstr("are options of MFMA targets"));
  EXPECT_THAT(why({.kernel_template = KernelTemplate::tensile, .tile = {128, 128, 64}}),
              HasSubstr("a configuration of template tensile, not triton"));
  EXPECT_EQ(why({.tile = {128, 128, 64}, .num_warps = 8, .num_stages = 3}), "");
  const GemmModel amd = triton_model("mi350x");
  EXPECT_THAT(
      why_illegal(amd, op, {.tile = {128, 128, 64}, .amd = {.matrix_instr = 16, .kpack = 2}}),
      HasSubstr("kpack 2: this target takes 1 only"));
  GemmOp tf32 = op;
  tf32.dtype = DType::tf32;
  EXPECT_THAT(why_illegal(amd, tf32, {.tile = {64, 64, 32}}),
              HasSubstr("the device has no matrix unit for tf32"));
}

TEST(Triton, a_device_without_a_needed_field_is_named_with_it) {
  const auto message = [](Device device) -> std::string {
    try {
      make_gemm_model(device, KernelTemplate::triton);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  Device device = load_device("h200");
  device.spec.cache.l2_bytes.reset();
  EXPECT_THAT(message(device), HasSubstr("spec.l2_bytes"));
  device = load_device("h200");
  device.calibration.erase("triton");
  EXPECT_THAT(message(device), HasSubstr("device h200 has no calibration.triton"));
  device = load_device("h200");
  device.calibration.at("triton").constants["launch_second"] = 1;
  EXPECT_THAT(message(device), HasSubstr("no constant \"launch_second\"; nearest: launch_seconds"));
  device = load_device("h200");
  device.calibration.at("triton").constants["launch_seconds"] = -1;
  EXPECT_THAT(message(device), HasSubstr("launch_seconds: expected a number > 0, got -1"));
  device = load_device("h200");
  device.calibration.at("triton").constants["matrix_ratio"] = 1e-300;
  EXPECT_THAT(message(device), HasSubstr("matrix_ratio: expected a number from 1e-18 to 1e+18"));
  device = load_device("h200");
  device.calibration.at("triton").sigma["k"] = -1;
  EXPECT_THAT(message(device), HasSubstr("sigma.k: expected a number > 0, at most 3, got -1"));
  device = load_device("h200");
  device.calibration.at("triton").constants.erase("tail_drift");
  EXPECT_THAT(message(device), HasSubstr("calibration.triton.constants.tail_drift"));
  device = load_device("h200");
  device.calibration.at("triton").sigma.erase("k");
  EXPECT_THAT(message(device), HasSubstr("calibration.triton.sigma.k"));
  EXPECT_THAT(message(load_device("mtia300")), HasSubstr("mtia300"));
}

TEST(Triton, more_units_than_the_device_has_are_all_of_them) {
  const GemmConfig config{.tile = {128, 128, 64}, .num_warps = 8, .num_stages = 3};
  const GemmOp op{.m = 8192, .n = 1024, .k = 512};
  const GemmModel model = make_gemm_model(load_device("h200"), KernelTemplate::triton);
  const Estimate all = gemm_estimate(model, op, config);
  EXPECT_EQ(gemm_estimate(model, op, config, 1000).seconds, all.seconds);
  EXPECT_GT(gemm_estimate(model, op, config, 66).seconds, all.seconds);
}

}  // namespace
}  // namespace ambidex
