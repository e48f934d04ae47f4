// SPDX-License-Identifier: Apache-2.0
// Contracts on running code: frozen from what an original does, held against it and its port.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ambidex/base.h"
#include "base/files.h"
#include "caught.h"
#include "port/verify.h"
#include "scratch.h"

namespace ambidex {
namespace {

using testing::HasSubstr;

// Each block sums 128 numbers; `also` is in the same allocation and is left alone.
constexpr const char* kKernel = R"(
__global__ void sums(const float* in, int n, float* out, float* also) {
  __shared__ float tree[128];
  const int i = blockIdx.x * 128 + threadIdx.x;
  tree[threadIdx.x] = i < n ? in[i] : 0.0f;
  __syncthreads();
  for (int s = 64; s > 0; s /= 2) {
    if (threadIdx.x < s) tree[threadIdx.x] += tree[threadIdx.x + s];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = tree[0];
  if (also != nullptr && i == 0) also[1] = 7.0f;
}
)";

constexpr const char* kMain = R"(
int main() {
  const int n = 1000, blocks = (n + 127) / 128;
  float host[n], *in, *out;
  for (int i = 0; i < n; ++i) host[i] = 0.1f * i;
  GPUMalloc(&in, sizeof host);
  GPUMalloc(&out, (blocks + 4) * sizeof(float));
  GPUMemcpy(in, host, sizeof host, GPUMemcpyHostToDevice);
  sums<<<blocks, 128>>>(in, n, out, nullptr);
  return GPUDeviceSynchronize() != GPUSuccess;
}
)";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

struct Pair {
  ScratchFolder scratch;
  Program original, port;

  Pair(const std::string& cuda, const std::string& hip) {
    write_file(scratch.path("sums.cu"), replaced(cuda, "GPU", "cuda"));
    write_file(scratch.path("sums.hip"),
               "#include <hip/hip_runtime.h>\n" + replaced(hip, "GPU", "(void)hip"));
    original = programs_of(scratch.path("sums.cu"), "cuda", {})[0];
    port = programs_of(scratch.path("sums.hip"), "hip", {})[0];
  }
  VerifyReport verify(std::vector<Contract> contracts = {}) const {
    return verify_port({.original = original,
                        .port = port,
                        .folder = scratch.path("work"),
                        .trusted = true,
                        .contracts = std::move(contracts)});
  }
};

std::string hip_main() {
  std::string text = replaced(kMain, "GPUMemcpyHostToDevice", "hipMemcpyHostToDevice");
  text = replaced(text, "GPUDeviceSynchronize() != GPUSuccess",
                  "hipDeviceSynchronize() != hipSuccess");
  return text;
}

TEST(VerifyContract, it_is_frozen_from_what_the_original_does_and_holds_its_port) {
  const Pair pair(std::string(kKernel) + kMain, kKernel + hip_main());
  const VerifyReport report = pair.verify();
  EXPECT_TRUE(report.right()) << to_json(report).dump(1);
  ASSERT_EQ(report.contracts.size(), 1u);
  const Contract& contract = report.contracts[0];
  EXPECT_EQ(contract.error_class, ErrorClass::reorder);
  EXPECT_EQ(contract.parameters[0].role, Role::in);
  EXPECT_EQ(contract.parameters[0].bytes, "n * 4");
  EXPECT_EQ(contract.parameters[2].role, Role::out);
  EXPECT_EQ(contract.parameters[2].writes, (std::array<std::string, 2>{"0", "32"}));  // 8 of 12
  EXPECT_FALSE(contract.order_dependent);

  EXPECT_TRUE(pair.verify({contract}).right());
  Contract narrow = contract;  // one that the original does not keep
  narrow.parameters[2].writes = {"0", "28"};
  const Caught error = caught([&] { pair.verify({narrow}); });
  EXPECT_EQ(error.kind, ErrorKind::bad_input);
  EXPECT_THAT(error.message, HasSubstr("the original does not keep it"));
  EXPECT_THAT(error.message, HasSubstr("bytes 0 to 32 of out are written"));
}

// The byte that is there already is written again: contents do not tell.
TEST(VerifyContract, a_port_that_writes_outside_of_the_write_set_is_wrong) {
  const std::string port = replaced(kKernel + hip_main(), "if (threadIdx.x == 0) out",
                                    "if (i == 0) out[9] = 0.0f;\n  if (threadIdx.x == 0) out");
  const std::string filled = "GPUMemset(out, 0, (blocks + 4) * sizeof(float));\n  sums<<<";
  const Pair pair(replaced(std::string(kKernel) + kMain, "sums<<<", filled),
                  replaced(port, "sums<<<", filled));
  const VerifyReport report = pair.verify();
  EXPECT_FALSE(report.right());
  EXPECT_THAT(report.kernels[0].reason, HasSubstr("beyond its contract"));
}

TEST(VerifyContract, the_first_wrong_element_has_its_values_its_thread_and_its_line) {
  const std::string port = replaced(kKernel + hip_main(), "out[blockIdx.x] = tree[0];",
                                    "out[blockIdx.x] = tree[0] + (blockIdx.x == 3 ? 9.0f : 0.0f);");
  const Pair pair(std::string(kKernel) + kMain, port);
  const VerifyReport report = pair.verify();
  ASSERT_FALSE(report.kernels[0].failures.empty());
  const VerifyCase& failed = report.kernels[0].failures[0];
  ASSERT_TRUE(failed.first && failed.place);
  EXPECT_EQ(failed.first->name, "out");
  EXPECT_EQ(failed.first->index, 3);
  EXPECT_NEAR(failed.first->actual - failed.first->expected, 9.0, 1e-3);
  EXPECT_EQ(failed.place->block, (std::array<int64_t, 3>{3, 0, 0}));
  EXPECT_EQ(failed.place->thread, (std::array<int64_t, 3>{0, 0, 0}));
  EXPECT_EQ(failed.place->line, 12);
  EXPECT_THAT(failed.message, HasSubstr("sums.hip:12, block (3,0,0), thread (0,0,0)"));
}

TEST(VerifyContract, an_element_that_the_port_leaves_out_has_the_line_of_the_original) {
  const std::string port = replaced(kKernel + hip_main(), "if (threadIdx.x == 0) out",
                                    "if (threadIdx.x == 0 && blockIdx.x != 3) out");
  const VerifyReport report = Pair(std::string(kKernel) + kMain, port).verify();
  EXPECT_THAT(report.kernels[0].reason,
              HasSubstr("no thread of the port writes it, the original does at"));
  EXPECT_THAT(report.kernels[0].reason, HasSubstr("sums.cu:11"));
}

// Rows of a pitched image, whose padding nobody writes.
TEST(VerifyContract, memory_that_was_written_in_parts_counts_as_that) {
  const std::string kernel = R"(
__global__ void sums(const int* in, int pitch, int width, int* out) {
  if (threadIdx.x < width) {
    out[blockIdx.x * width + threadIdx.x] = in[blockIdx.x * pitch + threadIdx.x] + 1;
  }
}
int main() {
  const int width = 20, height = 6;
  int host[width * height], *in, *out;
  size_t pitch = 0;
  for (int i = 0; i < width * height; ++i) host[i] = i * i % 50;
  GPUMallocPitch((void**)&in, &pitch, width * sizeof(int), height);
  GPUMalloc(&out, sizeof host);
  GPUMemcpy2D(in, pitch, host, width * sizeof(int), width * sizeof(int), height,
              GPUMemcpyHostToDevice);
  sums<<<height, 32>>>(in, (int)(pitch / sizeof(int)), width, out);
  return GPUDeviceSynchronize() != GPUSuccess;
}
)";
  std::string port = replaced(kernel, "GPUMemcpyHostToDevice", "hipMemcpyHostToDevice");
  port = replaced(port, "GPUDeviceSynchronize() != GPUSuccess",
                  "hipDeviceSynchronize() != hipSuccess");
  const VerifyReport report = Pair(kernel, port).verify();
  EXPECT_TRUE(report.right()) << to_json(report).dump(1);
  ASSERT_EQ(report.contracts.size(), 1u) << to_json(report).dump(1);
  const ContractParameter& in = report.contracts[0].parameters[0];
  EXPECT_EQ(in.role, Role::in);
  EXPECT_EQ(in.range, (std::array<std::string, 2>{"0", "50"}));  // not that of the padding
  EXPECT_GT(report.kernels[0].num_cases, 10);
}

constexpr const char* kScale = R"(
__global__ void scale(float* x, const float* y, float a, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = a * y[i];
}
)";

TEST(VerifyContract, a_kernel_without_a_main_is_launched_as_its_signature_suggests) {
  const VerifyReport right = Pair(kScale, kScale).verify();
  EXPECT_TRUE(right.right()) << to_json(right).dump(1);
  EXPECT_GT(right.kernels[0].num_cases, 20);
  ASSERT_EQ(right.remarks.size(), 1u);
  EXPECT_THAT(right.remarks[0], HasSubstr("launched as its signature suggests"));
  EXPECT_EQ(right.contracts[0].parameters[0].writes, (std::array<std::string, 2>{"0", "n * 4"}));
  const VerifyReport wrong = Pair(kScale, replaced(kScale, "i < n", "i < n - 1")).verify();
  EXPECT_EQ(wrong.kernels[0].verdict, KernelVerdict::wrong);
}

TEST(VerifyContract, a_kernel_that_main_does_not_launch_is_launched_as_its_signature_suggests) {
  const std::string both = std::string(kKernel) + kScale;
  const VerifyReport report = Pair(both + kMain, both + hip_main()).verify();
  EXPECT_TRUE(report.right()) << to_json(report).dump(1);
  ASSERT_EQ(report.kernels.size(), 2u);
  for (const KernelReport& kernel : report.kernels) EXPECT_GT(kernel.num_cases, 10);
  EXPECT_THAT(report.remarks, testing::Contains(HasSubstr("nothing launches scale")));

  const VerifyReport wrong =
      Pair(both + kMain, replaced(both, "a * y[i]", "a + y[i]") + hip_main()).verify();
  EXPECT_FALSE(wrong.right()) << to_json(wrong).dump(1);
}

TEST(VerifyContract, a_contract_by_hand_tells_what_a_signature_does_not) {
  const std::string pairs = replaced(kScale, "y[i]", "(y[i] + y[2 * n + i])");
  const Pair pair(pairs, pairs);
  VerifyReport report = pair.verify();
  EXPECT_EQ(report.kernels[0].verdict, KernelVerdict::unverified);
  EXPECT_THAT(report.kernels[0].reason, HasSubstr("out_of_bounds"));
  Contract contract = propose_contracts(pair.original.facts["kernels"][0])[0];
  contract.parameters[0].role = Role::out;
  contract.parameters[0].writes = {"0", "n * 4"};
  contract.parameters[1].bytes = "3 * n * 4";
  report = pair.verify({contract});
  EXPECT_TRUE(report.right()) << to_json(report).dump(1);
}

}  // namespace
}  // namespace ambidex
