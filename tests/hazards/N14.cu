// SPDX-License-Identifier: Apache-2.0
// N14: Directed rounding.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

struct Interval {
  float lo, hi;
};

__device__ Interval product(float a, float b) {
  Interval out;
  out.lo = __fmul_rd(a, b);  // expect: N14 S2
  out.hi = __fmul_ru(a, b);  // expect: N14 S2
  return out;
}

template <typename T>
__device__ T truncated(T a, T b) {
  return __dadd_rz(a, b);  // expect: N14 S2
}

#define ADD_RZ(a, b) __fadd_rz(a, b)  // expect: N14 S2

__device__ half narrow(float x) { return __float2half_rz(x); }     // expect: N14 S2
__device__ float from_double(double x) { return __double2float_ru(x); }  // expect: N14 S2

__device__ float by_ptx(float a, float b, float c) {
  float d;
  asm("fma.rz.f32 %0, %1, %2, %3;" : "=f"(d) : "f"(a), "f"(b), "f"(c));  // expect: N14 S2
  return d;
}

#ifdef NEVER
#define __fsub_rz(a, b) ((a) - (b))  // expect: N14 S0
#endif

// Not these: to integers, and to nearest.
__device__ int integers(float x) { return __float2int_rz(x) + __float2int_rd(x); }
__device__ float nearest(float a, float b) { return __fadd_rn(a, b); }
