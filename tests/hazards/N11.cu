// SPDX-License-Identifier: Apache-2.0
// N11: Atomic minimum of floats, small and large exchanges.
#include <cuda_runtime.h>

__device__ void max_by_bits(float* p, float v) {
  if (v >= 0) {
    atomicMax((int*)p, __float_as_int(v));  // expect: N11 S3
  } else {
    atomicMin(reinterpret_cast<unsigned*>(p), __float_as_uint(v));  // expect: N11 S3
  }
}

__device__ double add_by_swaps(double* address, double v) {
  unsigned long long* word = (unsigned long long*)address;
  unsigned long long old = *word, assumed;
  do {
    assumed = old;
    old = atomicCAS(word, assumed, __double_as_longlong(v + __longlong_as_double(assumed)));  // expect: N11 S3
  } while (assumed != old);
  return __longlong_as_double(old);
}

template <typename T>
__device__ bool swap16(T* p, unsigned short a, unsigned short b) {
  return atomicCAS(reinterpret_cast<unsigned short*>(p), a, b) == a;  // expect: N11 S2
}

__device__ unsigned short lock16(unsigned short* word) {
  return atomicCAS(word, (unsigned short)0, (unsigned short)1);  // expect: N11 S2
}

#define CAS16(p, a, b) atomicCAS((unsigned short int*)(p), a, b)  // expect: N11 S2

#ifdef NEVER
__device__ void overload(float* p) { atomicMax(p, 1.0f); }  // expect: N11 S2
__device__ void wide(__int128* p, __int128 a, __int128 b) { atomicCAS(p, a, b); }  // expect: N11 S2
#endif

// Not these.
__device__ void integers(int* p, unsigned* q) {
  atomicMax(p, 3);
  atomicMin(q, 4u);
  atomicCAS(q, 0u, 1u);
}
