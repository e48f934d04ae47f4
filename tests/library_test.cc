// SPDX-License-Identifier: Apache-2.0
#include "cost/library.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace ambidex {
namespace {

using ::testing::HasSubstr;

std::string error_text(const std::function<void()>& call, ErrorKind kind) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind, kind);
    return error.what();
  }
  return "no error";
}

// The constants under which the reference values below were computed: fixed, so that a new fit
// leaves them alone.
LibraryModel h200_model() {
  Device device = load_device("h200");
  device.calibration["library"].constants = {
      {"launch_seconds", 2.03e-6},
      {"latency_seconds", 0.46e-6},
      {"memory_latency_seconds", 0.213e-6},
      {"loop_latency_seconds", 0.4e-6},
      {"cached_bytes", 35e6},
      {"idle_ratio", 0.5},
      {"shared_memory_ratio", 0.5},
      {"iteration_clocks", 0},
      {"l2_ratio", 3},
      {"epilogue_bytes_per_clock", 19.1},
      {"tile_clocks", 50},
      {"memory_ratio", 0.92},
      {"split_seconds", 2.69e-6},
      {"workspace_bytes_per_second", 8.7e12},
      {"misaligned_clocks", 2400},
      {"misaligned_load_clocks", 0.2},
      {"misaligned_output_ratio", 1},
      {"tiles_in_flight", 5},
      {"resident_groups", 4},
      {"in_flight_bytes", 200e3},
      {"sustained_clock_hz", 1.638e9},
      {"lib_cublaslt_ratio", 1},
  };
  return make_library_model(device);
}

LibraryModel mi308x_model() {
  Device device = load_device("mi308x");
  device.calibration["library"].constants = {
      {"launch_seconds", 1.96e-6},
      {"latency_seconds", 0.463e-6},
      {"memory_latency_seconds", 1e-6},
      {"loop_latency_seconds", 0},
      {"cached_bytes", 35e6},
      {"idle_ratio", 0.19},
      {"shared_memory_ratio", 3},
      {"iteration_clocks", 217},
      {"l2_ratio", 0.7},
      {"epilogue_bytes_per_clock", 4.1},
      {"tile_clocks", 50},
      {"memory_ratio", 0.87},
      {"split_seconds", 1e-6},
      {"workspace_bytes_per_second", 2.5e12},
      {"misaligned_clocks", 0},
      {"misaligned_load_clocks", 0.24},
      {"misaligned_output_ratio", 0},
      {"tiles_in_flight", 4},
      {"resident_groups", 4},
      {"in_flight_bytes", 45056},
      {"sustained_clock_hz", 1.447e9},
      {"lib_hipblaslt_ratio", 1},
  };
  return make_library_model(device);
}

struct Reference {
  GemmOp op;
  double seconds;
  int64_t num_units = 0;
};

void expect_references(const LibraryModel& model, const std::vector<Reference>& references) {
  for (const Reference& reference : references) {
    const GemmOp& op = reference.op;
    validate(op);
    EXPECT_NEAR(library_seconds(model, op, reference.num_units) / reference.seconds, 1, 1e-12)
        << op.m << " " << op.n << " " << op.k << " " << name_of(op.layout);
  }
}

// The seconds come from a separate implementation in Python, written from the formulas' text by
// somebody else than this one, and without its shortcuts: every candidate gets its full time.
TEST(Library, agrees_with_an_independent_implementation) {
  expect_references(
      h200_model(),
      {
          {{.m = 4096, .n = 4096, .k = 4096}, 0.000169330702416609},
          {{.m = 512, .n = 256, .k = 64}, 2.66153634328299e-06},
          {{.m = 256, .n = 64, .k = 65536}, 1.33686984892513e-05},
          {{.m = 1024, .n = 512, .k = 32768}, 4.99331797808097e-05},
          {{.m = 2048, .n = 512, .k = 16}, 3.10968518276061e-06},
          {{.m = 16, .n = 512, .k = 2048}, 5.47283807957983e-06},
          {{.m = 131072, .n = 1536, .k = 384}, 0.00026709476521895},
          {{.m = 512, .n = 512, .k = 1024, .batch = 8}, 8.40779368429612e-06},
          {{.m = 4096, .n = 1024, .k = 1024, .cold = true}, 1.45500355562133e-05},
          {{.m = 4096, .n = 4096, .k = 512, .epilogue = {.residual = true}}, 3.68840365813718e-05},
          {{.m = 4096, .n = 4096, .k = 4096}, 0.000278279976183831, 66},
          {{.m = 64, .n = 256, .k = 16384, .epilogue = {.residual = true}},
           1.02430103999063e-05,
           20},
      });
  const auto nt = Layout::nt;
  expect_references(
      mi308x_model(),
      {
          {{.m = 1, .n = 5120, .k = 3072, .layout = nt, .cold = true}, 1.53511399295166e-05},
          {{.m = 64, .n = 5120, .k = 3072, .layout = nt, .cold = true}, 2.0626353946581e-05},
          {{.m = 512, .n = 5120, .k = 3072, .layout = nt, .cold = true}, 8.52177320729088e-05},
          {{.m = 8192, .n = 8192, .k = 8192, .layout = nt, .cold = true}, 0.00504840911496615},
          {{.m = 256, .n = 88, .k = 61440, .layout = nt, .cold = true}, 3.49248845298097e-05},
          {{.m = 512, .n = 512, .k = 1024}, 8.40164548471329e-06},
      });
}

TEST(Library, agrees_with_it_on_misaligned_operands) {
  expect_references(
      h200_model(),
      {
          {{.m = 1, .n = 1, .k = 1}, 3.85255875291709e-06},
          {{.m = 8192, .n = 512, .k = 367}, 2.72065093332756e-05},
          {{.m = 2048, .n = 512, .k = 367, .layout = Layout::nt}, 1.74423072977841e-05},
          {{.m = 8192, .n = 367, .k = 512, .layout = Layout::nt}, 4.75850914164463e-05},
          {{.m = 479, .n = 1024, .k = 2048, .layout = Layout::tn}, 2.00404854273964e-05},
          {{.m = 1000, .n = 2004, .k = 516}, 9.85904459127924e-06},
          {{.m = 512, .n = 512, .k = 513, .layout = Layout::tt}, 1.17803333836219e-05},
      });
  const auto nt = Layout::nt;
  expect_references(
      mi308x_model(),
      {
          {{.m = 512, .n = 513, .k = 2048, .layout = nt, .cold = true}, 1.46549754901424e-05},
          {{.m = 512, .n = 512, .k = 2049, .layout = nt, .cold = true}, 3.69776145283728e-05},
          {{.m = 777, .n = 1024, .k = 1024, .layout = Layout::tt, .cold = true},
           2.66344266029011e-05},
      });
}

TEST(Library, agrees_with_it_on_every_size_of_element) {
  const auto f32 = DType::f32;
  GemmOp fp8{.m = 8192, .n = 8192, .k = 8192, .dtype = DType::fp8_e4m3, .layout = Layout::nt};
  GemmOp tf32{.m = 4096, .n = 4096, .k = 4096, .dtype = DType::tf32, .out_dtype = f32};
  GemmOp single{.m = 4096, .n = 4096, .k = 4096, .dtype = f32, .out_dtype = f32};
  GemmOp int8{.m = 1024, .n = 1024, .k = 8192, .dtype = DType::int8, .layout = Layout::tn};
  GemmOp wide{.m = 2048, .n = 1024, .k = 4096, .out_dtype = f32, .layout = Layout::nt};
  expect_references(h200_model(), {{fp8, 0.00066884610655944},
                                   {tf32, 0.000335909045220136},
                                   {single, 0.00237261730704685},
                                   {int8, 1.33272165571523e-05},
                                   {wide, 2.45172386747979e-05}});
}

// Rounding aside: candidates are skipped by a bound that rounds on its own.
constexpr double kSlack = 1 - 1e-12;

GemmOp random_op(std::mt19937& random) {
  const auto size = [&](int bits) {
    const double log2 = std::uniform_real_distribution(0.0, static_cast<double>(bits))(random);
    return std::max<int64_t>(1, static_cast<int64_t>(std::exp2(log2)));
  };
  const int64_t step = int64_t{1} << (random() % 5);  // of equal alignment
  GemmOp op{.m = size(12) * step, .n = size(12) * step, .k = size(12) * step};
  op.layout = static_cast<Layout>(random() % 4);
  op.cold = random() % 2 == 0;
  op.batch = random() % 4 == 0 ? 3 : 1;
  op.epilogue.residual = random() % 4 == 0;
  return op;
}

/// The same alignment of every row, so the size grows by a multiple of the widest load.
GemmOp grown(const GemmOp& op, uint32_t which, int64_t by) {
  GemmOp larger = op;
  int64_t& size = which == 0 ? larger.m : which == 1 ? larger.n : larger.k;
  size += 16 * by;
  return larger;
}

TEST(Library, larger_products_are_never_faster) {
  std::mt19937 random(1);
  for (const std::string id : {"h200", "mi308x", "mi355x", "b200"}) {
    const LibraryModel model = make_library_model(load_device(id));
    for (int i = 0; i < 4000; ++i) {
      const GemmOp op = random_op(random);
      const GemmOp larger = grown(op, random() % 3, 1 + random() % 40);
      EXPECT_GE(library_seconds(model, larger), library_seconds(model, op) * kSlack)
          << id << " " << op.m << " " << op.n << " " << op.k << " -> " << larger.m << " "
          << larger.n << " " << larger.k << " " << name_of(op.layout);
    }
  }
}

TEST(Library, no_product_beats_the_roofline) {
  std::mt19937 random(2);
  for (const std::string& id : device_ids()) {
    const Device device = load_device(id);
    if (!device.calibration.contains("library")) continue;
    const LibraryModel model = make_library_model(device);
    const double peak = device.spec.compute.flop_per_second.at(DType::bf16) * model.clock_hz /
                        *device.spec.compute.peak_rate_clock_hz;
    for (int i = 0; i < 1000; ++i) {
      const GemmOp op = random_op(random);
      const double seconds = library_seconds(model, op);
      EXPECT_GE(seconds, gemm_flop(op) / peak * kSlack) << id;
      if (!op.cold) continue;
      const double bytes = gemm_compulsory_bytes(op);
      EXPECT_GE(seconds, bytes / *device.spec.memory.memory_bytes_per_second * kSlack) << id;
    }
  }
}

TEST(Library, a_product_and_its_transpose_take_the_same_time) {
  std::mt19937 random(3);
  const LibraryModel model = make_library_model(load_device("h200"));
  for (int i = 0; i < 1000; ++i) {
    GemmOp op = random_op(random);
    op.m *= 16;
    op.n *= 16;
    GemmOp other = op;  // D' = B' A': the operands change places, rows become columns
    std::swap(other.m, other.n);
    if (op.layout == Layout::nn) other.layout = Layout::tt;
    if (op.layout == Layout::tt) other.layout = Layout::nn;
    EXPECT_NEAR(library_seconds(model, other) / library_seconds(model, op), 1, 1e-12);
  }
}

TEST(Library, cold_operands_and_epilogue_operands_only_cost) {
  std::mt19937 random(4);
  for (const std::string id : {"h200", "mi308x"}) {
    const LibraryModel model = make_library_model(load_device(id));
    for (int i = 0; i < 1000; ++i) {
      GemmOp op = random_op(random);
      op.epilogue = {};
      const double seconds = library_seconds(model, op);
      GemmOp more = op;
      more.cold = true;
      EXPECT_GE(library_seconds(model, more), seconds * kSlack);
      more = op;
      more.epilogue = {.bias = true, .residual = true, .bias_gradient = true};
      EXPECT_GE(library_seconds(model, more), seconds * kSlack);
    }
  }
}

TEST(Library, fewer_units_are_never_faster) {
  std::mt19937 random(5);
  for (const std::string id : {"h200", "mi308x", "b200"}) {
    const LibraryModel model = make_library_model(load_device(id));
    const auto all = static_cast<int64_t>(model.num_units);
    for (int i = 0; i < 4000; ++i) {
      const GemmOp op = random_op(random);
      const int64_t few = 1 + random() % all;
      const int64_t more = few + random() % (all - few + 1);
      const double seconds = library_seconds(model, op, more);
      EXPECT_GE(library_seconds(model, op, few), seconds * kSlack)
          << id << " " << op.m << " " << op.n << " " << op.k << " " << few << " " << more;
      EXPECT_GE(seconds, library_seconds(model, op) * kSlack);
    }
    const GemmOp op{.m = 4096, .n = 4096, .k = 4096};
    EXPECT_EQ(library_seconds(model, op, all), library_seconds(model, op));
    EXPECT_EQ(library_seconds(model, op, 10 * all), library_seconds(model, op));
    EXPECT_GT(library_seconds(model, op, all / 2), 1.2 * library_seconds(model, op));
  }
}

TEST(Library, an_estimate_has_the_time_its_terms_and_its_interval) {
  const LibraryModel model = make_library_model(load_device("h200"));
  const GemmOp large{.m = 8192, .n = 8192, .k = 8192};
  const Estimate estimate = library_estimate(model, large);
  EXPECT_EQ(estimate.seconds, library_seconds(model, large));
  EXPECT_EQ(estimate.binds, Term::matrix);
  EXPECT_EQ(estimate.regime, Regime::k);
  EXPECT_EQ(estimate.num_groups, 32 * 32);
  EXPECT_EQ(estimate.useful_ratio, 1);
  EXPECT_EQ(estimate.term_seconds[static_cast<size_t>(Term::reduction)], 0);
  EXPECT_NEAR(std::log(estimate.high_seconds / estimate.seconds), 1.2816 * estimate.sigma, 1e-12);
  EXPECT_NEAR(std::log(estimate.seconds / estimate.low_seconds), 1.2816 * estimate.sigma, 1e-12);
  for (const double seconds : estimate.term_seconds) EXPECT_LT(seconds, estimate.seconds);
}

TEST(Library, regimes_are_told_apart) {
  const LibraryModel model = make_library_model(load_device("h200"));
  const auto regime = [&](const GemmOp& op) { return library_estimate(model, op).regime; };
  EXPECT_EQ(regime({.m = 256, .n = 64, .k = 65536}), Regime::split_k);
  EXPECT_EQ(regime({.m = 1024, .n = 512, .k = 512}), Regime::tile_count);
  EXPECT_EQ(regime({.m = 65536, .n = 512, .k = 16, .cold = true}), Regime::memory);
  EXPECT_EQ(library_sigma(model, {.m = 8192, .n = 512, .k = 367}), LibrarySigma::misaligned);
  EXPECT_EQ(library_sigma(model, {.m = 8192, .n = 8192, .k = 8192}), LibrarySigma::k);
}

TEST(Library, other_libraries_of_a_device_have_a_factor) {
  const LibraryModel model = make_library_model(load_device("mi308x"));
  const GemmOp op{.m = 512, .n = 5120, .k = 3072, .layout = Layout::nt, .cold = true};
  EXPECT_EQ(library_seconds(for_library(model, "hipblaslt"), op), library_seconds(model, op));
  EXPECT_NEAR(library_seconds(for_library(model, "opus"), op) / library_seconds(model, op),
              model.lib_ratios.at("opus") / model.lib_ratios.at("hipblaslt"), 1e-12);
  EXPECT_THAT(error_text([&] { for_library(model, "hipblas"); }, ErrorKind::not_found),
              HasSubstr("device mi308x: no library \"hipblas\"; nearest: hipblaslt"));
}

TEST(Library, every_device_with_a_calibration_answers) {
  int num_devices = 0;
  for (const std::string& id : device_ids()) {
    const Device device = load_device(id);
    if (!device.calibration.contains("library")) continue;
    ++num_devices;
    const LibraryModel model = make_library_model(device);
    for (const auto& [dtype, rate] : device.spec.compute.flop_per_second) {
      const GemmOp op{.m = 4096, .n = 4096, .k = 4096, .dtype = dtype, .out_dtype = DType::f32};
      const double share = gemm_flop(op) / library_seconds(model, op) / rate;
      EXPECT_GT(share, 0.3) << id << " " << name_of(dtype);
      EXPECT_LT(share, 1) << id << " " << name_of(dtype);
    }
    EXPECT_FALSE(device.calibration.at("library").source.empty());
  }
  EXPECT_EQ(num_devices, 11);
}

std::string model_error(const Device& device, ErrorKind kind) {
  return error_text([&] { make_library_model(device); }, kind);
}

TEST(Library, a_device_without_a_number_says_which) {
  for (const std::string id : {"cpu", "mtia2i", "mtia300"}) {
    EXPECT_THAT(model_error(load_device(id), ErrorKind::unsupported),
                HasSubstr(fmt::format("device {} has no calibration.library", id)));
  }
  Device device = load_device("h200");
  device.spec.memory.memory_bytes_per_second.reset();
  EXPECT_THAT(model_error(device, ErrorKind::unsupported),
              HasSubstr("device h200 has no spec.memory_bytes_per_second"));
  device = load_device("mi300x");
  device.measured.sustained_clock_hz.clear();
  EXPECT_THAT(model_error(device, ErrorKind::unsupported),
              HasSubstr("device mi300x has no measured.sustained_clock_hz.bf16"));
  device = load_device("h200");
  device.calibration["library"].constants.erase("in_flight_bytes");
  EXPECT_THAT(model_error(device, ErrorKind::unsupported),
              HasSubstr("device h200 has no spec.in_flight_bytes_per_unit"));
  device = load_device("h200");
  device.calibration["library"].constants.erase("tile_clocks");
  EXPECT_THAT(model_error(device, ErrorKind::unsupported),
              HasSubstr("device h200 has no calibration.library.constants.tile_clocks"));
  device = load_device("h200");
  device.calibration["library"].sigma.erase("split_k");
  EXPECT_THAT(model_error(device, ErrorKind::unsupported),
              HasSubstr("device h200 has no calibration.library.sigma.split_k"));
  device = load_device("h200");
  device.calibration["library"].constants.erase("lib_cublaslt_ratio");
  EXPECT_THAT(model_error(device, ErrorKind::unsupported),
              HasSubstr("lacks both lib_cublaslt_ratio and lib_hipblaslt_ratio"));
}

TEST(Library, what_nobody_knows_or_can_be_is_refused) {
  Device device = load_device("h200");
  device.calibration["library"].constants["tile_clock"] = 1;
  EXPECT_THAT(model_error(device, ErrorKind::bad_input),
              HasSubstr("no constant \"tile_clock\"; nearest: tile_clocks"));
  device = load_device("h200");
  device.calibration["library"].sigma["splitk"] = 1;
  EXPECT_THAT(model_error(device, ErrorKind::bad_input),
              HasSubstr("no regime \"splitk\"; nearest: split_k"));
  device = load_device("h200");
  device.calibration["library"].constants["l2_ratio"] = 0;
  EXPECT_THAT(model_error(device, ErrorKind::bad_input),
              HasSubstr("calibration.library.constants.l2_ratio: expected a number > 0, got 0"));
  const LibraryModel model = make_library_model(load_device("h200"));
  const GemmOp op{.m = 16, .n = 16, .k = 16, .dtype = DType::fp8_e4m3_fnuz};
  EXPECT_THAT(error_text([&] { library_seconds(model, op); }, ErrorKind::unsupported),
              HasSubstr("device h200 has no spec.flop_per_second.fp8_e4m3_fnuz"));
}

}  // namespace
}  // namespace ambidex
