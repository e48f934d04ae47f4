// SPDX-License-Identifier: Apache-2.0
// Exchange, reductions and scans of cooperative groups: of tiles, and of any other group with shfl,
// size and thread_rank.
#ifndef AMBIDEX_PORT_TILES_H  // a name, since a port brings its own copy
#define AMBIDEX_PORT_TILES_H

#include <hip/hip_cooperative_groups.h>

#include "ambidex_port/warp.h"

namespace ambidex_port {

#define AMBIDEX_PORT_FUNCTION(name, expression)                                           \
  template <class T = void>                                                               \
  struct name {                                                                           \
    AMBIDEX_PORT_INLINE T operator()(const T& a, const T& b) const { return expression; } \
  };                                                                                      \
  template <>                                                                             \
  struct name<void> {                                                                     \
    template <class T>                                                                    \
    AMBIDEX_PORT_INLINE T operator()(const T& a, const T& b) const {                      \
      return expression;                                                                  \
    }                                                                                     \
  };
AMBIDEX_PORT_FUNCTION(plus, a + b)
AMBIDEX_PORT_FUNCTION(less, b < a ? b : a)
AMBIDEX_PORT_FUNCTION(greater, a < b ? b : a)
AMBIDEX_PORT_FUNCTION(bit_and, a& b)
AMBIDEX_PORT_FUNCTION(bit_or, a | b)
AMBIDEX_PORT_FUNCTION(bit_xor, a ^ b)
#undef AMBIDEX_PORT_FUNCTION

// Exchange in a group; HIP's tiles exchange numbers alone [W14].
template <class Group>
constexpr bool is_tile = false;
template <unsigned n, class Parent>
constexpr bool is_tile<cooperative_groups::thread_block_tile<n, Parent>> = true;
#define AMBIDEX_PORT_SHUFFLE(name, Lane)                                                        \
  template <class Group, class T>                                                               \
  AMBIDEX_PORT_DEVICE T name(const Group& group, AMBIDEX_PORT_MAYBE_UNSET T value, Lane lane) { \
    if constexpr (is_tile<Group>) {                                                             \
      return name##_sync(0xffffffffu, value, lane, static_cast<int>(group.size()));             \
    } else {                                                                                    \
      return group.name(value, lane);                                                           \
    }                                                                                           \
  }
AMBIDEX_PORT_SHUFFLE(shfl, int)
AMBIDEX_PORT_SHUFFLE(shfl_up, unsigned)
AMBIDEX_PORT_SHUFFLE(shfl_down, unsigned)
AMBIDEX_PORT_SHUFFLE(shfl_xor, int)
#undef AMBIDEX_PORT_SHUFFLE

// Every thread of the group gets op over the values of all [W14].
template <class Group, class T, class Op>
AMBIDEX_PORT_DEVICE T reduce(const Group& group, T value, Op op) {
  const unsigned size = static_cast<unsigned>(group.size());
  if ((size & (size - 1u)) != 0u) {  // a coalesced group of any size
    T sum = shfl(group, value, 0);
    for (unsigned i = 1; i < size; ++i) sum = op(sum, shfl(group, value, static_cast<int>(i)));
    return sum;
  }
  for (unsigned d = size / 2u; d > 0u; d /= 2u) {
    const unsigned other = static_cast<unsigned>(group.thread_rank()) ^ d;
    value = op(value, shfl(group, value, static_cast<int>(other)));
  }
  return value;
}
template <class Group, class T, class Op = plus<T>>
AMBIDEX_PORT_DEVICE T inclusive_scan(const Group& group, T value, Op op = Op()) {
  const unsigned rank = static_cast<unsigned>(group.thread_rank());
  for (unsigned d = 1; d < static_cast<unsigned>(group.size()); d *= 2u) {
    const T before = shfl(group, value, static_cast<int>(rank >= d ? rank - d : rank));
    if (rank >= d) value = op(before, value);
  }
  return value;
}
// The first thread gets T{}, as CUDA's for sums.
template <class Group, class T, class Op = plus<T>>
AMBIDEX_PORT_DEVICE T exclusive_scan(const Group& group, T value, Op op = Op()) {
  const T inclusive = inclusive_scan(group, value, op);
  const unsigned rank = static_cast<unsigned>(group.thread_rank());
  const T before = shfl(group, inclusive, static_cast<int>(rank > 0u ? rank - 1u : 0u));
  return rank > 0u ? before : T{};
}

// Of logical warps in the block, where HIP's meta_group counts waves [W13].
AMBIDEX_PORT_DEVICE unsigned meta_group_rank32() { return linear_thread() / 32u; }
AMBIDEX_PORT_DEVICE unsigned meta_group_size32() {
  return (blockDim.x * blockDim.y * blockDim.z + 31u) / 32u;
}

}  // namespace ambidex_port

#endif  // AMBIDEX_PORT_TILES_H
