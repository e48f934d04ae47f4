// SPDX-License-Identifier: Apache-2.0
// N09: bfloat16.
#include <cuda_bf16.h>  // expect: N09 S2

__global__ void scale(__nv_bfloat16* x, float f) {  // expect: N09 S2
  x[threadIdx.x] = __float2bfloat16(__bfloat162float(x[threadIdx.x]) * f);  // expect: N09 S2
}

template <typename T>
__device__ T from_float(float x) {
  return T(__float2bfloat16_rn(x));  // expect: N09 S2
}

using bf16 = nv_bfloat16;  // expect: N09 S2
#define PACK(a, b) __floats2bfloat162_rn(a, b)  // expect: N09 S2

__device__ unsigned by_ptx(float a, float b) {
  unsigned r;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(r) : "f"(a), "f"(b));  // expect: N09 S2
  return r;
}

#if __CUDA_ARCH__ >= 9990
__device__ float2 unpack(__nv_bfloat162 v) {  // expect: N09 S2
  return __bfloat1622float2(v);               // expect: N09 S2
}
#endif
