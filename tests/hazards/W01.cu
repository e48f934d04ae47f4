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

// Trees of which only the first lane of each 32 uses the result, here and in callers.
__global__ void first_lanes(const float* in, float* out) {
  const int lane = threadIdx.x & 31;
  float sum = in[threadIdx.x];
  for (int o = 16; o > 0; o /= 2) sum += __shfl_down_sync(FULL_MASK, sum, o);  // expect: W01 S3
  if (lane == 0) out[threadIdx.x / 32] = sum;
}

__device__ float tree(float value) {
  for (int o = 1; o < 32; o *= 2) {
    const float other = __shfl_down_sync(FULL_MASK, value, o);  // expect: W01 S3
    if (other > value) value = other;
  }
  return value;
}
__device__ float block_tree(float value) {
  __shared__ float partial[32];
  value = tree(value);
  if ((threadIdx.x & 31) == 0) partial[threadIdx.x >> 5] = value;
  __syncthreads();
  value = threadIdx.x < blockDim.x / 32 ? partial[threadIdx.x] : 0.f;
  if (threadIdx.x < 32) value = tree(value);
  return value;
}
__global__ void greatest(const float* in, float* out) {
  const float most = block_tree(in[threadIdx.x]);
  if (!threadIdx.x) out[blockIdx.x] = most;
}

// The same, but another lane uses it too: in the else, after a row of the loop, as an argument.
__global__ void other_lanes(const float* in, float* out) {
  float sum = in[threadIdx.x];
  for (int o = 16; o > 0; o /= 2) sum += __shfl_down_sync(FULL_MASK, sum, o);  // expect: W01 S0
  if (threadIdx.x % 32 == 0) {
    out[0] = 1.f;
  } else {
    out[threadIdx.x] = sum;
  }
}
__global__ void running(const float* in, float* out, int rows) {
  float sum = 0.f;
  for (int row = 0; row < rows; ++row) {
    sum += in[row];
    for (int o = 16; o > 0; o /= 2) sum += __shfl_down_sync(FULL_MASK, sum, o);  // expect: W01 S0
    if (threadIdx.x % 32 == 0) out[row] = sum;
  }
}
__global__ void quarters(const float* in, float* out) {
  float sum = in[threadIdx.x];
  sum += __shfl_down_sync(FULL_MASK, sum, 16);  // expect: W01 S0
  if ((threadIdx.x & 15) == 0) out[threadIdx.x / 16] = sum;
}
