// SPDX-License-Identifier: Apache-2.0
// W18: templates sized by a warp.
#include <cuda_runtime.h>

constexpr int kWarp = 32;

template <int kLength, typename T>
__device__ T bitonic_sort(T value) {
  const int lane = threadIdx.x % kLength;
  for (int size = 2; size <= kLength; size *= 2) {
    for (int step = size / 2; step > 0; step /= 2) {
      const T other = __shfl_xor_sync(0xffffffffu, value, step);
      const bool up = ((lane & size) == 0) == ((lane & step) == 0);
      value = up == (other < value) ? other : value;
    }
  }
  return value;
}

template <typename T, int kLanes>
struct WarpSelect {
  T best;
};

template <typename T, int kLanes = 32>  // expect: W18 S0
__device__ void welford_merge(T& mean, T& m2, T& count) {
  for (int o = kLanes / 2; o > 0; o /= 2) mean += __shfl_xor_sync(0xffffffffu, mean, o);
}

__global__ void sorted(float* data) {
  data[threadIdx.x] = bitonic_sort<32>(data[threadIdx.x]);  // expect: W18 S0
}

template <typename T>
__global__ void selected(T* data) {
  WarpSelect<T, kWarp> best;  // expect: W18 S0
  best.best = data[threadIdx.x];
  data[0] = best.best;
}

// A width that is passed on: an exchange over as many lanes as it says.
template <int kWidth>
__device__ float warp_sum(float v) {
  for (int o = kWidth / 2; o > 0; o /= 2) v += __shfl_xor_sync(0xffffffffu, v, o, kWidth);
  return v;
}
__global__ void summed(float* data) { data[threadIdx.x] = warp_sum<32>(data[threadIdx.x]); }  // expect: W18 S3
