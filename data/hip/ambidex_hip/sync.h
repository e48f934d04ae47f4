// SPDX-License-Identifier: Apache-2.0
// Barriers, fences, clocks, the end of a kernel by force, memory and text from device code.
#pragma once

#include <stdio.h>

#include "ambidex_hip/warp.h"

AMBIDEX_HIP_DEVICE void __syncthreads() {
#if defined(AMBIDEX_HIP_GFX)
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
#else
  ambidex_simt_barrier();
#endif
}

// op: 0 how many, 1 whether all, 2 whether any.
AMBIDEX_HIP_DEVICE int __ambidex_barrier_reduce(int predicate, int op) {
#if defined(AMBIDEX_HIP_GFX)
  __shared__ unsigned count;
  if (__ambidex_linear_thread() == 0) count = 0;
  __syncthreads();
  const unsigned long long lanes = __ballot((op == 1) == (predicate == 0));
  if (__lane_id() == static_cast<unsigned>(__builtin_ctzll(__ballot(1)))) {
    __hip_atomic_fetch_add(&count, static_cast<unsigned>(__builtin_popcountll(lanes)),
                           __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
  }
  __syncthreads();
  const unsigned total = count;
  __syncthreads();
  return op == 0 ? static_cast<int>(total) : (op == 1) == (total == 0);
#else
  return ambidex_simt_barrier_reduce(predicate, op);
#endif
}
AMBIDEX_HIP_DEVICE int __syncthreads_count(int predicate) {
  return __ambidex_barrier_reduce(predicate, 0);
}
AMBIDEX_HIP_DEVICE int __syncthreads_and(int predicate) {
  return __ambidex_barrier_reduce(predicate, 1);
}
AMBIDEX_HIP_DEVICE int __syncthreads_or(int predicate) {
  return __ambidex_barrier_reduce(predicate, 2);
}

// Since HIP 7. The fence is of the block: what it orders is mostly LDS, and the compiler must see
// that other lanes write it.
AMBIDEX_HIP_DEVICE void __syncwarp() {
#if defined(AMBIDEX_HIP_GFX)
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_wave_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
#else
  ambidex_simt_wave_barrier(AMBIDEX_SIMT_CONVERGED);
#endif
}
template <class Mask>
AMBIDEX_HIP_DEVICE void __syncwarp(Mask mask) {
  __ambidex_check_mask(mask);
  __syncwarp();
}

#if defined(AMBIDEX_HIP_GFX)
AMBIDEX_HIP_DEVICE void __threadfence_block() {
  __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup");
}
AMBIDEX_HIP_DEVICE void __threadfence() { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "agent"); }
AMBIDEX_HIP_DEVICE void __threadfence_system() { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, ""); }
AMBIDEX_HIP_DEVICE long long clock64() { return __builtin_readcyclecounter(); }
AMBIDEX_HIP_DEVICE long long wall_clock64() { return __builtin_readsteadycounter(); }
[[noreturn]] AMBIDEX_HIP_DEVICE void __ambidex_trap(const char*) { __builtin_trap(); }
#else
AMBIDEX_HIP_DEVICE void __threadfence_block() { ambidex_simt_fence(0); }
AMBIDEX_HIP_DEVICE void __threadfence() { ambidex_simt_fence(1); }
AMBIDEX_HIP_DEVICE void __threadfence_system() { ambidex_simt_fence(2); }
AMBIDEX_HIP_DEVICE long long clock64() { return static_cast<long long>(ambidex_simt_clock()); }
AMBIDEX_HIP_DEVICE long long wall_clock64() { return static_cast<long long>(ambidex_simt_clock()); }
[[noreturn]] AMBIDEX_HIP_DEVICE void __ambidex_trap(const char* reason) {
  ambidex_simt_trap(reason);
  __builtin_unreachable();
}
#endif
AMBIDEX_HIP_DEVICE long long __clock64() { return clock64(); }
AMBIDEX_HIP_DEVICE long long __clock() { return clock64(); }

// Overloads of the host's functions of the same names, for device code.
[[noreturn]] static inline __device__ void abort() { __ambidex_trap("abort"); }
[[noreturn]] static inline __device__ void __assert_fail(const char* what, const char*, unsigned,
                                                         const char*) {
  __ambidex_trap(what);
}
#if defined(AMBIDEX_HIP_SIMT)
static inline __device__ int printf(const char* format, ...) {
  __builtin_va_list values;
  __builtin_va_start(values, format);
  const int length = ambidex_simt_vprintf(format, values);
  __builtin_va_end(values);
  return length;
}
#elif defined(AMBIDEX_HIP_GFX)
extern "C" __device__ int printf(const char* format, ...);
#else
__device__ int printf(const char* format, ...);  // for kernels that the host's half only parses
#endif
