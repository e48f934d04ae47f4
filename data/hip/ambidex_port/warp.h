// SPDX-License-Identifier: Apache-2.0
// CUDA's warp of 32 lanes on a wave of 32 or 64: the half of the wave that the lane is in.
// Masks are CUDA's, of 32 bits; the lanes that execute the call take part, so every lane of the
// mask that has not exited must reach it together, as on CUDA before Volta.
#ifndef AMBIDEX_PORT_WARP_H  // a name, since a port brings its own copy
#define AMBIDEX_PORT_WARP_H

#include "ambidex_port/platform.h"

namespace ambidex_port {

constexpr int warp_size = 32;

// 0..31. Lane of the logical warp [W11].
AMBIDEX_PORT_DEVICE unsigned lane_id() { return __lane_id() & 31u; }
// Where this lane's half begins in a mask of the wave: 0 or 32.
AMBIDEX_PORT_DEVICE unsigned half_shift() { return __lane_id() & 32u; }
AMBIDEX_PORT_DEVICE unsigned linear_thread() {
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}
AMBIDEX_PORT_DEVICE unsigned warp_id_in_block() { return linear_thread() / 32u; }

// A CUDA mask as HIP's *_sync words want it: the bits of this half of the wave [W02].
AMBIDEX_PORT_DEVICE unsigned long long lane_mask(unsigned mask) {
  return static_cast<unsigned long long>(mask) << half_shift();
}
AMBIDEX_PORT_DEVICE unsigned long long full_mask() { return lane_mask(0xffffffffu); }

// The half of a wave's ballot that is this logical warp's [W03].
AMBIDEX_PORT_DEVICE unsigned half_of(unsigned long long wave_mask) {
  return static_cast<unsigned>((wave_mask >> half_shift()) & 0xffffffffull);
}

AMBIDEX_PORT_DEVICE unsigned lanemask_lt() { return (1u << lane_id()) - 1u; }
AMBIDEX_PORT_DEVICE unsigned lanemask_eq() { return 1u << lane_id(); }
AMBIDEX_PORT_DEVICE unsigned lanemask_le() { return lanemask_lt() | lanemask_eq(); }
AMBIDEX_PORT_DEVICE unsigned lanemask_gt() { return ~lanemask_le(); }
AMBIDEX_PORT_DEVICE unsigned lanemask_ge() { return ~lanemask_lt(); }

// Votes [W03 W04 W05].
AMBIDEX_PORT_DEVICE unsigned ballot(int predicate) { return half_of(__ballot(predicate)); }
AMBIDEX_PORT_DEVICE unsigned activemask() { return ballot(1); }
AMBIDEX_PORT_DEVICE unsigned ballot_sync(unsigned mask, int predicate) {
  return ballot(predicate) & mask;
}
AMBIDEX_PORT_DEVICE int any(int predicate) { return ballot(predicate) != 0u; }
AMBIDEX_PORT_DEVICE int all(int predicate) { return ballot(predicate == 0) == 0u; }
AMBIDEX_PORT_DEVICE int any_sync(unsigned mask, int predicate) {
  return ballot_sync(mask, predicate) != 0u;
}
AMBIDEX_PORT_DEVICE int all_sync(unsigned mask, int predicate) {
  return ballot_sync(mask, predicate == 0) == 0u;
}
// Whether the predicate is the same in all lanes.
AMBIDEX_PORT_DEVICE int uni_sync(unsigned mask, int predicate) {
  const unsigned yes = ballot_sync(mask, predicate);
  const unsigned no = ballot_sync(mask, predicate == 0);
  return yes == 0u || no == 0u;
}

// Exchange [W01]. The mask says who takes part, which on a GPU in lockstep is who is here. A lane
// that nobody reads from may hand over a variable that it has not set.
// HIP's take numbers of four or eight bytes, and halves; a value of any other type moves by words.
template <class T>
constexpr bool is_exchanged_whole = __is_arithmetic(T) && (sizeof(T) == 4 || sizeof(T) == 8);
#define AMBIDEX_PORT_SHUFFLE(name, function, Lane)                                  \
  template <class T>                                                                \
  AMBIDEX_PORT_DEVICE T name(unsigned, AMBIDEX_PORT_MAYBE_UNSET T value, Lane lane, \
                             int width = 32) {                                      \
    if constexpr (is_exchanged_whole<T>) {                                          \
      return function(value, lane, width);                                          \
    } else {                                                                        \
      unsigned words[(sizeof(T) + 3) / 4] = {};                                     \
      __builtin_memcpy(words, static_cast<const void*>(&value), sizeof(T));         \
      for (unsigned& word : words) word = function(word, lane, width);              \
      __builtin_memcpy(static_cast<void*>(&value), words, sizeof(T));               \
      return value;                                                                 \
    }                                                                               \
  }
AMBIDEX_PORT_SHUFFLE(shfl_sync, __shfl, int)
AMBIDEX_PORT_SHUFFLE(shfl_up_sync, __shfl_up, unsigned)
AMBIDEX_PORT_SHUFFLE(shfl_down_sync, __shfl_down, unsigned)
// CUDA takes this lane's own value where the source is beyond the segment and may reach back into
// an earlier one, as HIP does.
AMBIDEX_PORT_SHUFFLE(shfl_xor_sync, __shfl_xor, int)
#undef AMBIDEX_PORT_SHUFFLE

// Lanes of the mask whose value is this lane's [W12].
template <class T>
AMBIDEX_PORT_DEVICE unsigned match_any_sync(unsigned mask, T value) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8, "match takes values of 4 or 8 bytes");
  unsigned same = ballot(1) & mask;
  for (unsigned bit = 0; bit < 8 * sizeof(T); ++bit) {
    unsigned long long bits = 0;
    __builtin_memcpy(&bits, &value, sizeof(T));
    const bool set = (bits >> bit & 1u) != 0u;
    const unsigned those_set = ballot(set ? 1 : 0);
    same &= set ? those_set : ~those_set;
  }
  return same;
}
template <class T>
AMBIDEX_PORT_DEVICE unsigned match_all_sync(unsigned mask, T value, int* predicate) {
  const unsigned here = ballot(1) & mask;
  *predicate = match_any_sync(mask, value) == here;
  return *predicate != 0 ? mask : 0u;
}

// Reductions over the lanes of the mask [W12]. All lanes get the result.
template <class T, class Op>
AMBIDEX_PORT_DEVICE T reduce_sync(unsigned mask, T value, Op op) {
  const unsigned here = ballot(1) & mask;
  if (here == 0xffffffffu) {
    for (int lanes = 16; lanes > 0; lanes /= 2) value = op(value, __shfl_xor(value, lanes, 32));
    return value;
  }
  T sum = __shfl(value, __builtin_ctz(here), 32);
  for (unsigned left = here & (here - 1u); left != 0u; left &= left - 1u) {
    sum = op(sum, __shfl(value, __builtin_ctz(left), 32));
  }
  return sum;
}
#define AMBIDEX_PORT_REDUCE(name, expression)                                  \
  template <class T>                                                           \
  AMBIDEX_PORT_DEVICE T reduce_##name##_sync(unsigned mask, T value) {         \
    return reduce_sync(mask, value, [](T a, T b) -> T { return expression; }); \
  }
AMBIDEX_PORT_REDUCE(add, a + b)
AMBIDEX_PORT_REDUCE(min, b < a ? b : a)
AMBIDEX_PORT_REDUCE(max, a < b ? b : a)
AMBIDEX_PORT_REDUCE(and, a& b)
AMBIDEX_PORT_REDUCE(or, a | b)
AMBIDEX_PORT_REDUCE(xor, a ^ b)
#undef AMBIDEX_PORT_REDUCE

// Orders the memory of the lanes that execute it; the compiler may not move accesses over it [S05].
AMBIDEX_PORT_DEVICE void syncwarp(unsigned = 0xffffffffu) {
#if defined(AMBIDEX_PORT_GFX)
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_wave_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
#elif HIP_VERSION_MAJOR >= 7
  __syncwarp();
#endif
}

// One lane of the mask gets true: elect.sync.
AMBIDEX_PORT_DEVICE bool elect_sync(unsigned mask) {
  return static_cast<unsigned>(__builtin_ctz(ballot(1) & mask)) == lane_id();
}

// Position of the offset-th set bit of `mask` from bit `base` on (offset > 0), or of the
// -offset-th from there downwards; offset 0: base itself if it is set. ~0u if there is none.
// CUDA's __fns [W04].
AMBIDEX_PORT_DEVICE unsigned fns(unsigned mask, unsigned base, int offset) {
  if (offset == 0) return mask >> base & 1u ? base : ~0u;
  const int step = offset > 0 ? 1 : -1;
  int left = offset > 0 ? offset : -offset;
  for (int bit = static_cast<int>(base); bit >= 0 && bit < 32; bit += step) {
    if (mask >> bit & 1u && --left == 0) return static_cast<unsigned>(bit);
  }
  return ~0u;
}

}  // namespace ambidex_port

#endif  // AMBIDEX_PORT_WARP_H
