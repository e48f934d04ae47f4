// SPDX-License-Identifier: Apache-2.0
// N08: Members and bits of half2.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

__device__ float first(half2 h) { return (float)h.x; }  // expect: N08 S0

__device__ float sum(const __half2* p, int i) {
  return __half2float(p[i].x) + __half2float(p->y);  // expect: N08 S0
}

template <typename T>
__device__ void store(T* out, const void* in) {
  half2 v[4];
  for (int k = 0; k < 4; ++k) {
    out[2 * k] = T(v[k].x);      // expect: N08 S0
    out[2 * k + 1] = T(v[k].y);  // expect: N08 S0
  }
  out[8] = T((*reinterpret_cast<const half2*>(in)).y);  // expect: N08 S0
}

__device__ float by_call(float a, float b) {
  return __half2float(__floats2half2_rn(a, b).x);  // expect: N08 S0
}

__device__ float packed_bf16(__nv_bfloat162 p) { return __bfloat162float(p.y); }  // expect: N08 S0

__device__ float deduced(const half2* p) {
  auto v = p[threadIdx.x];
  return __half2float(v.x);  // expect: N08 S0
}

#define ONE ((half)0x3c00)  // expect: N08 S0
#define LOW(p) (((half2*)(p))->x)  // expect: N08 S0

#ifdef NEVER
__device__ half minus_infinity() { return __half(0xfc00); }  // expect: N08 S0
#endif

// Not these.
__device__ float plain(float2 v, dim3 d) { return v.x + v.y + d.x; }
__device__ float functions(half2 h) { return __low2float(h) + __high2float(h); }
