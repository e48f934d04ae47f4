// SPDX-License-Identifier: Apache-2.0
// Where diverged lanes of HIP programs meet, after clang has optimised them: programs that compare
// with plain loops themselves.
#include "runner_support.h"

namespace ambidex {
namespace {

using testing::HasSubstr;

nlohmann::json on_wave64() { return {{"wave_width", 64}}; }

TEST(Lockstep, lanes_meet_after_branches_and_in_loops_that_others_have_left) {
  TestProgram program(R"(
#include <hip/hip_runtime.h>
#include <cstdio>
typedef unsigned long long u64;
__global__ void kernel(const u64* in, u64* out, int n) {
  int lane = threadIdx.x;
  if (lane < 20) out[lane] = __ballot(1);
  else out[lane] = __ballot(1) | 8;
  out[64 + lane] = __ballot(1);
  u64 seen = 0, rounds = 0;
  for (int i = 0; i < n; ++i) {
    if (in[i] % 3 == lane % 3) { seen += __popcll(__ballot(1)); continue; }
    if (in[i] == 9 && lane > 40) break;
    seen += 1000 * __popcll(__ballot(1));
    ++rounds;
  }
  out[128 + lane] = seen;
  out[192 + lane] = __ballot(rounds > 2);
}
int main() {
  const int n = 12;
  u64 in[n] = {0, 1, 2, 3, 4, 5, 9, 7, 8, 10, 11, 12}, out[256], *d_in, *d_out;
  hipMalloc(&d_in, sizeof in); hipMalloc(&d_out, sizeof out);
  hipMemcpy(d_in, in, sizeof in, hipMemcpyHostToDevice);
  kernel<<<1, 64>>>(d_in, d_out, n);
  hipMemcpy(out, d_out, sizeof out, hipMemcpyDeviceToHost);
  u64 seen[64] = {}, rounds[64] = {}, active = ~0ull, last = 0;
  for (int i = 0; i < n; ++i) {
    u64 first = 0;
    for (int x = 0; x < 64; ++x) if ((active >> x & 1) && in[i] % 3 == x % 3) first |= 1ull << x;
    for (int x = 0; x < 64; ++x) if (first >> x & 1) seen[x] += __builtin_popcountll(first);
    if (in[i] == 9) for (int x = 41; x < 64; ++x) if (!(first >> x & 1)) active &= ~(1ull << x);
    const u64 rest = active & ~first;
    for (int x = 0; x < 64; ++x) {
      if (rest >> x & 1) { seen[x] += 1000 * __builtin_popcountll(rest); ++rounds[x]; }
    }
  }
  const u64 low = (1ull << 20) - 1;
  for (int x = 0; x < 64; ++x) if (rounds[x] > 2) last |= 1ull << x;
  for (int x = 0; x < 64; ++x) {
    if (out[x] != (x < 20 ? low : ~low | 8) || out[64 + x] != ~0ull) return 1;
    if (out[128 + x] != seen[x]) return 2;
    if (out[192 + x] != last) return 3;
  }
  printf("right\n");
}
)",
                      "hip");
  expect_right(program, on_wave64());
}

// A function that is not inlined would be further inside than the loop that others are still in.
TEST(Lockstep, lanes_that_have_left_a_loop_wait_before_a_call_that_is_not_to_be_inlined) {
  TestProgram program(R"(
#include <hip/hip_runtime.h>
#include <cstdio>
__device__ __noinline__ int total(int value) {
  for (int offset = 32; offset > 0; offset /= 2) value += __shfl_xor(value, offset);
  return value;
}
__global__ void kernel(int* rounds, int* out, int n) {
  int mine = 0;
  for (int i = threadIdx.x; i < n; i += 64) { atomicAdd(rounds, 1); mine += i; }
  out[threadIdx.x] = total(mine);
}
int main() {
  const int n = 1000;
  int zero = 0, out[64], rounds, *d_rounds, *d_out;
  hipMalloc(&d_rounds, 4); hipMalloc(&d_out, sizeof out);
  hipMemcpy(d_rounds, &zero, 4, hipMemcpyHostToDevice);
  kernel<<<1, 64>>>(d_rounds, d_out, n);
  hipMemcpy(out, d_out, sizeof out, hipMemcpyDeviceToHost);
  hipMemcpy(&rounds, d_rounds, 4, hipMemcpyDeviceToHost);
  for (int x = 0; x < 64; ++x) if (out[x] != n * (n - 1) / 2) return 1;
  if (rounds != n) return 2;
  printf("right\n");
}
)",
                      "hip");
  expect_right(program, on_wave64());
}

std::string lock_program(const std::string& body) {
  return R"(
#include <hip/hip_runtime.h>
#include <cstdio>
__global__ void kernel(int* lock, int* counter) {
)" + body +
         R"(
}
int main() {
  int zero = 0, count = 0, *lock, *counter;
  hipMalloc(&lock, 4); hipMalloc(&counter, 4);
  hipMemcpy(lock, &zero, 4, hipMemcpyHostToDevice);
  hipMemcpy(counter, &zero, 4, hipMemcpyHostToDevice);
  kernel<<<1, 128>>>(lock, counter);
  hipMemcpy(&count, counter, 4, hipMemcpyDeviceToHost);
  if (count != 128) return 1;
  printf("right\n");
}
)";
}

TEST(Lockstep, a_lock_released_within_its_loop_goes_forward) {
  TestProgram program(lock_program(R"(
  bool done = false;
  while (!done) {
    if (atomicCAS(lock, 0, 1) == 0) {
      atomicAdd(counter, 1);
      __threadfence();
      atomicExch(lock, 0);
      done = true;
    }
  })"),
                      "hip");
  expect_right(program, on_wave64());
}

TEST(Lockstep, a_lock_released_after_its_loop_does_not) {
  TestProgram program(lock_program(R"(
  while (atomicCAS(lock, 0, 1) != 0) {}
  atomicAdd(counter, 1);
  __threadfence();
  atomicExch(lock, 0);)"),
                      "hip");
  const nlohmann::json answer = program.run(on_wave64());
  ASSERT_FALSE(answer["problems"].empty()) << answer.dump(1);
  EXPECT_EQ(answer["problems"][0]["kind"], "no_forward_progress");
  EXPECT_THAT(answer["problems"][0]["message"].get<std::string>(),
              HasSubstr("in lockstep that lane only goes on when the loop ends"));
}

}  // namespace
}  // namespace ambidex
