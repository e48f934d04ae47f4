// SPDX-License-Identifier: Apache-2.0
// N15: SIMD in a word.
#include <cuda_runtime.h>

__global__ void dot(const int* a, const int* b, int* c) {
  c[threadIdx.x] = __dp4a(a[threadIdx.x], b[threadIdx.x], c[threadIdx.x]);  // expect: N15 S2
}

template <typename T>
__device__ unsigned difference(T a, T b) {
  return __vabsdiffu4(a, b);  // expect: N15 S2
}

#define ADD4(a, b) __vadd4(a, b)  // expect: N15 S2

__device__ unsigned many(unsigned a, unsigned b) {
  unsigned r = __vcmpgtu4(a, b);   // expect: N15 S2
  r += __vsubss2(a, b);            // expect: N15 S2
  r ^= __byte_perm(a, b, 0x5410);  // expect: N15 S3
  return r;
}

__device__ unsigned by_ptx(unsigned a, unsigned b) {
  unsigned r;
  asm("prmt.b32 %0, %1, %2, 0x3210;" : "=r"(r) : "r"(a), "r"(b));  // expect: N15 S2
  return r;
}

#ifdef NEVER
__device__ int low(short2 a, int b) { return __dp2a_lo(a, b, 0); }  // expect: N15 S2
#endif
