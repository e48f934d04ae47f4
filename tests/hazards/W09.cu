// SPDX-License-Identifier: Apache-2.0
// W09: the width of a wave as a constant, and on the host. No compiler for CUDA takes all of these.
#include <cuda_runtime.h>

#define WARP_SIZE warpSize
#define BLOCK 256

template <int kWidth>
__device__ int width() {
  return kWidth;
}

__global__ void constants(int* out) {
  __shared__ int sums[BLOCK / warpSize];  // expect: W09 S2
  constexpr int kHalf = WARP_SIZE / 2;    // expect: W09 S2
  static_assert(warpSize == 32, "");      // expect: W09 S2
  sums[0] = width<WARP_SIZE>();           // expect: W09 S2
  out[0] = sums[0] + kHalf;
}

template <typename T, int kLanes = warpSize>  // expect: W09 S2
__device__ T first(T value) {
  return value;
}

int blocks_of(int rows) {
  return rows / (BLOCK / warpSize);  // expect: W09 S2
}

static const int kWarpsOfBlock = 1024 / warpSize;  // expect: W09 S2

template <typename T>
struct Launcher {
  int threads(int rows) const { return rows * WARP_SIZE; }  // expect: W09 S2
};

#ifdef __AMDGCN_WAVEFRONT_SIZE             // expect: W09 S0
#define LANES __AMDGCN_WAVEFRONT_SIZE      // expect: W09 S2
#else
#define LANES 32
#endif

// At run time, on the device: what it is for.
__global__ void at_run_time(int* out) { out[threadIdx.x] = threadIdx.x % warpSize; }
