// SPDX-License-Identifier: Apache-2.0
// Inclusive scan of a block: shuffle scan in each warp, then the warps' totals.
#include <cstdio>
#include <vector>

#define WARP_SIZE 32
#define FULL_MASK 0xffffffffu

__device__ int warp_inclusive_scan(int value, int lane) {
#pragma unroll
  for (int d = 1; d < WARP_SIZE; d <<= 1) {
    int other = __shfl_up_sync(FULL_MASK, value, d);
    if (lane >= d) value += other;
  }
  return value;
}

__global__ void block_scan(const int* in, int* out, int* totals, int n) {
  __shared__ int warp_totals[WARP_SIZE];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int lane = threadIdx.x & (WARP_SIZE - 1);
  const int warp = threadIdx.x / WARP_SIZE;
  const int num_warps = blockDim.x / WARP_SIZE;
  int value = i < n ? in[i] : 0;
  value = warp_inclusive_scan(value, lane);
  if (lane == WARP_SIZE - 1) warp_totals[warp] = value;
  __syncthreads();
  if (warp == 0) {
    int total = lane < num_warps ? warp_totals[lane] : 0;
    total = warp_inclusive_scan(total, lane);
    if (lane < num_warps) warp_totals[lane] = total;
  }
  __syncthreads();
  if (warp > 0) value += warp_totals[warp - 1];
  if (i < n) out[i] = value;
  if (threadIdx.x == blockDim.x - 1) totals[blockIdx.x] = value;
}

__global__ void add_offsets(int* out, const int* totals, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int offset = 0;
  for (int b = 0; b < blockIdx.x; ++b) offset += totals[b];
  if (i < n) out[i] += offset;
}

int main() {
  const int n = 1500, block = 512, grid = (n + block - 1) / block;
  std::vector<int> in(n), out(n);
  for (int i = 0; i < n; ++i) in[i] = (i * 31) % 11 - 4;
  int *d_in, *d_out, *d_totals;
  cudaMalloc(&d_in, n * sizeof(int));
  cudaMalloc(&d_out, n * sizeof(int));
  cudaMalloc(&d_totals, grid * sizeof(int));
  cudaMemcpy(d_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  block_scan<<<grid, block>>>(d_in, d_out, d_totals, n);
  add_offsets<<<grid, block>>>(d_out, d_totals, n);
  cudaMemcpy(out.data(), d_out, n * sizeof(int), cudaMemcpyDeviceToHost);
  int sum = 0, bad = 0;
  for (int i = 0; i < n; ++i) {
    sum += in[i];
    bad += out[i] != sum;
  }
  std::printf("scan: %d wrong\n", bad);
  return bad != 0;
}
