// SPDX-License-Identifier: Apache-2.0
// The estimate of whole programs: both forms are run, each on the devices that it is for.
#include "port/estimate.h"

#include <gmock/gmock.h>

#include <filesystem>

#include "base/files.h"
#include "caught.h"
#include "scratch.h"

namespace ambidex {
namespace {

using testing::Contains;
using testing::HasSubstr;

constexpr const char* kSum = R"(
#include <cstdlib>
__global__ void sum(const float* in, float* out, int n) {
  float s = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) s += in[i];
  for (int d = 16; d > 0; d /= 2) s += __shfl_down_sync(0xffffffffu, s, d);
  if (threadIdx.x % 32 == 0) atomicAdd(out, s);
}
__global__ void scale(float* x, float by) { x[blockIdx.x * blockDim.x + threadIdx.x] *= by; }
int main() {
  const int n = 1 << 14;
  float *in, *out;
  cudaMalloc(&in, n * sizeof(float));
  cudaMalloc(&out, sizeof(float));
  cudaMemset(in, 0, n * sizeof(float));
  cudaMemset(out, 0, sizeof(float));
  for (int i = 0; i < 3; ++i) scale<<<n / 256, 256>>>(in, 2.0f);
  sum<<<8, 32>>>(in, out, n);
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
)";

EstimateReport estimate(const ScratchFolder& scratch, const std::string& text,
                        EstimateRequest request = {}) {
  request.path = scratch.path("program.cu");
  request.folder = scratch.path("work");
  write_file(request.path, text);
  return estimate_port(request);
}

TEST(EstimatePort, counts_the_original_at_32_and_the_port_at_64) {
  const ScratchFolder scratch;
  const EstimateReport report = estimate(scratch, kSum);
  ASSERT_EQ(report.programs.size(), 1u);
  const ProgramEstimate& program = report.programs[0];
  EXPECT_EQ(program.fault, "");
  ASSERT_EQ(program.kernels.size(), 2u);
  EXPECT_EQ(program.kernels[0].kernel, "scale");
  EXPECT_EQ(program.kernels[0].num_launches, 3);
  const KernelEstimate& sum = program.kernels[1];
  EXPECT_EQ(sum.num_launches, 1);
  ASSERT_EQ(sum.devices.size(), 3u);
  const LaunchEstimate &h200 = sum.devices[0], &mi300x = sum.devices[1];
  EXPECT_EQ(h200.device, "h200");
  EXPECT_FALSE(h200.resources.known);
  EXPECT_EQ(h200.counts.waves, 8);
  EXPECT_EQ(mi300x.counts.waves, 8);  // half of each is idle
  EXPECT_TRUE(mi300x.resources.known);
  EXPECT_GT(mi300x.resources.registers_per_lane, 0);
  for (const LaunchEstimate& launch : sum.devices) {
    EXPECT_EQ(launch.counts.traffic.loads.distinct_bytes, 4 << 14) << launch.device;
    EXPECT_EQ(launch.counts.traffic.loads.moved.sectors, (4 << 14) / 32) << launch.device;
    EXPECT_GT(launch.time.seconds, launch.time.launch_seconds) << launch.device;
  }
  EXPECT_EQ(mi300x.notes[0].id, "W16");
}

TEST(EstimatePort, json_says_that_nothing_was_measured) {
  const ScratchFolder scratch;
  const nlohmann::json json = to_json(
      estimate(scratch, kSum, {.path = "", .folder = "", .devices = {"mi350x"}, .arguments = {}}));
  EXPECT_EQ(json["measured"], false);
  const auto& row = json["programs"][0]["kernels"][1]["devices"][0];
  EXPECT_EQ(row["device"], "mi350x");
  double largest = 0, others = 0;
  for (const auto& [term, seconds] : row["term_seconds"].items()) {
    largest = std::max(largest, seconds.get<double>());
    if (term != "latency") others = std::max(others, seconds.get<double>());
  }
  const double latency = row["term_seconds"]["latency"], fill = row["fill_seconds"];
  EXPECT_EQ(row["binds"], "latency");
  EXPECT_EQ(latency, largest);
  EXPECT_EQ(row["seconds"].get<double>(),
            row["launch_seconds"].get<double>() + (fill > 0 ? others + fill : latency));
  EXPECT_EQ(row["term_seconds"][row["binds"].get<std::string>()].get<double>(), largest);
  EXPECT_EQ(row["counts"]["loads"]["bytes"], 4 << 14);
}

TEST(EstimatePort, a_program_that_fails_or_has_no_main_has_no_estimate) {
  const ScratchFolder scratch;
  const EstimateRequest one{.path = "", .folder = "", .devices = {"h200"}, .arguments = {}};
  EXPECT_THAT(estimate(scratch, "__global__ void k() {}\n", one).programs[0].fault,
              HasSubstr("no source of it has a main"));
  const auto failing =
      estimate(scratch, "__global__ void k() {}\nint main() { k<<<1, 1>>>(); return 3; }\n", one);
  EXPECT_EQ(failing.programs[0].fault, "the original on h200 ended with exit code 3");
}

TEST(EstimatePort, a_launch_that_was_cut_short_is_named_and_has_no_estimate) {
  const ScratchFolder scratch;
  EstimateRequest one{.path = "", .folder = "", .devices = {"h200"}, .arguments = {}};
  one.max_seconds = 0.2;
  const EstimateReport report = estimate(scratch, R"(
__global__ void endless(volatile int* flag) { while (*flag == 0) {} }
int main() {
  int* flag;
  if (cudaMalloc(&flag, 4) != cudaSuccess || cudaMemset(flag, 0, 4) != cudaSuccess) return 2;
  endless<<<1, 32>>>(flag);
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
)",
                                         one);
  EXPECT_THAT(report.programs[0].fault, HasSubstr("the original on h200: endless: "));
  EXPECT_TRUE(report.programs[0].kernels.empty());
}

TEST(EstimatePort, a_device_of_neither_vendor_is_refused) {
  const ScratchFolder scratch;
  const Caught error = caught([&] {
    estimate(scratch, kSum, {.path = "", .folder = "", .devices = {"mtia2i"}, .arguments = {}});
  });
  EXPECT_EQ(error.kind, ErrorKind::bad_input);
  EXPECT_THAT(error.message, HasSubstr("expected one of NVIDIA"));
}

TEST(EstimatePort, software_products_of_fragments_are_noted) {
  const ScratchFolder scratch;
  const std::string source = std::string(AMBIDEX_SOURCE_DIR) + "/tests/corpus/gemm_wmma.cu";
  const EstimateReport report = estimate_port({.path = source,
                                               .folder = scratch.path("work"),
                                               .devices = {"h200", "mi300x"},
                                               .arguments = {}});
  const KernelEstimate& kernel = report.programs[0].kernels.at(0);
  std::vector<std::string> ids;
  for (const EstimateNote& note : kernel.devices.at(1).notes) ids.push_back(note.id);
  EXPECT_THAT(ids, Contains("N02"));
  EXPECT_EQ(kernel.devices[0].counts.traffic.arithmetic.matrix_flop.count(DType::f16), 1u);
}

}  // namespace
}  // namespace ambidex
