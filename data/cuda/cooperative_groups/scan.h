// SPDX-License-Identifier: Apache-2.0
// cg::inclusive_scan and cg::exclusive_scan over a tile or coalesced threads.
#pragma once
#pragma GCC system_header

#include "reduce.h"

namespace cooperative_groups {

template <class Group, class T, class Op>
AMBIDEX_MEMBER_D T inclusive_scan(const Group& group, T value, Op op) {
  for (unsigned int delta = 1; delta < group.num_threads(); delta *= 2) {
    const T below = group.shfl_up(value, delta);
    if (group.thread_rank() >= delta) value = op(below, value);
  }
  return value;
}
template <class Group, class T>
AMBIDEX_MEMBER_D T inclusive_scan(const Group& group, T value) {
  return inclusive_scan(group, value, plus<T>());
}
// The thread of rank 0 gets a T of value 0.
template <class Group, class T, class Op>
AMBIDEX_MEMBER_D T exclusive_scan(const Group& group, T value, Op op) {
  const T sum = group.shfl_up(inclusive_scan(group, value, op), 1);
  return group.thread_rank() == 0 ? T{} : sum;
}
template <class Group, class T>
AMBIDEX_MEMBER_D T exclusive_scan(const Group& group, T value) {
  return exclusive_scan(group, value, plus<T>());
}

}  // namespace cooperative_groups
