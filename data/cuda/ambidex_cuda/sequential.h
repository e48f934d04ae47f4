// SPDX-License-Identifier: Apache-2.0
// Algorithms of whole devices (cub::DeviceReduce, thrust) as a kernel of one thread that runs a
// plain loop: the caller's functors may be for the device only, and the checkers see every access.
#pragma once
#pragma GCC system_header

#if !defined(__HIP__)
#include "../cuda_runtime.h"
#endif

// The runner and the ports know these launches by the kernel's name.
template <class Body>
__global__ void ambidex_sequential(Body body) {
  body();
}

namespace ambidex_cuda {

template <class Body>
inline cudaError_t run_on_device(Body body, cudaStream_t stream = 0) {
  ambidex_sequential<<<1, 1, 0, stream>>>(body);
  return cudaGetLastError();
}

// Stable: merges runs that double in length, by way of `scratch`, as long as `items`.
template <class T, class Less>
__attribute__((host, device)) inline void merge_sort(T* items, T* scratch, long long num,
                                                     Less less) {
  for (long long run = 1; run < num; run *= 2) {
    for (long long begin = 0; begin < num; begin += 2 * run) {
      const long long middle = begin + run < num ? begin + run : num;
      const long long end = begin + 2 * run < num ? begin + 2 * run : num;
      long long a = begin, b = middle;
      for (long long i = begin; i < end; ++i) {
        const bool second = a >= middle || (b < end && less(items[b], items[a]));
        scratch[i] = second ? items[b++] : items[a++];
      }
    }
    for (long long i = 0; i < num; ++i) items[i] = scratch[i];
  }
}

}  // namespace ambidex_cuda
