// SPDX-License-Identifier: Apache-2.0
// PTX in the executor. tests/ptx_program.cu compares each statement with plain C++.
#include "runner_support.h"

namespace ambidex {
namespace {

using testing::HasSubstr;

TEST(RunnerPtx, statements_do_what_plain_code_does) {
  TestProgram program(read_file(AMBIDEX_SOURCE_DIR "/tests/ptx_program.cu", 1 << 20));
  const nlohmann::json answer = program.run();
  EXPECT_EQ(answer["status"], "ended") << answer.dump(1);
  EXPECT_EQ(answer["stdout"], "0 of 57 wrong\n") << answer["stderr"];
  EXPECT_EQ(answer["problems"].size(), 0) << problems_of(answer);
}

TEST(RunnerPtx, an_asynchronous_copy_beyond_its_array_is_reported) {
  TestProgram program(R"(
__global__ void copy(const float4* x) {
  __shared__ float4 tile[32];
  const unsigned to = (unsigned)__cvta_generic_to_shared(&tile[threadIdx.x]);
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" :: "r"(to), "l"(x + threadIdx.x + 1));
  asm volatile("cp.async.wait_all;");
}
int main() {
  float4* x = nullptr;
  cudaMalloc(&x, 32 * sizeof(float4));
  cudaMemset(x, 0, 32 * sizeof(float4));
  copy<<<1, 32>>>(x);
  return cudaDeviceSynchronize() != cudaSuccess;
}
)");
  const nlohmann::json answer = program.run();
  EXPECT_GE(answer["problems"].size(), 1u) << answer.dump(1);
}

TEST(RunnerPtx, an_instruction_that_is_not_known_traps_with_its_text) {
  TestProgram program(R"(
__global__ void wait() { asm volatile("griddepcontrol.wait;"); }
int main() {
  wait<<<1, 32>>>();
  return cudaDeviceSynchronize() != cudaSuccess;
}
)");
  EXPECT_THAT(program.run().dump(), HasSubstr("griddepcontrol.wait"));
}

}  // namespace
}  // namespace ambidex
