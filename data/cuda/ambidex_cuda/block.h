// SPDX-License-Identifier: Apache-2.0
// Barriers, fences, clocks and traps.
#pragma once
#pragma GCC system_header

#include "../device_launch_parameters.h"

// In a namespace, because clang has a function of this name built in, which only NVPTX can execute.
namespace ambidex_cuda {
AMBIDEX_D void __syncthreads() { ambidex_simt_barrier(); }
}  // namespace ambidex_cuda
using ambidex_cuda::__syncthreads;
AMBIDEX_D int __syncthreads_count(int predicate) {
  return ambidex_simt_barrier_reduce(predicate != 0, 0);
}
AMBIDEX_D int __syncthreads_and(int predicate) {
  return ambidex_simt_barrier_reduce(predicate != 0, 1);
}
AMBIDEX_D int __syncthreads_or(int predicate) {
  return ambidex_simt_barrier_reduce(predicate != 0, 2);
}
AMBIDEX_D void __threadfence_block() { ambidex_simt_fence(0); }
AMBIDEX_D void __threadfence() { ambidex_simt_fence(1); }
AMBIDEX_D void __threadfence_system() { ambidex_simt_fence(2); }
AMBIDEX_D void __nanosleep(unsigned int) { ambidex_simt_yield(); }
AMBIDEX_D void __trap() { ambidex_simt_trap("__trap()"); }
AMBIDEX_D void __brkpt() { ambidex_simt_trap("__brkpt()"); }
AMBIDEX_D void __prof_trigger(int) {}
AMBIDEX_D long long clock64() { return static_cast<long long>(ambidex_simt_clock()); }
AMBIDEX_D clock_t clock() { return clock_t(ambidex_simt_clock()); }
AMBIDEX_D unsigned long long __globaltimer() { return ambidex_simt_clock(); }
AMBIDEX_D void __nv_bar_sync(unsigned int id, unsigned int num_threads) {
  ambidex_simt_named_barrier(id, num_threads, 0);
}
