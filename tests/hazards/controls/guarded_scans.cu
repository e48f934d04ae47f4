// SPDX-License-Identifier: Apache-2.0
// Right on 64 lanes as written: a lane that would read across the halves does not use the value.
#include <cuda_runtime.h>

__device__ int inclusive(int v) {
  const int lane = threadIdx.x & 31;
  for (int d = 1; d < 32; d <<= 1) {
    const int n = __shfl_up_sync(0xffffffffu, v, d);
    if (lane >= d) v += n;
  }
  return v;
}

template <typename T>
__device__ T inclusive_by_choice(T v, int lane_id) {
#pragma unroll
  for (int d = 1; d <= 16; d *= 2) {
    T n = __shfl_up_sync(0xffffffffu, v, d);
    v = lane_id >= d ? v + n : v;
  }
  return v;
}

__device__ float exclusive(float v) {
  const unsigned lane = threadIdx.x % 32u;
  float before = __shfl_up_sync(0xffffffffu, v, 1);
  if (lane == 0) before = 0.0f;
  return before;
}

__device__ float exclusive_by_choice(float v) {
  const unsigned lane = threadIdx.x % 32u;
  const float before = __shfl_up_sync(0xffffffffu, v, 1);
  return lane > 0 ? before : 0.0f;
}

__global__ void scanned(const int* in, int* out, int n) {
  if (n == 0) return;
  __shared__ int sums[1024 / 32];
  const int v = inclusive(in[threadIdx.x]) + inclusive_by_choice(1, threadIdx.x & 31);
  if ((threadIdx.x & 31) == 31) sums[threadIdx.x >> 5] = v;
  __syncthreads();
  out[threadIdx.x] = v + sums[0] + (int)exclusive(1.0f) + (int)exclusive_by_choice(2.0f);
}
