// SPDX-License-Identifier: Apache-2.0
// W01: shuffles without a width, by the lane that they read.
#include <cuda_runtime.h>

#define FULL_MASK 0xffffffffu
#define SHFL_DOWN(value, distance) __shfl_down_sync(FULL_MASK, value, distance)  // expect: W01 S0
#define SHFL __shfl_sync

// A tree towards lane 0.
__device__ float warp_sum(float value) {
  for (int offset = 16; offset > 0; offset /= 2) {
    value += __shfl_down_sync(0xffffffff, value, offset);  // expect: W01 S0, W02 S2
  }
  return value;
}

// The same in a template, with a value of any type.
template <typename T>
__device__ T warp_max(T value) {
#pragma unroll
  for (int delta = 16; delta >= 1; delta >>= 1) {
    const T other = __shfl_down_sync(FULL_MASK, value, delta);  // expect: W01 S0, W02 S2
    value = other > value ? other : value;
  }
  return __shfl_sync(FULL_MASK, value, 0);  // expect: W01 S0
}

// Broadcasts: from a constant, from a computed leader, through another name.
__device__ int broadcasts(int value, int leader) {
  int sum = __shfl_sync(FULL_MASK, value, 31);  // expect: W01 S0
  sum += __shfl_sync(FULL_MASK, value, leader);  // expect: W01 S0
  sum += SHFL(FULL_MASK, value, 3);              // expect: W01 S0
  return sum;
}

// Neighbours, with nothing that keeps the border lanes from using what they get.
__device__ float neighbours(float value) {
  const float next = __shfl_down_sync(FULL_MASK, value, 1);  // expect: W01 S0
  const float last = __shfl_up_sync(FULL_MASK, value, 1);    // expect: W01 S0
  return next - last;
}

// An index that counts within 32.
__device__ int reversed(int value) {
  const int lane = threadIdx.x & 31;
  return __shfl_sync(FULL_MASK, value, 31 - lane);  // expect: W01 S0
}

// The half fix: the tree starts from warpSize, the rest counts 32.
__global__ void half_fixed(const float* in, float* out) {
  float value = in[threadIdx.x];
  for (int offset = warpSize / 2; offset > 0; offset /= 2) {
    value += __shfl_down_sync(FULL_MASK, value, offset);  // expect: W01 S0
  }
  if (threadIdx.x % 32 == 0) out[threadIdx.x / 32] = value;  // expect: W06 S0
}

// In the branch that this compilation does not take, and in a lambda.
__global__ void other_branch(int* out) {
  int value = out[threadIdx.x];
#ifdef OLD_SHUFFLES
  value += __shfl(value, 0);  // expect: W01 S0
#else
  auto first = [&](int x) { return __shfl_sync(FULL_MASK, x, 0); };  // expect: W01 S0
  value += first(value);
#endif
  out[threadIdx.x] = value + SHFL_DOWN(value, 1);
}

// Right as written: exchanges by xor, and an explicit width.
__device__ float harmless(float value) {
  for (int mask = 16; mask > 0; mask >>= 1) {
    value += __shfl_xor_sync(FULL_MASK, value, mask);  // expect: W01 S3
  }
  return value + __shfl_down_sync(FULL_MASK, value, 1, 32) + __shfl_sync(FULL_MASK, value, 0, 16);
}
