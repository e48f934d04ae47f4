// SPDX-License-Identifier: Apache-2.0
// Exchange and votes among the lanes of a wave. AMD's meaning: the lanes that execute the call
// take part; width defaults to the whole wave; masks and ballots have 64 bits.
#pragma once

#include <string.h>

#include "ambidex_hip/coordinates.h"

// 32 bits of lane `source`; 0 of a lane that is not active.
AMBIDEX_HIP_DEVICE unsigned __ambidex_read_lane(unsigned value, unsigned source) {
#if defined(AMBIDEX_HIP_GFX)
  return __builtin_amdgcn_ds_bpermute(static_cast<int>(source << 2), static_cast<int>(value));
#else
  return ambidex_simt_shuffle(AMBIDEX_SIMT_CONVERGED, value, source);
#endif
}

template <class T>
AMBIDEX_HIP_DEVICE T __ambidex_exchange(T value, unsigned source) {
  static_assert(sizeof(T) <= 8, "a shuffle moves at most eight bytes");
#if defined(AMBIDEX_HIP_GFX)
  unsigned words[(sizeof(T) + 3) / 4] = {};
  __builtin_memcpy(words, &value, sizeof(T));
  for (unsigned& word : words) word = __ambidex_read_lane(word, source);
  __builtin_memcpy(&value, words, sizeof(T));
#else
  unsigned long bits = 0;
  __builtin_memcpy(&bits, &value, sizeof(T));
  bits = ambidex_simt_shuffle(AMBIDEX_SIMT_CONVERGED, bits, source);
  __builtin_memcpy(&value, &bits, sizeof(T));
#endif
  return value;
}

// As ROCm's headers have it, for shuffles alone.
#define AMBIDEX_HIP_MAYBE_UNSET __attribute__((maybe_undef))
// ROCm has them for these types, and for half and half2 in hip_fp16.h; others convert or fail.
#define AMBIDEX_HIP_SHUFFLES(T)                                                                    \
  AMBIDEX_HIP_DEVICE T __shfl(AMBIDEX_HIP_MAYBE_UNSET T value, int source, int width = warpSize) { \
    const int self = __lane_id();                                                                  \
    return __ambidex_exchange(value, (source & (width - 1)) + (self & ~(width - 1)));              \
  }                                                                                                \
  AMBIDEX_HIP_DEVICE T __shfl_up(AMBIDEX_HIP_MAYBE_UNSET T value, unsigned delta,                  \
                                 int width = warpSize) {                                           \
    const int self = __lane_id();                                                                  \
    const int source = self - static_cast<int>(delta);                                             \
    return __ambidex_exchange(value, source < (self & ~(width - 1)) ? self : source);              \
  }                                                                                                \
  AMBIDEX_HIP_DEVICE T __shfl_down(AMBIDEX_HIP_MAYBE_UNSET T value, unsigned delta,                \
                                   int width = warpSize) {                                         \
    const int self = __lane_id();                                                                  \
    const int beyond = (self & (width - 1)) + static_cast<int>(delta);                             \
    return __ambidex_exchange(value, beyond >= width ? self : self + static_cast<int>(delta));     \
  }                                                                                                \
  AMBIDEX_HIP_DEVICE T __shfl_xor(AMBIDEX_HIP_MAYBE_UNSET T value, int mask,                       \
                                  int width = warpSize) {                                          \
    const int self = __lane_id();                                                                  \
    const int source = self ^ mask;                                                                \
    return __ambidex_exchange(value, source >= ((self + width) & ~(width - 1)) ? self : source);   \
  }
AMBIDEX_HIP_SHUFFLES(int)
AMBIDEX_HIP_SHUFFLES(unsigned)
AMBIDEX_HIP_SHUFFLES(long)
AMBIDEX_HIP_SHUFFLES(unsigned long)
AMBIDEX_HIP_SHUFFLES(long long)
AMBIDEX_HIP_SHUFFLES(unsigned long long)
AMBIDEX_HIP_SHUFFLES(float)
AMBIDEX_HIP_SHUFFLES(double)

AMBIDEX_HIP_DEVICE unsigned long long __ballot(int predicate) {
#if defined(AMBIDEX_HIP_GFX)
  return __builtin_amdgcn_ballot_w64(predicate != 0);
#else
  return ambidex_simt_ballot(AMBIDEX_SIMT_CONVERGED, predicate != 0);
#endif
}
AMBIDEX_HIP_DEVICE unsigned long long __activemask() {
#if defined(AMBIDEX_HIP_GFX)
  return __ballot(1);
#else
  return ambidex_simt_active_lanes();
#endif
}
AMBIDEX_HIP_DEVICE unsigned long long __ballot64(int predicate) { return __ballot(predicate); }
AMBIDEX_HIP_DEVICE int __any(int predicate) { return __ballot(predicate) != 0; }
AMBIDEX_HIP_DEVICE int __all(int predicate) { return __ballot(predicate == 0) == 0; }

AMBIDEX_HIP_DEVICE unsigned long long __lanemask_lt() { return (1ull << __lane_id()) - 1; }
AMBIDEX_HIP_DEVICE unsigned long long __lanemask_eq() { return 1ull << __lane_id(); }
AMBIDEX_HIP_DEVICE unsigned long long __lanemask_le() { return __lanemask_lt() | __lanemask_eq(); }
AMBIDEX_HIP_DEVICE unsigned long long __lanemask_ge() { return ~__lanemask_lt(); }
AMBIDEX_HIP_DEVICE unsigned long long __lanemask_gt() { return ~__lanemask_le(); }

#if !defined(AMBIDEX_HIP_GFX)
struct __ambidex_match {
  unsigned long value, lanes;
};
// Runs in the executor, on the stacks of all lanes: no access of the kernel's.
static inline __attribute__((device, disable_sanitizer_instrumentation)) void
__ambidex_combine_match(void** all, unsigned width) {
  for (unsigned i = 0; i < width; ++i) {
    for (unsigned j = 0; all[i] && j < width; ++j) {
      if (!all[j]) continue;
      __ambidex_match& mine = *static_cast<__ambidex_match*>(all[i]);
      if (mine.value == static_cast<__ambidex_match*>(all[j])->value) mine.lanes |= 1ul << j;
    }
  }
}
#endif

// Lanes that hold the same value as this one, among those that execute the call.
template <class T>
AMBIDEX_HIP_DEVICE unsigned long long __match_any(T value) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8, "__match_any takes 4 or 8 bytes");
#if defined(AMBIDEX_HIP_GFX)
  unsigned words[sizeof(T) / 4];
  __builtin_memcpy(words, &value, sizeof(T));
  unsigned long long lanes = 0;
  for (bool done = false; !done;) {  // each turn serves the lanes that equal the first one left
    bool same = true;
    for (unsigned word : words)
      same &= word == static_cast<unsigned>(__builtin_amdgcn_readfirstlane(word));
    if (same) {
      lanes = __ballot(1);
      done = true;
    }
  }
  return lanes;
#else
  __ambidex_match payload{0, 0};
  __builtin_memcpy(&payload.value, &value, sizeof(T));
  ambidex_simt_collective(AMBIDEX_SIMT_CONVERGED, &payload, __ambidex_combine_match);
  return payload.lanes;
#endif
}
template <class T>
AMBIDEX_HIP_DEVICE unsigned long long __match_all(T value, int* predicate) {
  const unsigned long long active = __activemask();
  const bool same = __match_any(value) == active;  // true of one lane only if true of all
  *predicate = same;
  return same ? active : 0;
}

// The *_sync words of HIP >= 6.2. A mask of 32 bits is refused: upper lanes would be forgotten.
template <class Mask>
AMBIDEX_HIP_DEVICE void __ambidex_check_mask([[maybe_unused]] Mask mask) {
  static_assert(std::is_integral_v<Mask> && sizeof(Mask) == 8,
                "the mask must be a 64-bit integer: a wave has up to 64 lanes");
#if !defined(AMBIDEX_HIP_GFX)
  ambidex_simt_check_mask(static_cast<unsigned long>(mask));
#endif
}
template <class Mask, class T>
AMBIDEX_HIP_DEVICE T __shfl_sync(Mask mask, AMBIDEX_HIP_MAYBE_UNSET T value, int source,
                                 int width = warpSize) {
  __ambidex_check_mask(mask);
  return __shfl(value, source, width);
}
template <class Mask, class T>
AMBIDEX_HIP_DEVICE T __shfl_up_sync(Mask mask, AMBIDEX_HIP_MAYBE_UNSET T value, unsigned delta,
                                    int width = warpSize) {
  __ambidex_check_mask(mask);
  return __shfl_up(value, delta, width);
}
template <class Mask, class T>
AMBIDEX_HIP_DEVICE T __shfl_down_sync(Mask mask, AMBIDEX_HIP_MAYBE_UNSET T value, unsigned delta,
                                      int width = warpSize) {
  __ambidex_check_mask(mask);
  return __shfl_down(value, delta, width);
}
template <class Mask, class T>
AMBIDEX_HIP_DEVICE T __shfl_xor_sync(Mask mask, AMBIDEX_HIP_MAYBE_UNSET T value, int lanes,
                                     int width = warpSize) {
  __ambidex_check_mask(mask);
  return __shfl_xor(value, lanes, width);
}
template <class Mask>
AMBIDEX_HIP_DEVICE unsigned long long __ballot_sync(Mask mask, int predicate) {
  __ambidex_check_mask(mask);
  return __ballot(predicate) & mask;
}
template <class Mask>
AMBIDEX_HIP_DEVICE int __any_sync(Mask mask, int predicate) {
  return __ballot_sync(mask, predicate) != 0;
}
template <class Mask>
AMBIDEX_HIP_DEVICE int __all_sync(Mask mask, int predicate) {
  return __ballot_sync(mask, predicate == 0) == 0;
}
template <class Mask, class T>
AMBIDEX_HIP_DEVICE unsigned long long __match_any_sync(Mask mask, T value) {
  __ambidex_check_mask(mask);
  return __match_any(value) & mask;
}
template <class Mask, class T>
AMBIDEX_HIP_DEVICE unsigned long long __match_all_sync(Mask mask, T value, int* predicate) {
  const bool same = __match_any_sync(mask, value) == (__activemask() & mask);
  *predicate = same;
  return same ? static_cast<unsigned long long>(mask) : 0;
}

// Over the lanes of `mask`, in the order of the lanes.
template <class Mask, class T, class Op>
AMBIDEX_HIP_DEVICE T __ambidex_reduce_sync(Mask mask, T value, Op op) {
  __ambidex_check_mask(mask);
  unsigned long long left = mask & __activemask();
  T sum = __ambidex_exchange(value, __builtin_ctzll(left));
  for (left &= left - 1; left != 0; left &= left - 1) {
    sum = op(sum, __ambidex_exchange(value, __builtin_ctzll(left)));
  }
  return sum;
}
#define AMBIDEX_HIP_REDUCE(name, expression)                                        \
  template <class Mask, class T>                                                    \
  AMBIDEX_HIP_DEVICE T __reduce_##name##_sync(Mask mask, T value) {                 \
    return __ambidex_reduce_sync(mask, value, [](T a, T b) { return expression; }); \
  }
AMBIDEX_HIP_REDUCE(add, a + b)
AMBIDEX_HIP_REDUCE(min, b < a ? b : a)
AMBIDEX_HIP_REDUCE(max, a < b ? b : a)
AMBIDEX_HIP_REDUCE(and, a& b)
AMBIDEX_HIP_REDUCE(or, a | b)
AMBIDEX_HIP_REDUCE(xor, a ^ b)
#undef AMBIDEX_HIP_REDUCE
