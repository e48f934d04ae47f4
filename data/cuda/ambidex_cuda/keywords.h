// SPDX-License-Identifier: Apache-2.0
// CUDA's keywords as clang's attributes, the macros that nvcc predefines, and the two qualifiers
// that our own headers use. A function of ours is inlined without debug information, so that what
// the executor reports is at the line of the user's call.
#pragma once
#pragma GCC system_header

#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
// Clang knows managed variables in HIP only. The annotation tells the runner which they are.
#define __managed__ __attribute__((device, annotate("ambidex_managed")))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __grid_constant__ __attribute__((grid_constant))
#define __cluster_dims__(...) __attribute__((cluster_dims(__VA_ARGS__)))
#define __block_size__(...)
#define __maxnreg__(...)
#define __nv_pure__ __attribute__((pure))
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __attribute__((aligned(n)))
#define __thread__ __thread
#define __device_builtin__
#define __cudart_builtin__
#define CUDARTAPI
#define CUDART_CB
#define CUDAAPI
#define CUDA_CB
// __noinline__ is a keyword of clang's in CUDA: a macro would break __attribute__((__noinline__)).

#ifndef __CUDACC__
#define __CUDACC__ 1
#endif
#define __NVCC__ 1
#define __CUDACC_VER_MAJOR__ 12
#define __CUDACC_VER_MINOR__ 8
#define __CUDACC_VER_BUILD__ 93
#define __CUDACC_EXTENDED_LAMBDA__ 1
#define __CUDACC_RELAXED_CONSTEXPR__ 1
#define CUDART_VERSION 12080
#define CUDA_VERSION 12080
#define __CUDART_API_VERSION CUDART_VERSION

// Device code that clang compiles for the host has __CUDA_ARCH__ 1; a kernel expects an H100.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 100
#undef __CUDA_ARCH__
#define __CUDA_ARCH__ 900
#endif

#define AMBIDEX_D static __inline__ __attribute__((device, always_inline, nodebug))
#define AMBIDEX_HD static __inline__ __attribute__((host, device, always_inline, nodebug))
// The same for members and templates, which have linkage of their own.
#define AMBIDEX_MEMBER_D __inline__ __attribute__((device, always_inline, nodebug))
#define AMBIDEX_MEMBER_HD __inline__ __attribute__((host, device, always_inline, nodebug))

// A function that the executor calls with the payloads of a collective: no access of the kernel's.
#define AMBIDEX_COMBINE __attribute__((device, nodebug, unused, no_sanitize("thread")))

#include <ambidex/simt_device.h>
