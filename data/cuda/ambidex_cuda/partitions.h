// SPDX-License-Identifier: Apache-2.0
// Partitions that are known at run time: by size, by a predicate, by a label.
#pragma once
#pragma GCC system_header

#include "coalesced.h"

namespace ambidex_cuda {

// Lanes of `mask` whose ranks lie in the same run of `size` as this lane's.
AMBIDEX_D unsigned int run_of_ranks(unsigned int mask, unsigned int size) {
  const unsigned int first = rank_in(mask) / size * size;
  unsigned int result = 0;
  unsigned int rank = 0;
  for (unsigned int i = 0; i < 32; ++i) {
    if (!(mask >> i & 1u)) continue;
    if (rank >= first && rank < first + size) result |= 1u << i;
    ++rank;
  }
  return result;
}
AMBIDEX_D unsigned int run_of_lanes(unsigned int size) {
  const unsigned int lanes = size >= 32 ? 0xffffffffu : (1u << size) - 1u;
  return lanes << (lane() & ~(size - 1u));
}

}  // namespace ambidex_cuda

namespace cooperative_groups {

AMBIDEX_MEMBER_D thread_group tiled_partition(const thread_group& parent, unsigned int size) {
  if (parent.ambidex_is_block()) return coalesced_group(ambidex_cuda::run_of_lanes(size));
  return coalesced_group(ambidex_cuda::run_of_ranks(parent.ambidex_mask(), size));
}
AMBIDEX_MEMBER_D thread_group tiled_partition(const thread_block&, unsigned int size) {
  return coalesced_group(ambidex_cuda::run_of_lanes(size));
}
AMBIDEX_MEMBER_D coalesced_group tiled_partition(const coalesced_group& parent, unsigned int size) {
  const unsigned int num = unsigned(parent.num_threads());
  return coalesced_group(ambidex_cuda::run_of_ranks(parent.ambidex_mask(), size),
                         unsigned(parent.thread_rank()) / size, (num + size - 1) / size);
}

template <class Group>
AMBIDEX_MEMBER_D coalesced_group binary_partition(const Group& group, bool predicate) {
  const unsigned int mask = group.ambidex_mask();
  const unsigned int for_it = __ballot_sync(mask, predicate) & mask;
  const unsigned int against = __ballot_sync(mask, !predicate) & mask;
  const unsigned int mine = predicate ? for_it : against;
  return coalesced_group(mine, predicate ? 1 : 0, for_it != 0 && against != 0 ? 2 : 1);
}
// Parts are ranked in order of their first lanes.
template <class Group, class Label>
AMBIDEX_MEMBER_D coalesced_group labeled_partition(const Group& group, Label label) {
  const unsigned int mask = group.ambidex_mask();
  const unsigned int mine = ambidex_cuda::match(mask, label).same;
  const unsigned int leaders =
      __ballot_sync(mask, ambidex_cuda::lane() == unsigned(__ffs(int(mine)) - 1));
  const unsigned int first = 1u << (__ffs(int(mine)) - 1);
  return coalesced_group(mine, __popc(leaders & (first - 1u)), __popc(leaders));
}

template <class Group, class Function, class... Arguments>
AMBIDEX_MEMBER_D void invoke_one(const Group& group, Function&& function,
                                 Arguments&&... arguments) {
  if (group.thread_rank() == 0) function(static_cast<Arguments&&>(arguments)...);
}
template <class Group, class Function, class... Arguments>
AMBIDEX_MEMBER_D auto invoke_one_broadcast(const Group& group, Function&& function,
                                           Arguments&&... arguments)
    -> decltype(function(static_cast<Arguments&&>(arguments)...)) {
  decltype(function(static_cast<Arguments&&>(arguments)...)) result{};
  if (group.thread_rank() == 0) result = function(static_cast<Arguments&&>(arguments)...);
  return group.shfl(result, 0);
}

}  // namespace cooperative_groups
