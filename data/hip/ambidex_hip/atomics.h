// SPDX-License-Identifier: Apache-2.0
// atomicAdd and its like: relaxed, of the whole device; _system of all devices, _block of the
// block.
#pragma once

#include "ambidex_hip/sync.h"

template <int scope, class T>
AMBIDEX_HIP_DEVICE T __ambidex_cas(T* address, T expected, T desired) {
  static_assert(sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8);
  __hip_atomic_compare_exchange_strong(address, &expected, desired, __ATOMIC_RELAXED,
                                       __ATOMIC_RELAXED, scope);
  return expected;
}

// The integer whose compare-and-exchange replaces a T.
template <unsigned size>
struct __ambidex_word;
template <>
struct __ambidex_word<2> {
  using type = unsigned short;
};
template <>
struct __ambidex_word<4> {
  using type = unsigned;
};
template <>
struct __ambidex_word<8> {
  using type = unsigned long long;
};

template <int scope, class T, class Op>
AMBIDEX_HIP_DEVICE T __ambidex_update(T* address, Op op) {
  using Word = typename __ambidex_word<sizeof(T)>::type;
  Word* const word = reinterpret_cast<Word*>(address);
  Word seen = __hip_atomic_load(word, __ATOMIC_RELAXED, scope);
  for (;;) {
    const T old = __builtin_bit_cast(T, seen);
    const Word found = __ambidex_cas<scope>(word, seen, __builtin_bit_cast(Word, op(old)));
    if (found == seen) return old;
    seen = found;
  }
}

template <int scope, class T>
AMBIDEX_HIP_DEVICE T __ambidex_atomic_add(T* address, T value) {
#if !defined(AMBIDEX_HIP_GFX)  // as integers, so that the executor sees an atomic access
  if constexpr (!std::is_integral_v<T>) {
    return __ambidex_update<scope>(address, [=](T old) { return old + value; });
  } else
#endif
    return __hip_atomic_fetch_add(address, value, __ATOMIC_RELAXED, scope);
}
template <int scope, class T>
AMBIDEX_HIP_DEVICE T __ambidex_atomic_min(T* address, T value) {
  if constexpr (std::is_integral_v<T>) {
    return __hip_atomic_fetch_min(address, value, __ATOMIC_RELAXED, scope);
  } else {
    return __ambidex_update<scope>(address, [=](T old) { return value < old ? value : old; });
  }
}
template <int scope, class T>
AMBIDEX_HIP_DEVICE T __ambidex_atomic_max(T* address, T value) {
  if constexpr (std::is_integral_v<T>) {
    return __hip_atomic_fetch_max(address, value, __ATOMIC_RELAXED, scope);
  } else {
    return __ambidex_update<scope>(address, [=](T old) { return old < value ? value : old; });
  }
}
template <int scope, class T>
AMBIDEX_HIP_DEVICE T __ambidex_exchange_at(T* address, T value) {
  return __hip_atomic_exchange(address, value, __ATOMIC_RELAXED, scope);
}

#define AMBIDEX_HIP_ATOMIC(T, name, call, suffix, scope) \
  AMBIDEX_HIP_DEVICE T atomic##name##suffix(T* address, T value) { return call; }
#define AMBIDEX_HIP_SCOPES(T, name, function)                                                   \
  AMBIDEX_HIP_ATOMIC(T, name, function<__HIP_MEMORY_SCOPE_AGENT>(address, value), , )           \
  AMBIDEX_HIP_ATOMIC(T, name, function<__HIP_MEMORY_SCOPE_WORKGROUP>(address, value), _block, ) \
  AMBIDEX_HIP_ATOMIC(T, name, function<__HIP_MEMORY_SCOPE_SYSTEM>(address, value), _system, )
#define AMBIDEX_HIP_BITS(name, builtin)                                           \
  template <int scope, class T>                                                   \
  AMBIDEX_HIP_DEVICE T __ambidex_atomic_##builtin(T* address, T value) {          \
    return __hip_atomic_fetch_##builtin(address, value, __ATOMIC_RELAXED, scope); \
  }                                                                               \
  AMBIDEX_HIP_SCOPES(int, name, __ambidex_atomic_##builtin)                       \
  AMBIDEX_HIP_SCOPES(unsigned, name, __ambidex_atomic_##builtin)                  \
  AMBIDEX_HIP_SCOPES(unsigned long, name, __ambidex_atomic_##builtin)             \
  AMBIDEX_HIP_SCOPES(unsigned long long, name, __ambidex_atomic_##builtin)
AMBIDEX_HIP_BITS(And, and)
AMBIDEX_HIP_BITS(Or, or)
AMBIDEX_HIP_BITS(Xor, xor)
#undef AMBIDEX_HIP_BITS

template <int scope, class T>
AMBIDEX_HIP_DEVICE T __ambidex_atomic_sub(T* address, T value) {
  return __ambidex_atomic_add<scope>(address, static_cast<T>(-value));
}
template <int scope, class T>
AMBIDEX_HIP_DEVICE T __ambidex_atomic_inc(T* address, T limit) {
  return __ambidex_update<scope>(address, [=](T old) { return old >= limit ? T(0) : T(old + 1); });
}
template <int scope, class T>
AMBIDEX_HIP_DEVICE T __ambidex_atomic_dec(T* address, T limit) {
  return __ambidex_update<scope>(
      address, [=](T old) { return old == 0 || old > limit ? limit : T(old - 1); });
}

#define AMBIDEX_HIP_ARITHMETIC(T)                  \
  AMBIDEX_HIP_SCOPES(T, Add, __ambidex_atomic_add) \
  AMBIDEX_HIP_SCOPES(T, Sub, __ambidex_atomic_sub) \
  AMBIDEX_HIP_SCOPES(T, Min, __ambidex_atomic_min) \
  AMBIDEX_HIP_SCOPES(T, Max, __ambidex_atomic_max) \
  AMBIDEX_HIP_SCOPES(T, Exch, __ambidex_exchange_at)
AMBIDEX_HIP_ARITHMETIC(int)
AMBIDEX_HIP_ARITHMETIC(unsigned)
AMBIDEX_HIP_ARITHMETIC(unsigned long)
AMBIDEX_HIP_ARITHMETIC(unsigned long long)
AMBIDEX_HIP_ARITHMETIC(float)
AMBIDEX_HIP_ARITHMETIC(double)
AMBIDEX_HIP_SCOPES(long long, Min, __ambidex_atomic_min)
AMBIDEX_HIP_SCOPES(long long, Max, __ambidex_atomic_max)
AMBIDEX_HIP_SCOPES(unsigned, Inc, __ambidex_atomic_inc)
AMBIDEX_HIP_SCOPES(unsigned, Dec, __ambidex_atomic_dec)
#undef AMBIDEX_HIP_ARITHMETIC
#undef AMBIDEX_HIP_SCOPES
#undef AMBIDEX_HIP_ATOMIC

#define AMBIDEX_HIP_CAS(T)                                                          \
  AMBIDEX_HIP_DEVICE T atomicCAS(T* address, T expected, T desired) {               \
    return __ambidex_cas<__HIP_MEMORY_SCOPE_AGENT>(address, expected, desired);     \
  }                                                                                 \
  AMBIDEX_HIP_DEVICE T atomicCAS_block(T* address, T expected, T desired) {         \
    return __ambidex_cas<__HIP_MEMORY_SCOPE_WORKGROUP>(address, expected, desired); \
  }                                                                                 \
  AMBIDEX_HIP_DEVICE T atomicCAS_system(T* address, T expected, T desired) {        \
    return __ambidex_cas<__HIP_MEMORY_SCOPE_SYSTEM>(address, expected, desired);    \
  }
AMBIDEX_HIP_CAS(unsigned short)
AMBIDEX_HIP_CAS(int)
AMBIDEX_HIP_CAS(unsigned)
AMBIDEX_HIP_CAS(unsigned long)
AMBIDEX_HIP_CAS(unsigned long long)
#undef AMBIDEX_HIP_CAS

// AMD's names for the instruction without a result, on coarse-grained memory.
AMBIDEX_HIP_DEVICE float unsafeAtomicAdd(float* address, float value) {
  return atomicAdd(address, value);
}
AMBIDEX_HIP_DEVICE double unsafeAtomicAdd(double* address, double value) {
  return atomicAdd(address, value);
}
AMBIDEX_HIP_DEVICE void atomicAddNoRet(float* address, float value) { atomicAdd(address, value); }
