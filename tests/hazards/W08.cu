// SPDX-License-Identifier: Apache-2.0
// W08: one partial result per warp, in room for 32.
#include <cuda_runtime.h>

#define MAX_WARPS 32

__device__ float warp_sum(float v) {
  for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffffu, v, o);
  return v;
}

__global__ void block_sum(const float* in, float* out) {
  __shared__ float partial[32];  // expect: W08 S0
  const int lane = threadIdx.x % warpSize;
  const int warp = threadIdx.x / warpSize;
  const float v = warp_sum(in[threadIdx.x]);
  if (lane == 0) partial[warp] = v;
  __syncthreads();
  if (warp == 0) out[blockIdx.x] = warp_sum(partial[lane]);
}

template <typename T>
__device__ T block_max(T v) {
  static __shared__ T most[MAX_WARPS];  // expect: W08 S0
  const int wid = threadIdx.x >> 5;
  most[wid] = warp_sum(v);
  __syncthreads();
  return most[0];
}

__global__ void columns(const int* in, int* out) {
  __shared__ int counts[32][8];  // expect: W08 S0
  const unsigned w = threadIdx.x / warpSize;
  counts[w][threadIdx.x % 8] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = counts[w][0];
}

// A tile: rows and columns, no warps.
__global__ void tile(const float* in, float* out) {
  __shared__ float square[32][33];
  square[threadIdx.y][threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = square[threadIdx.x][threadIdx.y];
}

// A width that was made 64 in one place, while the array and the launch still count 32.
#define WAVE_SIZE 64
__global__ void half_widened(const float* in, float* out) {
  __shared__ float sums[32];  // expect: W08 S0
  const int wave = threadIdx.x / WAVE_SIZE;
  sums[wave] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = sums[threadIdx.x % WAVE_SIZE];
}

// Handed to a function that indexes it.
__device__ float through(float v, float* room) {
  if (threadIdx.x % warpSize == 0) room[threadIdx.x / warpSize] = v;
  __syncthreads();
  return room[threadIdx.x % 32];
}
__global__ void handed(const float* in, float* out) {
  __shared__ float sums[32];  // expect: W08 S0
  out[threadIdx.x] = through(in[threadIdx.x], sums);
}
