// SPDX-License-Identifier: Apache-2.0
#include "cost/tensile.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <sstream>
#include <string>
#include <vector>

namespace ambidex {
namespace {

const TensileModel& mi350x() {
  static const TensileModel model = make_tensile_model(load_device("mi350x"));
  return model;
}

/// A kernel as Tensile's files name it, column-major.
struct Kernel {
  int32_t mt_m, mt_n, mt_k, mi;
  int32_t cms, wgmxcc, direct_to_lds, transpose_lds;
  int32_t miwt_m, miwt_n;
  int32_t non_temporal = 0;
  int32_t wgm = 8;
  int32_t streamk = 3;
};

GemmConfig config_of(const Kernel& kernel) {
  GemmConfig config{.kernel_template = KernelTemplate::tensile,
                    .tile = {kernel.mt_n, kernel.mt_m, kernel.mt_k},
                    .num_warps = 4,
                    .group_m = kernel.wgm};
  config.amd.matrix_instr = kernel.mi;
  config.tensile = {.wave_tile_m = kernel.miwt_n * kernel.mi,
                    .wave_tile_n = kernel.miwt_m * kernel.mi,
                    .stream_k = kernel.streamk,
                    .xcc_mapping = kernel.wgmxcc,
                    .custom_schedule = kernel.cms != 0,
                    .direct_to_lds = kernel.direct_to_lds != 0,
                    .transpose_lds = kernel.transpose_lds != 0};
  config.tensile.hints.non_temporal_store = kernel.non_temporal != 0;
  return config;
}

// Every tile in four waves, two by two, with all that makes a kernel fast.
GemmConfig square_config(int32_t tile_m, int32_t tile_n, int32_t group_m = 8) {
  return config_of({tile_n, tile_m, 64, 16, 1, 8, 1, 1, tile_n / 32, tile_m / 32, 1, group_m});
}

double seconds_of(const TensileModel& model, const GemmOp& op, const GemmConfig& config,
                  int64_t num_units = 0) {
  const TensilePrepared prepared = tensile_prepare(model, op, std::span(&config, 1));
  double seconds = 0;
  tensile_seconds(model, prepared, op, num_units, std::span(&seconds, 1));
  return seconds;
}

double tflops(const TensileModel& model, const GemmOp& op, const GemmConfig& config) {
  return gemm_flop(op) / seconds_of(model, op, config) / 1e12;
}

// Drawn from all that the model tells apart; some are illegal.
GemmConfig random_config(std::mt19937& random) {
  const auto pick = [&](std::vector<int32_t> values) { return values[random() % values.size()]; };
  Kernel kernel{};
  kernel.mi = pick({16, 32});
  const int32_t waves_m = pick({1, 2, 4});
  kernel.miwt_m = pick({1, 2, 3, 4, 7, 8, 16});
  kernel.miwt_n = pick({1, 2, 3, 4, 7, 8, 16});
  kernel.mt_m = kernel.miwt_m * kernel.mi * waves_m;
  kernel.mt_n = kernel.miwt_n * kernel.mi * (4 / waves_m);
  kernel.mt_k = pick({32, 64, 128});
  kernel.cms = pick({0, 1}), kernel.wgmxcc = pick({1, 8});
  kernel.direct_to_lds = pick({0, 1}), kernel.transpose_lds = pick({0, 1});
  kernel.non_temporal = pick({0, 1}), kernel.wgm = pick({1, 2, 4, 8, 16, 32, 64});
  kernel.streamk = pick({0, 3});
  return config_of(kernel);
}

std::vector<GemmConfig> random_legal_configs(const GemmOp& op, int count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<GemmConfig> configs;
  while (std::ssize(configs) < count) {
    const GemmConfig config = random_config(random);
    if (tensile_why_illegal(mi350x(), op, config).empty()) configs.push_back(config);
  }
  return configs;
}

GemmOp random_op(std::mt19937& random) {
  const std::vector<int64_t> sizes{1, 16, 100, 256, 512, 1000, 2048, 4096, 10944, 28672};
  const auto size = [&] { return sizes[random() % sizes.size()]; };
  GemmOp op{.m = size(), .n = size(), .k = size()};
  op.batch = random() % 4 == 0 ? 24 : 1;
  op.layout = static_cast<Layout>(random() % 4);
  op.cold = random() % 2 == 0;
  op.epilogue = {.bias = random() % 2 == 0,
                 .relu = random() % 2 == 0,
                 .residual = random() % 2 == 0,
                 .bias_gradient = random() % 2 == 0};
  return op;
}

// From an independent implementation in Python, written in column-major from the formulas.
constexpr const char* kVectors = R"(
layout M N K mt_m mt_n mt_k mi cms xcc dtl tl miwt_m miwt_n ntd wgm sk batch cold res units us
NN 10944 4096 2048 256 192 32 16 0 1 0 1 16 3 0 8 3 1 1 0 0 288.0655725
NN 53248 8192 16384 256 224 64 16 0 8 1 0 8 7 0 8 3 1 1 0 0 15801.58307
TN 11008 4096 4096 192 256 32 32 0 1 1 1 6 2 1 8 3 1 1 0 0 454.9036683
TN 1024 8192 4096 256 256 64 16 1 8 1 1 8 8 0 8 3 1 1 0 0 87.32343615
NT 8192 3584 1024 128 176 64 16 0 8 1 1 2 11 1 4 3 1 1 0 0 220.0028309
TT 4096 4096 4096 128 128 64 32 0 1 0 1 2 2 0 32 3 1 1 0 0 229.6395696
NT 512 640 8192 256 64 32 16 0 1 0 0 16 1 0 8 0 1 1 0 0 191.9519238
NN 1000 700 900 64 96 64 16 0 8 1 1 2 3 0 8 3 16 1 0 0 71.32952429
TN 8192 1024 2048 256 128 64 16 0 8 1 1 8 4 0 8 3 1 0 1 0 52.73366095
TN 8192 8192 8192 256 256 64 16 1 8 1 1 8 8 0 8 3 1 1 0 200 1221.866421
NN 64 64 65536 64 64 64 16 0 8 1 1 2 2 1 8 3 1 0 0 4 122.6427166)";

TEST(Tensile, agrees_with_an_independent_implementation) {
  std::istringstream lines(kVectors);
  std::string header;
  std::getline(lines >> std::ws, header);
  std::string layout;
  int num_vectors = 0;
  while (lines >> layout) {
    GemmOp op;
    Kernel x{};
    int64_t num_units = 0;
    double microseconds = 0;
    lines >> op.m >> op.n >> op.k >> x.mt_m >> x.mt_n >> x.mt_k >> x.mi >> x.cms >> x.wgmxcc >>
        x.direct_to_lds >> x.transpose_lds >> x.miwt_m >> x.miwt_n >> x.non_temporal >> x.wgm >>
        x.streamk >> op.batch >> op.cold >> op.epilogue.residual >> num_units >> microseconds;
    op.layout = layout_from_name(layout);
    op = from_column_major(op);
    ASSERT_EQ(tensile_why_illegal(mi350x(), op, config_of(x)), "");
    EXPECT_NEAR(seconds_of(mi350x(), op, config_of(x), num_units) * 1e6 / microseconds, 1, 1e-8)
        << "vector " << num_vectors;
    ++num_vectors;
  }
  EXPECT_EQ(num_vectors, 11);
}

TEST(Tensile, an_estimate_has_the_bits_of_the_ranking) {
  std::mt19937 random(1);
  for (int i = 0; i < 200; ++i) {
    const GemmOp op = random_op(random);
    const int64_t num_units = random() % 3 == 0 ? 1 + static_cast<int64_t>(random() % 300) : 0;
    const std::vector<GemmConfig> configs = random_legal_configs(op, 23, random());
    const TensilePrepared prepared = tensile_prepare(mi350x(), op, configs);
    std::vector<double> seconds(configs.size());
    tensile_seconds(mi350x(), prepared, op, num_units, seconds);
    for (size_t c = 0; c < configs.size(); ++c) {
      const Estimate estimate = tensile_estimate(mi350x(), op, configs[c], num_units);
      ASSERT_EQ(estimate.seconds, seconds[c]);
      ASSERT_TRUE(std::isfinite(estimate.seconds));
      ASSERT_LT(estimate.low_seconds, estimate.seconds);
      ASSERT_GT(estimate.high_seconds, estimate.seconds);
      ASSERT_LE(estimate.useful_ratio, 1);
      for (const double term : estimate.term_seconds) {
        ASSERT_GE(term, 0);
        ASSERT_LE(term, estimate.seconds * (1 + 1e-9));
      }
    }
  }
}

TEST(Tensile, a_longer_side_is_never_faster_at_equal_alignment) {
  std::mt19937 random(2);
  const std::vector<GemmConfig> configs = random_legal_configs({}, 400, 3);
  for (int i = 0; i < 60; ++i) {
    GemmOp op = random_op(random);
    op.m = (op.m + 255) / 256 * 256, op.n = (op.n + 255) / 256 * 256,
    op.k = (op.k + 255) / 256 * 256;
    const TensilePrepared prepared = tensile_prepare(mi350x(), op, configs);
    for (int64_t GemmOp::*side : {&GemmOp::m, &GemmOp::n, &GemmOp::k, &GemmOp::batch}) {
      GemmOp longer = op;
      std::vector<double> before(configs.size()), now(configs.size());
      for (int step = 0; step < 30; ++step) {
        tensile_seconds(mi350x(), prepared, longer, 0, now);
        for (size_t c = 0; c < configs.size(); ++c) {
          ASSERT_GE(now[c], before[c] * (1 - 1e-12))
              << longer.m << "x" << longer.n << "x" << longer.k << " tile " << configs[c].tile.m
              << "x" << configs[c].tile.n << " group " << configs[c].group_m << " xcc "
              << configs[c].tensile.xcc_mapping << " stream " << configs[c].tensile.stream_k;
        }
        before = now;
        longer.*side += side == &GemmOp::batch ? 1 : 256;
      }
    }
  }
}

TEST(Tensile, nothing_beats_the_data_sheet) {
  for (const char* id : {"mi300x", "mi308x", "mi325x", "mi350x", "mi355x"}) {
    const Device device = load_device(id);
    const TensileModel model = make_tensile_model(device);
    std::mt19937 random(4);
    for (int i = 0; i < 2000; ++i) {
      GemmOp op = random_op(random);
      op.cold = true;
      const GemmConfig config = random_config(random);
      const double seconds = seconds_of(model, op, config);
      const double flop_seconds =
          gemm_flop(op) / device.spec.compute.flop_per_second.at(DType::bf16);
      const double memory_seconds =
          gemm_compulsory_bytes(op) / device.spec.memory.memory_bytes_per_second.value();
      ASSERT_GT(seconds, std::max(flop_seconds, memory_seconds)) << id;
    }
  }
}

TEST(Tensile, the_order_of_candidates_does_not_matter) {
  const GemmOp op{.m = 3000, .n = 4096, .k = 1024};
  std::vector<GemmConfig> configs = random_legal_configs(op, 301, 5);
  std::vector<double> seconds(configs.size());
  tensile_seconds(mi350x(), tensile_prepare(mi350x(), op, configs), op, 0, seconds);
  std::vector<size_t> order(configs.size());
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), std::mt19937(6));
  std::vector<GemmConfig> shuffled;
  for (const size_t i : order) shuffled.push_back(configs[i]);
  std::vector<double> again(configs.size());
  tensile_seconds(mi350x(), tensile_prepare(mi350x(), op, shuffled), op, 0, again);
  for (size_t i = 0; i < order.size(); ++i) EXPECT_EQ(again[i], seconds[order[i]]);
}

// AMD's gfx950 Gluon tutorials: share of the matrix pipe in the loop, f16, 256 work-groups.
TEST(Tensile, keeps_the_matrix_pipe_as_busy_as_AMD_measured) {
  struct Row {
    int32_t tile_m, tile_n;
    double measured_ratio;
  };
  const Row rows[] = {{256, 256, .96}, {256, 128, .83}, {128, 256, .84}, {128, 128, .69},
                      {256, 64, .55},  {64, 256, .57},  {128, 64, .47},  {64, 128, .47}};
  TensileModel model = mi350x();
  model.rates.power_watts = 1e9;  // the tutorials count clocks, whatever their rate is
  for (const Row& row : rows) {
    const GemmConfig config = square_config(row.tile_m, row.tile_n);
    GemmOp op{.m = row.tile_m * 16, .n = row.tile_n * 16, .k = 8192, .dtype = DType::f16};
    op.out_dtype = DType::f16;
    op.layout = Layout::nt;
    GemmOp longer = op;
    longer.k *= 2;
    const double iterations = 8192.0 / 64;
    // What is left of the difference is the loop; launch, stores and memory drop out.
    const Estimate estimate = tensile_estimate(model, op, config, 0);
    const double matrix = estimate.term_seconds[static_cast<size_t>(Term::matrix)] / iterations;
    model.rates.memory_bytes_per_second = 1e18;
    const double loop = (tensile_estimate(model, longer, config, 0).seconds -
                         tensile_estimate(model, op, config, 0).seconds) /
                        iterations;
    model.rates.memory_bytes_per_second = mi350x().rates.memory_bytes_per_second;
    EXPECT_NEAR(matrix / loop, row.measured_ratio, .06) << row.tile_m << "x" << row.tile_n;
  }
}

// HipKittens, 8192^3 on MI355X: 1016.6 TFLOP/s row-major, 1083.3, 1108.8, 1113.9 and 875.1 in
// windows of 2, 4, 8 and 32 rows.
TEST(Tensile, orders_windows_of_tiles_as_they_were_measured) {
  const TensileModel model = make_tensile_model(load_device("mi355x"));
  GemmOp op{.m = 8192, .n = 8192, .k = 8192};
  op.layout = Layout::nt;
  const auto rate = [&](int32_t group_m) {
    return tflops(model, op, square_config(256, 256, group_m));
  };
  GemmConfig row_major = square_config(256, 256, 1);
  row_major.tensile.xcc_mapping = 1;  // as the hardware deals the groups out
  EXPECT_LT(rate(32), tflops(model, op, row_major));
  EXPECT_LT(rate(32), rate(2));
  EXPECT_LT(std::max(tflops(model, op, row_major), rate(2)), std::min(rate(4), rate(8)));
  EXPECT_NEAR(rate(4) / rate(8), 1, .01);
}

TEST(Tensile, another_board_is_predicted_by_its_power_and_clock) {
  // Best rates of hipBLASLt, HipKittens and aiter on MI355X, none of them fitted: 1521 to 1610.
  const TensileModel model = make_tensile_model(load_device("mi355x"));
  GemmOp op{.m = 8192, .n = 8192, .k = 8192};
  op.layout = Layout::nt;
  const double rate = tflops(model, op, square_config(256, 256));
  EXPECT_GT(rate, 1480);
  EXPECT_LT(rate, 1650);
}

TEST(Tensile, fewer_units_batches_and_epilogues_cost_time) {
  const GemmConfig config = square_config(256, 256);
  const GemmOp op{.m = 4096, .n = 4096, .k = 4096};
  const double all = seconds_of(mi350x(), op, config);
  EXPECT_GT(seconds_of(mi350x(), op, config, 128), 1.8 * all);
  GemmOp residual = op;
  residual.epilogue.residual = true;
  EXPECT_GT(seconds_of(mi350x(), residual, config), all);
  GemmOp cold = op;
  cold.cold = true;
  EXPECT_GT(seconds_of(mi350x(), cold, config), all);
  GemmOp fp8 = op;
  fp8.dtype = DType::fp8_e4m3;
  GemmConfig deep = config;
  deep.tile.k = 128;
  EXPECT_LT(seconds_of(mi350x(), fp8, deep), .8 * all);
}

TEST(Tensile, names_the_regime_and_the_term_that_binds) {
  const GemmConfig config = square_config(256, 256);
  const auto estimate = [&](int64_t m, int64_t n, int64_t k) {
    return tensile_estimate(mi350x(), {.m = m, .n = n, .k = k, .cold = true}, config, 0);
  };
  EXPECT_EQ(estimate(8192, 8192, 8192).regime, Regime::k);
  EXPECT_EQ(estimate(8192, 8192, 8192).binds, Term::matrix);
  EXPECT_EQ(estimate(4096, 5120, 4096).regime, Regime::tile_count);
  EXPECT_EQ(estimate(512, 512, 65536).regime, Regime::split_k);
  EXPECT_EQ(estimate(512, 512, 65536).num_groups, 256);
  EXPECT_EQ(estimate(32768, 32768, 16).regime, Regime::memory);
}

}  // namespace
}  // namespace ambidex
