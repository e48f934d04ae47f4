// SPDX-License-Identifier: Apache-2.0
// A scan in one pass: each block waits for the total of those before it, which volatile flags tell.
#include <cstdio>
#include <vector>

constexpr int kThreads = 96;
__device__ unsigned ticket;

__global__ void scan(const int* in, int* out, int n, volatile int* totals, volatile int* ready) {
  __shared__ int part[kThreads], block, before;
  if (threadIdx.x == 0) block = atomicAdd(&ticket, 1u);
  __syncthreads();
  const int t = threadIdx.x, i = block * kThreads + t;
  part[t] = i < n ? in[i] : 0;
  __syncthreads();
  for (int d = 1; d < kThreads; d *= 2) {
    const int add = t >= d ? part[t - d] : 0;
    __syncthreads();
    part[t] += add;
    __syncthreads();
  }
  if (t == 0) {
    before = 0;
    if (block > 0) {
      while (ready[block - 1] == 0) {
      }
      __threadfence();
      before = totals[block - 1];
    }
    totals[block] = before + part[kThreads - 1];
    __threadfence();
    ready[block] = 1;
  }
  __syncthreads();
  if (i < n) out[i] = before + part[t];
}

int main() {
  const int n = 1000, blocks = (n + kThreads - 1) / kThreads;
  std::vector<int> host(n), got(n);
  for (int i = 0; i < n; ++i) host[i] = i * 37 % 19 - 6;
  int *in, *out, *totals, *ready;
  cudaMalloc(&in, n * sizeof(int));
  cudaMalloc(&out, n * sizeof(int));
  cudaMalloc(&totals, blocks * sizeof(int));
  cudaMalloc(&ready, blocks * sizeof(int));
  cudaMemset(ready, 0, blocks * sizeof(int));
  cudaMemcpy(in, host.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  scan<<<blocks, kThreads>>>(in, out, n, totals, ready);
  cudaMemcpy(got.data(), out, n * sizeof(int), cudaMemcpyDeviceToHost);
  int wrong = 0, sum = 0;
  for (int i = 0; i < n; ++i) {
    sum += host[i];
    wrong += got[i] != sum;
  }
  std::printf("chained scan: %d wrong\n", wrong);
  return wrong != 0;
}
