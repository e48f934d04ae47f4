// SPDX-License-Identifier: Apache-2.0
// W02: masks of lanes with 32 bits.
#include <cuda_runtime.h>

#include <cstdint>

#define ALL_LANES 0xffffffff
#define EXCHANGE(mask, value, with) __shfl_xor_sync(mask, value, with)
using lane_mask = unsigned int;
constexpr unsigned kEveryLane = ~0u;

__global__ void literals(int* out) {
  int v = out[threadIdx.x];
  v += __shfl_xor_sync(0xffffffff, v, 1);   // expect: W02 S2
  v += __shfl_xor_sync(0xFFFFFFFFu, v, 2);  // expect: W02 S2
  v += __shfl_xor_sync(~0u, v, 4);          // expect: W02 S2
  v += __shfl_xor_sync(-1, v, 8);           // expect: W02 S2
  v += __shfl_xor_sync(ALL_LANES, v, 16);   // expect: W02 S2
  out[threadIdx.x] = v;
}

template <typename T>
__device__ T typed(lane_mask mask, T v, unsigned members) {
  v += __shfl_xor_sync(mask, v, 1);              // expect: W02 S2
  v += __shfl_xor_sync(members, v, 1);           // expect: W02 S2
  v += __shfl_xor_sync(kEveryLane, v, 1);        // expect: W02 S2
  v += __shfl_xor_sync((1u << 16) - 1u, v, 1);   // expect: W02 S2
  return v;
}

__global__ void through_a_macro(int* out) {
  int v = out[threadIdx.x];
  v += EXCHANGE(0xffffffffu, v, 1);  // expect: W02 S2
  const uint32_t low = 0xffffu;
  v += EXCHANGE(low, v, 1);  // expect: W02 S2
  out[threadIdx.x] = v;
}

// Zero-extended: compiles, and leaves the upper half of the wave out.
__global__ void zero_extended(int* out) {
  out[threadIdx.x] = __shfl_xor_sync(0xffffffffull, out[threadIdx.x], 1);  // expect: W02 S0
}

// 64-bit masks are what HIP takes.
__global__ void wide(int* out, unsigned long long mask) {
  int v = out[threadIdx.x];
  v += __shfl_xor_sync(mask, v, 1);
  v += __shfl_xor_sync(__activemask(), v, 1);
  v += __shfl_xor_sync(~0ull, v, 1);
  out[threadIdx.x] = v;
}
