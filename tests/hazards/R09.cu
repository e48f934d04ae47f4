// SPDX-License-Identifier: Apache-2.0
// R09: Gates by CUDA's compiler and version macros.
#ifdef __CUDACC__  // expect: R09 S2
#define HD __host__ __device__
#else
#define HD
#endif

#include <cuda_runtime.h>

#if CUDART_VERSION >= 11000  // expect: R09 S0
#define HAS_BF16 1
#endif

#if defined(CUDA_VERSION) && CUDA_VERSION >= 12000  // expect: R09 S0
#define HAS_FP8 1
#endif

#if defined(__NVCC__)  // expect: R09 S2
#pragma nv_diag_suppress 177
#endif

#if __CUDACC_VER_MAJOR__ < 12  // expect: R09 S0
#define OLD_COMPILER 1
#elif defined(__CUDACC_RTC__)  // expect: R09 S2
#define RUNTIME_COMPILER 1
#endif

#ifdef NEVER
#ifndef __CUDACC__  // expect: R09 S2
#endif
#endif

int version() { return CUDART_VERSION; }  // expect: R09 S2

#if defined(__CUDACC__) || defined(__HIPCC__)
#define PORTED 1
#endif
