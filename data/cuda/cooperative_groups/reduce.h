// SPDX-License-Identifier: Apache-2.0
// cg::reduce over a tile, by a butterfly, or over coalesced threads, in order of ranks.
#pragma once
#pragma GCC system_header

#include "../cooperative_groups.h"

namespace cooperative_groups {

template <class T = void>
struct plus {
  AMBIDEX_MEMBER_HD T operator()(T a, T b) const { return a + b; }
};
template <class T = void>
struct less {
  AMBIDEX_MEMBER_HD T operator()(T a, T b) const { return b < a ? b : a; }
};
template <class T = void>
struct greater {
  AMBIDEX_MEMBER_HD T operator()(T a, T b) const { return a < b ? b : a; }
};
template <class T = void>
struct bit_and {
  AMBIDEX_MEMBER_HD T operator()(T a, T b) const { return a & b; }
};
template <class T = void>
struct bit_or {
  AMBIDEX_MEMBER_HD T operator()(T a, T b) const { return a | b; }
};
template <class T = void>
struct bit_xor {
  AMBIDEX_MEMBER_HD T operator()(T a, T b) const { return a ^ b; }
};

template <unsigned int kSize, class Parent, class T, class Op>
AMBIDEX_MEMBER_D T reduce(const thread_block_tile<kSize, Parent>& group, T value, Op op) {
  for (unsigned int mask = kSize / 2; mask > 0; mask /= 2) {
    value = op(value, group.shfl_xor(value, mask));
  }
  return value;
}
template <class T, class Op>
AMBIDEX_MEMBER_D T reduce(const coalesced_group& group, T value, Op op) {
  T result = group.shfl(value, 0);
  for (unsigned int rank = 1; rank < group.num_threads(); ++rank) {
    result = op(result, group.shfl(value, rank));
  }
  return result;
}

}  // namespace cooperative_groups
