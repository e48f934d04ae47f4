// SPDX-License-Identifier: Apache-2.0
// Ports whose results in the executor are the original's, and would not be on a GPU: it has caches
// and queues, and its users other sizes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "verify_sources.h"

namespace ambidex {
namespace {

using testing::HasSubstr;

// Two streams that an event orders, a value that the host reads back, a fence, a counter of all
// blocks.
constexpr const char* kOriginal = R"(
#include <cuda_runtime.h>
#include <vector>
__device__ unsigned num_done = 0;
__global__ void count(const int* keys, int* counts, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&counts[keys[i] % 16], 1);
}
__global__ void last_block(const float* x, float* part, float* total, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) part[i] = x[i] * 2;
  __threadfence();
  __shared__ bool last;
  __syncthreads();
  if (threadIdx.x == 0) last = atomicInc(&num_done, gridDim.x - 1) == gridDim.x - 1;
  __syncthreads();
  if (last && threadIdx.x == 0) *total = part[0] + part[n - 1];
}
__global__ void scale(const float* x, float* y, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] * a;
}
int main(int argc, char**) {
  const int n = argc > 1 ? 7 : 1024;
  std::vector<float> h(n);
  std::vector<int> k(n);
  for (int i = 0; i < n; ++i) { h[i] = i % 17 + 1; k[i] = i * 31 % 101; }
  float *x, *y, *part, *total, t;
  int *keys, *counts;
  cudaStream_t first, second;
  cudaEvent_t event;
  cudaMalloc(&x, n * 4); cudaMalloc(&y, n * 4); cudaMalloc(&part, n * 4); cudaMalloc(&total, 4);
  cudaMalloc(&keys, n * 4); cudaMalloc(&counts, 64);
  cudaStreamCreate(&first); cudaStreamCreate(&second); cudaEventCreate(&event);
  cudaMemcpyAsync(x, h.data(), n * 4, cudaMemcpyHostToDevice, first);
  cudaMemcpy(keys, k.data(), n * 4, cudaMemcpyHostToDevice);
  cudaMemset(counts, 0, 64);
  count<<<(n + 127) / 128, 128>>>(keys, counts, n);
  last_block<<<(n + 127) / 128, 128, 0, first>>>(x, part, total, n);
  cudaMemcpyAsync(&t, total, 4, cudaMemcpyDeviceToHost, first);
  cudaStreamSynchronize(first);
  cudaEventRecord(event, first);
  cudaStreamWaitEvent(second, event, 0);
  scale<<<(n + 127) / 128, 128, 0, second>>>(x, y, 1 / t, n);
  const dim3 blocks[] = {dim3(8), dim3(4)};  // of which no formula is known
  count<<<blocks[0], 128>>>(keys, counts, n);
  cudaDeviceSynchronize();
}
)";

std::string in_hip() {
  std::string text = kOriginal;
  for (size_t at = 0; (at = text.find("cuda", at)) != std::string::npos;) {
    text.replace(at, 4, "hip");
  }
  const std::string from = "hip_runtime.h";
  return text.replace(text.find(from), from.size(), "hip/hip_runtime.h");
}

struct Change {
  std::string from, to;
};

VerifyReport verify_changed(const std::vector<Change>& changes) {
  std::string port = in_hip();
  for (const Change& change : changes) {
    const size_t at = port.find(change.from);
    EXPECT_NE(at, std::string::npos) << change.from;
    if (at != std::string::npos) port.replace(at, change.from.size(), change.to);
  }
  return verify_sources(kOriginal, port);
}

std::string reason_of(const VerifyReport& report, const std::string& kernel) {
  for (const KernelReport& one : report.kernels) {
    if (one.kernel == kernel) return one.reason;
  }
  return "no such kernel";
}

std::string atomic_add(const std::string& scope) {
  return "__hip_atomic_fetch_add(&counts[keys[i] % 16], 1, __ATOMIC_RELAXED, "
         "__HIP_MEMORY_SCOPE_" +
         scope + ")";
}

TEST(VerifyUnseen, a_port_that_keeps_all_of_it_in_other_words_is_right) {
  const VerifyReport report =
      verify_changed({{"atomicAdd(&counts[keys[i] % 16], 1)", atomic_add("AGENT")},
                      {"__threadfence()", "__builtin_amdgcn_fence(__ATOMIC_SEQ_CST, \"agent\")"},
                      {"scale<<<(n + 127) / 128", "scale<<<(127 + n) / 128"},
                      {"__global__ void scale", "__global__ void __launch_bounds__(128) scale"},
                      {"  hipEventRecord(", "  (void)hipDeviceSynchronize();\n  hipEventRecord("}});
  EXPECT_TRUE(report.right()) << report.program << reason_of(report, "count")
                              << reason_of(report, "last_block") << reason_of(report, "scale");
}

TEST(VerifyUnseen, fences_scopes_and_grids_that_are_less_are_named_each_for_its_kernel) {
  const VerifyReport report =
      verify_changed({{"atomicAdd(&counts[keys[i] % 16], 1)", atomic_add("WORKGROUP")},
                      {"__threadfence()", "__threadfence_block()"},
                      {"scale<<<(n + 127) / 128", "scale<<<n / 128"}});
  EXPECT_THAT(reason_of(report, "count"), HasSubstr("an atomic that reaches its own block alone"));
  EXPECT_THAT(reason_of(report, "last_block"),
              HasSubstr("it has 0 fences that reach the whole GPU, the original 1"));
  EXPECT_THAT(reason_of(report, "scale"), HasSubstr("its grid in x: (n / 128) is"));
  EXPECT_FALSE(report.right());
}

TEST(VerifyUnseen, a_barrier_without_a_fence_is_named) {
  const VerifyReport report = verify_changed(
      {{"  __threadfence();\n", "  __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, \"agent\");\n"},
       {"  __syncthreads();\n", "  __builtin_amdgcn_s_barrier();\n"},
       {"  __syncthreads();\n", "  __builtin_amdgcn_s_barrier();\n"}});
  EXPECT_THAT(reason_of(report, "last_block"), HasSubstr("a barrier without a fence beside it"));
}

TEST(VerifyUnseen, a_wait_that_is_lost_or_another_streams_is_named) {
  EXPECT_THAT(verify_changed({{"  hipStreamSynchronize(first);\n", ""}}).program,
              HasSubstr("after 2 launches the original's host code has \"wait for stream 1\""));
  EXPECT_THAT(verify_changed({{"hipStreamWaitEvent(second", "hipStreamWaitEvent(first"}}).program,
              HasSubstr("\"stream 2 waits for an event\", the port's has not"));
  EXPECT_THAT(
      verify_changed({{"hipMemcpy(keys, k.data(), n * 4, hipMemcpyHostToDevice)",
                       "hipMemcpyAsync(keys, k.data(), n * 4, hipMemcpyHostToDevice, first)"}})
          .program,
      HasSubstr("\"copy and wait\""));
}

TEST(VerifyUnseen, bounds_below_the_launched_block_refuse_the_launch) {
  const VerifyReport report =
      verify_changed({{"__global__ void scale", "__global__ void __launch_bounds__(64) scale"}});
  EXPECT_THAT(report.program, HasSubstr("the port's program makes 3 launches, the original's 4"));
}

}  // namespace
}  // namespace ambidex
