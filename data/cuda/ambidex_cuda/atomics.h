// SPDX-License-Identifier: Apache-2.0
// Atomic functions: relaxed, as CUDA's are, on memory of any kind, returning the old value. What
// the host has no instruction for is a loop of compare-and-swap. The scopes make no difference to
// the executor, whose atomics hold for the whole machine.
#pragma once
#pragma GCC system_header

#include "standard.h"

namespace ambidex_cuda {

template <class T, class Next>
AMBIDEX_MEMBER_D T atomic_update(T* address, Next next) {
  T old;
  __atomic_load(address, &old, __ATOMIC_RELAXED);
  for (;;) {
    T desired = next(old);
    if (__atomic_compare_exchange(address, &old, &desired, false, __ATOMIC_RELAXED,
                                  __ATOMIC_RELAXED)) {
      return old;
    }
  }
}
// As above where T is a structure or a floating type: swaps its bits as the integer Bits.
template <class Bits, class T, class Next>
AMBIDEX_MEMBER_D T atomic_update_bits(T* address, Next next) {
  static_assert(sizeof(Bits) == sizeof(T), "the same size");
  const Bits old = atomic_update(reinterpret_cast<Bits*>(address), [next](Bits bits) {
    T value;
    __builtin_memcpy(&value, &bits, sizeof(T));
    value = next(value);
    __builtin_memcpy(&bits, &value, sizeof(T));
    return bits;
  });
  T result;
  __builtin_memcpy(&result, &old, sizeof(T));
  return result;
}
template <class T>
AMBIDEX_MEMBER_D T atomic_swap(T* address, T compare, T value) {
  __atomic_compare_exchange_n(address, &compare, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  return compare;
}
AMBIDEX_D float atomic_add(float* address, float value) {
  return atomic_update_bits<unsigned int>(address, [value](float old) { return old + value; });
}
AMBIDEX_D double atomic_add(double* address, double value) {
  return atomic_update_bits<unsigned long long>(address,
                                                [value](double old) { return old + value; });
}
AMBIDEX_D unsigned int atomic_increment(unsigned int* address, unsigned int last) {
  return atomic_update(address, [last](unsigned int old) { return old >= last ? 0u : old + 1u; });
}
AMBIDEX_D unsigned int atomic_decrement(unsigned int* address, unsigned int last) {
  return atomic_update(
      address, [last](unsigned int old) { return old == 0u || old > last ? last : old - 1u; });
}

}  // namespace ambidex_cuda

// A function and its forms of block and system scope.
#define AMBIDEX_ATOMIC2(name, T, expression)                         \
  AMBIDEX_D T name(T* address, T val) { return expression; }         \
  AMBIDEX_D T name##_block(T* address, T val) { return expression; } \
  AMBIDEX_D T name##_system(T* address, T val) { return expression; }
#define AMBIDEX_ATOMIC_CAS(T)                                  \
  AMBIDEX_D T atomicCAS(T* address, T compare, T val) {        \
    return ambidex_cuda::atomic_swap(address, compare, val);   \
  }                                                            \
  AMBIDEX_D T atomicCAS_block(T* address, T compare, T val) {  \
    return ambidex_cuda::atomic_swap(address, compare, val);   \
  }                                                            \
  AMBIDEX_D T atomicCAS_system(T* address, T compare, T val) { \
    return ambidex_cuda::atomic_swap(address, compare, val);   \
  }
#define AMBIDEX_ATOMIC_BITS(T)                                                        \
  AMBIDEX_ATOMIC2(atomicExch, T, __atomic_exchange_n(address, val, __ATOMIC_RELAXED)) \
  AMBIDEX_ATOMIC2(atomicMin, T, __atomic_fetch_min(address, val, __ATOMIC_RELAXED))   \
  AMBIDEX_ATOMIC2(atomicMax, T, __atomic_fetch_max(address, val, __ATOMIC_RELAXED))   \
  AMBIDEX_ATOMIC2(atomicAnd, T, __atomic_fetch_and(address, val, __ATOMIC_RELAXED))   \
  AMBIDEX_ATOMIC2(atomicOr, T, __atomic_fetch_or(address, val, __ATOMIC_RELAXED))     \
  AMBIDEX_ATOMIC2(atomicXor, T, __atomic_fetch_xor(address, val, __ATOMIC_RELAXED))
AMBIDEX_ATOMIC_BITS(int)
AMBIDEX_ATOMIC_BITS(unsigned int)
AMBIDEX_ATOMIC_BITS(unsigned long long)
AMBIDEX_ATOMIC2(atomicMin, long long, __atomic_fetch_min(address, val, __ATOMIC_RELAXED))
AMBIDEX_ATOMIC2(atomicMax, long long, __atomic_fetch_max(address, val, __ATOMIC_RELAXED))
AMBIDEX_ATOMIC2(atomicAdd, int, __atomic_fetch_add(address, val, __ATOMIC_RELAXED))
AMBIDEX_ATOMIC2(atomicAdd, unsigned int, __atomic_fetch_add(address, val, __ATOMIC_RELAXED))
AMBIDEX_ATOMIC2(atomicAdd, unsigned long long, __atomic_fetch_add(address, val, __ATOMIC_RELAXED))
AMBIDEX_ATOMIC2(atomicAdd, float, ambidex_cuda::atomic_add(address, val))
AMBIDEX_ATOMIC2(atomicAdd, double, ambidex_cuda::atomic_add(address, val))
AMBIDEX_ATOMIC2(atomicSub, int, __atomic_fetch_sub(address, val, __ATOMIC_RELAXED))
AMBIDEX_ATOMIC2(atomicSub, unsigned int, __atomic_fetch_sub(address, val, __ATOMIC_RELAXED))
AMBIDEX_ATOMIC2(atomicInc, unsigned int, ambidex_cuda::atomic_increment(address, val))
AMBIDEX_ATOMIC2(atomicDec, unsigned int, ambidex_cuda::atomic_decrement(address, val))
AMBIDEX_D float atomicExch(float* address, float val) {
  return ambidex_cuda::atomic_update_bits<unsigned int>(address, [val](float) { return val; });
}
AMBIDEX_D float atomicExch_block(float* address, float val) { return atomicExch(address, val); }
AMBIDEX_D float atomicExch_system(float* address, float val) { return atomicExch(address, val); }
AMBIDEX_ATOMIC_CAS(int)
AMBIDEX_ATOMIC_CAS(unsigned int)
AMBIDEX_ATOMIC_CAS(unsigned long long)
AMBIDEX_ATOMIC_CAS(unsigned short)

// The vectors of compute capability 9: each element is atomic of its own.
AMBIDEX_D float2 atomicAdd(float2* address, float2 val) {
  return float2{atomicAdd(&address->x, val.x), atomicAdd(&address->y, val.y)};
}
AMBIDEX_D float4 atomicAdd(float4* address, float4 val) {
  return float4{atomicAdd(&address->x, val.x), atomicAdd(&address->y, val.y),
                atomicAdd(&address->z, val.z), atomicAdd(&address->w, val.w)};
}
