// SPDX-License-Identifier: Apache-2.0
// N13: Approximate functions.
#include <cuda_runtime.h>

__global__ void softmax(float* x, float max, float sum) {
  x[threadIdx.x] = __expf(x[threadIdx.x] - max);       // expect: N13 S3
  x[threadIdx.x] = __fdividef(x[threadIdx.x], sum);    // expect: N13 S3
}

template <typename T>
__device__ T normalise(T x, float variance) {
  return x * rsqrtf(variance + 1e-5f);  // expect: N13 S3
}

#define FAST_SIN(x) __sinf(x)  // expect: N13 S3
#define FAST_POW(x, y) (__powf((x), (y)))  // expect: N13 S3

__device__ float by_ptx(float x) {
  float y;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));  // expect: N13 S2
  return y;
}

#ifdef NEVER
__device__ void both(float x, float* s, float* c) { __sincosf(x, s, c); }  // expect: N13 S3
#else
__device__ float logarithm(float x) { return __logf(x) + __log2f(x); }  // expect: N13 S3
#endif

// Not these.
__device__ float precise(float x) { return expf(x) + sqrtf(x) + 1.0f / x; }
