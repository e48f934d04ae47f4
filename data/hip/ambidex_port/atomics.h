// SPDX-License-Identifier: Apache-2.0
// Atomic operations that HIP lacks, and accesses with PTX's order and scope.
#ifndef AMBIDEX_PORT_ATOMICS_H  // a name, since a port brings its own copy
#define AMBIDEX_PORT_ATOMICS_H

#include "ambidex_port/platform.h"

namespace ambidex_port {

// Replaces *address by op(*address) in one step; returns the old value. T of 2, 4 or 8 bytes; of
// 2 bytes by the word of 4 around it.
template <class T, class Op>
AMBIDEX_PORT_DEVICE T atomic_update(T* address, Op op) {
  if constexpr (sizeof(T) == 8) {
    auto* const word = reinterpret_cast<unsigned long long*>(address);
    unsigned long long seen = __hip_atomic_load(word, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
    for (;;) {
      const T old = bits_as<T>(seen);
      const auto found = atomicCAS(word, seen, bits_as<unsigned long long>(op(old)));
      if (found == seen) return old;
      seen = found;
    }
  } else {
    static_assert(sizeof(T) == 4 || sizeof(T) == 2, "atomics have 2, 4 or 8 bytes");
    const size_t place = reinterpret_cast<size_t>(address);
    auto* const word = reinterpret_cast<unsigned*>(place & ~static_cast<size_t>(3));
    const unsigned shift = sizeof(T) == 4 ? 0u : static_cast<unsigned>(place & 2u) * 8u;
    const unsigned ones = sizeof(T) == 4 ? ~0u : 0xffffu;
    unsigned seen = __hip_atomic_load(word, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
    for (;;) {
      T old, desired;
      const unsigned piece = seen >> shift & ones;
      __builtin_memcpy(&old, &piece, sizeof(T));
      desired = op(old);
      unsigned bits = 0;
      __builtin_memcpy(&bits, &desired, sizeof(T));
      const unsigned found = atomicCAS(word, seen, (seen & ~(ones << shift)) | bits << shift);
      if (found == seen) return old;
      seen = found;
    }
  }
}

// For a value that is converted to the type of what it is stored to.
template <class T>
struct Same {
  using type = T;
};

// float, double, half, bf16 and their pairs [N10 N11]. A NaN in memory stays, as in CUDA's tricks
// with compare-and-exchange.
template <class T>
AMBIDEX_PORT_DEVICE T atomic_min(T* address, T value) {
  return atomic_update(address, [=](T old) -> T { return value < old ? value : old; });
}
template <class T>
AMBIDEX_PORT_DEVICE T atomic_max(T* address, T value) {
  return atomic_update(address, [=](T old) -> T { return old < value ? value : old; });
}
// Of any type: HIP has it of numbers, of halves and their pairs only after ROCm 7.2.
template <class T>
AMBIDEX_PORT_DEVICE T atomic_add(T* address, typename Same<T>::type value) {
  if constexpr (__is_arithmetic(T)) {
    return atomicAdd(address, value);
  } else {
    return atomic_update(address, [=](T old) -> T { return old + value; });
  }
}
AMBIDEX_PORT_DEVICE unsigned short atomic_cas(unsigned short* address, unsigned short expected,
                                              unsigned short desired) {
  return atomic_update(address, [=](unsigned short old) -> unsigned short {
    return old == expected ? desired : old;
  });
}

// PTX's ld and st with .acquire, .release, .relaxed, and volatile, which between blocks is relaxed
// at the scope of the device [S08].
#define AMBIDEX_PORT_ORDERED(load, store, load_order, store_order, scope)             \
  template <class T>                                                                  \
  AMBIDEX_PORT_DEVICE T load(const volatile T* address) {                             \
    return __hip_atomic_load(address, load_order, scope);                             \
  }                                                                                   \
  template <class T>                                                                  \
  AMBIDEX_PORT_DEVICE void store(volatile T* address, typename Same<T>::type value) { \
    __hip_atomic_store(address, value, store_order, scope);                           \
  }
AMBIDEX_PORT_ORDERED(ld_acquire_gpu, st_release_gpu, __ATOMIC_ACQUIRE, __ATOMIC_RELEASE,
                     __HIP_MEMORY_SCOPE_AGENT)
AMBIDEX_PORT_ORDERED(ld_acquire_sys, st_release_sys, __ATOMIC_ACQUIRE, __ATOMIC_RELEASE,
                     __HIP_MEMORY_SCOPE_SYSTEM)
AMBIDEX_PORT_ORDERED(ld_relaxed_gpu, st_relaxed_gpu, __ATOMIC_RELAXED, __ATOMIC_RELAXED,
                     __HIP_MEMORY_SCOPE_AGENT)
AMBIDEX_PORT_ORDERED(ld_relaxed_sys, st_relaxed_sys, __ATOMIC_RELAXED, __ATOMIC_RELAXED,
                     __HIP_MEMORY_SCOPE_SYSTEM)
AMBIDEX_PORT_ORDERED(ld_relaxed_cta, st_relaxed_cta, __ATOMIC_RELAXED, __ATOMIC_RELAXED,
                     __HIP_MEMORY_SCOPE_WORKGROUP)
AMBIDEX_PORT_ORDERED(ld_acquire_cta, st_release_cta, __ATOMIC_ACQUIRE, __ATOMIC_RELEASE,
                     __HIP_MEMORY_SCOPE_WORKGROUP)
AMBIDEX_PORT_ORDERED(ld_volatile, st_volatile, __ATOMIC_RELAXED, __ATOMIC_RELAXED,
                     __HIP_MEMORY_SCOPE_AGENT)
#undef AMBIDEX_PORT_ORDERED

template <class T>
AMBIDEX_PORT_DEVICE void red_add_relaxed_gpu(T* address, T value) {
  __hip_atomic_fetch_add(address, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}
template <class T>
AMBIDEX_PORT_DEVICE void red_add_release_gpu(T* address, T value) {
  __hip_atomic_fetch_add(address, value, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
}
AMBIDEX_PORT_DEVICE void fence_acq_rel_gpu() { __threadfence(); }
AMBIDEX_PORT_DEVICE void fence_acq_rel_sys() { __threadfence_system(); }

}  // namespace ambidex_port

#endif  // AMBIDEX_PORT_ATOMICS_H
