// SPDX-License-Identifier: Apache-2.0
// Filters by one atomic of each group of lanes that keep: by hand, where the lanes hand over a
// variable that their leader alone has set, and by cooperative groups.
#include <cooperative_groups.h>

#include <algorithm>
#include <cstdio>
#include <vector>

namespace cg = cooperative_groups;

__device__ int claim(int* counter) {
  const unsigned active = __activemask();
  const int leader = __ffs(active) - 1;
  const unsigned rank = __popc(active & ((1u << (threadIdx.x % warpSize)) - 1));
  int start;
  if (rank == 0) start = atomicAdd(counter, __popc(active));
  start = __shfl_sync(active, start, leader);
  return start + rank;
}

__device__ int claim_together(int* counter) {
  cg::coalesced_group group = cg::coalesced_threads();
  int start;
  if (group.thread_rank() == 0) start = atomicAdd(counter, group.size());
  return group.shfl(start, 0) + group.thread_rank();
}

// Floats in the order in which warps come.
__global__ void keep_positive(const float* in, int n, float* out, int* counter) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  if (in[i] > 0.0f) out[claim(counter)] = in[i];
}

__global__ void keep_negative(const float* in, int n, float* out, int* counter) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    if (in[i] < 0.0f) out[claim_together(counter)] = in[i];
  }
}

int main() {
  const int n = 5000;
  std::vector<float> in(n), kept;
  for (int i = 0; i < n; ++i) in[i] = static_cast<float>(i * 7919 % 201 - 100) / 8.0f;
  float *d_in, *d_out;
  int* d_counter;
  cudaMalloc(&d_in, n * sizeof(float));
  cudaMalloc(&d_out, n * sizeof(float));
  cudaMalloc(&d_counter, sizeof(int));
  cudaMemcpy(d_in, in.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  int num_wrong = 0;
  for (const bool positive : {true, false}) {
    cudaMemset(d_counter, 0, sizeof(int));
    if (positive) {
      keep_positive<<<(n + 255) / 256, 256>>>(d_in, n, d_out, d_counter);
    } else {
      keep_negative<<<4, 192>>>(d_in, n, d_out, d_counter);
    }
    int count = 0;
    cudaMemcpy(&count, d_counter, sizeof(int), cudaMemcpyDeviceToHost);
    kept.resize(count);
    cudaMemcpy(kept.data(), d_out, count * sizeof(float), cudaMemcpyDeviceToHost);
    std::vector<float> wanted;
    for (const float x : in) {
      if (positive ? x > 0.0f : x < 0.0f) wanted.push_back(x);
    }
    std::sort(kept.begin(), kept.end());
    std::sort(wanted.begin(), wanted.end());
    num_wrong += kept != wanted;
    printf("%d kept\n", count);
  }
  printf("%s\n", num_wrong == 0 ? "right" : "wrong");
  return num_wrong;
}
