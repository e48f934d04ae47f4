// SPDX-License-Identifier: Apache-2.0
// Kernels that share a file with one that is refused and does not compile.
#include "port/cut_refused.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/files.h"
#include "port/run.h"
#include "scratch.h"

namespace ambidex {
namespace {

using testing::HasSubstr;

TEST(CutRefused, a_body_is_emptied_and_lines_stay) {
  const std::string text =
      "int a;\ntemplate <int n = int{3}>\n__device__ int f(int x, int y = g({1})) {  // {\n"
      "  const char c = '}';\n  if (x) { return 1; }\n  return \"}\"[0] + c;\n}\nint b;\n";
  EXPECT_EQ(
      without_body(text, 3, 7),
      "int a;\ntemplate <int n = int{3}>\n__device__ int f(int x, int y = g({1})) {\n\n\n\n}\n"
      "int b;\n");
  EXPECT_EQ(without_body(text, 1, 1), std::nullopt);
  EXPECT_EQ(without_body(text, 20, 22), std::nullopt);
}

constexpr const char* kProgram = R"(
__device__ unsigned odd(unsigned x) {
  asm volatile("bar.sync 1, 64;" ::: "memory");
  return 64 - x;
}

__global__ void refused(const unsigned* in, unsigned* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned y = odd(i < n ? in[i] : 0);
  if (i < n) out[i] = y;
}
__global__ void doubled(const unsigned* in, unsigned* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 2 * in[i];
}
int main() {
  const int n = 300;
  unsigned host[n], *a, *b, *c;
  for (int i = 0; i < n; ++i) host[i] = 1 + i;
  cudaMalloc(&a, sizeof host);
  cudaMalloc(&b, sizeof host);
  cudaMalloc(&c, sizeof host);
  cudaMemcpy(a, host, sizeof host, cudaMemcpyHostToDevice);
  refused<<<3, 128>>>(a, b, n);
  doubled<<<3, 128>>>(a, c, n);
  cudaMemcpy(host, b, sizeof host, cudaMemcpyDeviceToHost);
  return host[0] != 63;
}
)";

TEST(CutRefused, the_other_kernels_of_the_file_are_judged) {
  const ScratchFolder scratch;
  write_file(scratch.path("both.cu"), kProgram);
  const PortRun run = run_port({.path = scratch.path("both.cu"),
                                .folder = scratch.path("port"),
                                .arguments = {},
                                .trusted = true});
  ASSERT_EQ(run.kernels.size(), 2u);
  EXPECT_EQ(run.kernels[0].kernel, "refused");
  EXPECT_EQ(run.kernels[0].verdict, PortVerdict::refused);
  EXPECT_THAT(run.kernels[0].reason, HasSubstr("both.cu:3: S02"));
  EXPECT_EQ(run.kernels[1].verdict, PortVerdict::pass_unmeasured) << run.kernels[1].reason;
  EXPECT_GT(run.kernels[1].num_cases, 10);
  EXPECT_THAT(run.programs[0].report.remarks,
              testing::Contains(HasSubstr("refused is refused and does not compile")));
}

}  // namespace
}  // namespace ambidex
