// SPDX-License-Identifier: Apache-2.0
// Where this is compiled: AMBIDEX_PORT_GFX in code for the GPU. Elsewhere (the host's half, and
// CPU executors of HIP) the same functions are made of plain C++.
#ifndef AMBIDEX_PORT_PLATFORM_H  // a name, since a port brings its own copy
#define AMBIDEX_PORT_PLATFORM_H

#include <hip/hip_runtime.h>

#if defined(__amdgcn_processor__)  // clang defines __AMDGCN__ for the host's half too
#define AMBIDEX_PORT_GFX 1
#endif

#define AMBIDEX_PORT_DEVICE static inline __device__ __attribute__((always_inline, unused))
#define AMBIDEX_PORT_BOTH static inline __host__ __device__ __attribute__((always_inline, unused))
// clang takes it for granted that arguments have been set, nvcc does not.
#define AMBIDEX_PORT_MAYBE_UNSET __attribute__((maybe_undef))
#define AMBIDEX_PORT_MEMBER __device__ __attribute__((always_inline)) inline
// Members and templates need no `static`.
#define AMBIDEX_PORT_INLINE inline __host__ __device__ __attribute__((always_inline))

namespace ambidex_port {

template <class To, class From>
inline __host__ __device__ __attribute__((always_inline)) To bits_as(From value) {
  static_assert(sizeof(To) == sizeof(From), "bits_as keeps the size");
  To result;
  __builtin_memcpy(&result, &value, sizeof(To));
  return result;
}

}  // namespace ambidex_port

#endif  // AMBIDEX_PORT_PLATFORM_H
