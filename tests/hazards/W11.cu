// SPDX-License-Identifier: Apache-2.0
// W11: lane ids and lane masks by PTX special register.
#include <cuda_runtime.h>

#define GET_LANE(lane) asm("mov.u32 %0, %%laneid;" : "=r"(lane))  // expect: W11 S2

__device__ __forceinline__ unsigned lane_id() {
  unsigned lane;
  asm volatile("mov.u32 %0, %laneid;" : "=r"(lane));  // expect: W11 S2
  return lane;
}

template <typename T>
__device__ T below(T value) {
  unsigned mask;
  asm("mov.u32 %0, %%lanemask_lt;"  // expect: W11 S2
      : "=r"(mask));
  return value & mask;
}

__global__ void warps(unsigned* out) {
  unsigned lane;
  GET_LANE(lane);
#if 1
  unsigned warp = lane_id();
#else
  unsigned warp = 0;
#endif
#ifdef OTHER
  warp = 1;
#else
  auto read = [] {
    unsigned id;
    asm("mov.u32 %0, %%warpid;" : "=r"(id));  // expect: W11 S2
    return id;
  };
  warp += read();
#endif
  out[threadIdx.x] = below(lane + warp);
}

__global__ void harmless(unsigned* out) {
  unsigned x;
  asm("mov.u32 %0, %%tid.x;" : "=r"(x));
  out[x] = x;
}
