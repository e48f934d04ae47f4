// SPDX-License-Identifier: Apache-2.0
// S04: the last warp of a reduction, in lockstep by volatile.
#include <cuda_runtime.h>

__device__ void last_warp(volatile float* sums, int t) {
  sums[t] += sums[t + 32];  // expect: S04 S0
  sums[t] += sums[t + 16];  // expect: S04 S0
  sums[t] += sums[t + 8];   // expect: S04 S0
  sums[t] += sums[t + 4];   // expect: S04 S0
  sums[t] += sums[t + 2];   // expect: S04 S0
  sums[t] += sums[t + 1];   // expect: S04 S0
}

template <typename T, int kThreads>
__global__ void reduce(const T* in, T* out) {
  __shared__ T sums[kThreads];
  const int t = threadIdx.x;
  sums[t] = in[t];
  __syncthreads();
  for (int s = kThreads / 2; s > 32; s /= 2) {
    if (t < s) sums[t] += sums[t + s];
    __syncthreads();
  }
  if (t < 32) {
    volatile T* tail = sums;
    if (kThreads >= 64) tail[t] = tail[t] + tail[t + 32];     // expect: S04 S0
    for (int s = 16; s > 0; s >>= 1) tail[t] += tail[t + s];  // expect: S04 S0
  }
  if (t == 0) *out = sums[0];
}

__global__ void shared_itself(const int* in, int* out) {
  volatile __shared__ int most[64];
  const int t = threadIdx.x;
  most[t] = in[t];
#ifdef LONG
  most[t] = max(most[t], most[t + 32]);  // expect: S04 S0
#else
  most[t] = most[t] > most[t + 16] ? most[t] : most[t + 16];  // expect: S04 S0
#endif
  *out = most[0];
}

// A barrier after each step.
__global__ void harmless(const float* in, float* out) {
  __shared__ float sums[256];
  const int t = threadIdx.x;
  sums[t] = in[t];
  __syncthreads();
  for (int s = 128; s > 0; s >>= 1) {
    if (t < s) sums[t] += sums[t + s];
    __syncthreads();
  }
  *out = sums[0];
}

// An inclusive scan of a warp, towards higher lanes.
__device__ void scan_of_a_warp(volatile int* s, int t) {
  const int lane = t & 31;
  if (lane >= 1) s[t] += s[t - 1];  // expect: S04 S0
  if (lane >= 2) s[t] += s[t - 2];  // expect: S04 S0
}
