// SPDX-License-Identifier: Apache-2.0
// R08: Gates by __CUDA_ARCH__.
#include <cuda_runtime.h>

__device__ void add(double* p, double v) {
#if __CUDA_ARCH__ >= 600  // expect: R08 S0
  atomicAdd(p, v);
#endif
}

__host__ __device__ inline int where() {
#ifdef __CUDA_ARCH__  // expect: R08 S0
  return 1;
#else
  return 0;
#endif
}

template <typename T>
__device__ T load(const T* p) {
#if defined(__CUDA_ARCH__) && (__CUDA_ARCH__ >= 350)  // expect: R08 S0
  return __ldg(p);
#else
  return *p;
#endif
}

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ < 700  // expect: R08 S0
#define OLD 1
#elif __CUDA_ARCH__ >= 900  // expect: R08 S0
#define NEW 1
#endif

#ifdef NEVER
#ifndef __CUDA_ARCH__  // expect: R08 S0
#endif
#endif

#define ARCH __CUDA_ARCH__  // expect: R08 S0

#if defined(__HIP_DEVICE_COMPILE__) || __CUDA_ARCH__ >= 600
#define PORTED 1
#endif
