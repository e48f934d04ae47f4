// SPDX-License-Identifier: Apache-2.0
// Right on 64 lanes as written: every exchange spells its width, every ballot goes to its half.
#include <cuda_runtime.h>

#define WARP 32
constexpr unsigned kAll = 0xffffffffu;

template <typename T, int kWidth = WARP>
__device__ T sum(T v) {
  for (int o = kWidth / 2; o > 0; o /= 2) v += __shfl_down_sync(kAll, v, o, kWidth);
  return __shfl_sync(kAll, v, 0, kWidth);
}

__device__ int rotated(int v, int by) {
  const int lane = threadIdx.x & 31;
  return __shfl_sync(kAll, v, (lane + by) & 31, 32);
}

__device__ int half_warp(int v) { return v + __shfl_up_sync(kAll, v, 1, 16); }

__global__ void block_sum(const float* in, float* out, int rows) {
  __shared__ float partial[32];
  const int lane = threadIdx.x & 31;
  const int warp = threadIdx.x >> 5;
  if (blockIdx.x >= rows) return;
  const float v = sum(in[threadIdx.x]);
  if (lane == 0) partial[warp] = v;
  __syncthreads();
  if (warp == 0) {
    const float total = sum(lane < blockDim.x / 32 ? partial[lane] : 0.0f);
    if (lane == 0) out[blockIdx.x] = total + rotated(1, 2) + half_warp(3);
  }
}

// With __ballot's 64 bits, as HIP has them.
__global__ void ballots(const int* in, int* out) {
  const unsigned long long mask = ~0ull;
  const unsigned long long votes = __ballot_sync(mask, in[threadIdx.x]);
  const unsigned own = (unsigned)((votes >> (threadIdx.x & 32)) & 0xffffffffu);
  out[threadIdx.x] = __popc(own);
}

void launch(const float* in, float* out, int rows) {
  block_sum<<<rows, dim3(WARP, 8)>>>(in, out, rows);
  block_sum<<<rows / WARP, 8 * WARP>>>(in, out, rows);
}
