// SPDX-License-Identifier: Apache-2.0
// The lanes of a logical warp that happen to be together, where HIP's group is of the wave [W13].
#ifndef AMBIDEX_PORT_GROUPS_H  // a name, since a port brings its own copy
#define AMBIDEX_PORT_GROUPS_H

#include "ambidex_port/warp.h"

namespace ambidex_port {

// cooperative_groups::coalesced_group: its threads are ranked in order of lanes; bit r of its
// ballots is the thread of rank r. Values to exchange come by reference, since they may not be set:
// clang 22 takes a member's argument for set even where it is marked otherwise.
class coalesced_group {
 public:
  AMBIDEX_PORT_MEMBER explicit coalesced_group(unsigned lanes, unsigned meta_rank = 0,
                                               unsigned meta_size = 1)
      : lanes_(lanes), meta_rank_(meta_rank), meta_size_(meta_size) {}
  AMBIDEX_PORT_MEMBER unsigned lanes() const { return lanes_; }
  AMBIDEX_PORT_MEMBER unsigned size() const { return static_cast<unsigned>(__popc(lanes_)); }
  AMBIDEX_PORT_MEMBER unsigned num_threads() const { return size(); }
  AMBIDEX_PORT_MEMBER unsigned thread_rank() const {
    return static_cast<unsigned>(__popc(lanes_ & lanemask_lt()));
  }
  AMBIDEX_PORT_MEMBER unsigned meta_group_rank() const { return meta_rank_; }
  AMBIDEX_PORT_MEMBER unsigned meta_group_size() const { return meta_size_; }
  AMBIDEX_PORT_MEMBER void sync() const { syncwarp(lanes_); }

  template <class T>
  AMBIDEX_PORT_MEMBER T shfl(const T& value, int rank) const {
    return from(value, lane_of(static_cast<unsigned>(rank) % size()));
  }
  // Past the end of the group the value is the thread's own.
  template <class T>
  AMBIDEX_PORT_MEMBER T shfl_down(const T& value, unsigned delta) const {
    const unsigned rank = thread_rank() + delta;
    return from(value, rank < size() ? lane_of(rank) : static_cast<int>(lane_id()));
  }
  template <class T>
  AMBIDEX_PORT_MEMBER T shfl_up(const T& value, unsigned delta) const {
    const unsigned rank = thread_rank();
    return from(value, rank >= delta ? lane_of(rank - delta) : static_cast<int>(lane_id()));
  }
  AMBIDEX_PORT_MEMBER unsigned ballot(int predicate) const {
    return packed(ballot_sync(lanes_, predicate));
  }
  AMBIDEX_PORT_MEMBER int any(int predicate) const { return any_sync(lanes_, predicate); }
  AMBIDEX_PORT_MEMBER int all(int predicate) const { return all_sync(lanes_, predicate); }
  template <class T>
  AMBIDEX_PORT_MEMBER unsigned match_any(T value) const {
    return packed(match_any_sync(lanes_, value));
  }
  template <class T>
  AMBIDEX_PORT_MEMBER unsigned match_all(T value, int& predicate) const {
    return packed(match_all_sync(lanes_, value, &predicate));
  }

 private:
  // A value of any size by words of four bytes, as CUDA's groups move it.
  template <class T>
  AMBIDEX_PORT_MEMBER static T from(const T& value, int lane) {
    unsigned words[(sizeof(T) + 3) / 4] = {};
    __builtin_memcpy(words, &value, sizeof(T));
    for (unsigned& word : words) word = __shfl(word, lane, 32);
    T result = value;
    __builtin_memcpy(&result, words, sizeof(T));
    return result;
  }
  AMBIDEX_PORT_MEMBER int lane_of(unsigned rank) const {
    unsigned left = lanes_;
    for (; rank > 0; --rank) left &= left - 1u;
    return __ffs(static_cast<int>(left)) - 1;
  }
  AMBIDEX_PORT_MEMBER unsigned packed(unsigned lanes) const {
    unsigned result = 0, rank = 0;
    for (unsigned left = lanes_; left != 0; left &= left - 1u, ++rank) {
      if ((lanes & left & (0u - left)) != 0) result |= 1u << rank;
    }
    return result;
  }
  unsigned lanes_, meta_rank_, meta_size_;
};

AMBIDEX_PORT_DEVICE coalesced_group coalesced_threads() { return coalesced_group(activemask()); }

// Lanes of the logical warp that are in a group of that size or less: a tile is aligned to its own.
AMBIDEX_PORT_DEVICE unsigned lanes_of(const coalesced_group& group) { return group.lanes(); }
template <class Tile>
AMBIDEX_PORT_DEVICE unsigned lanes_of(const Tile& tile) {
  const unsigned size = static_cast<unsigned>(tile.size());
  return size >= 32u ? ~0u : ((1u << size) - 1u) << (lane_id() & ~(size - 1u));
}

// The threads of `group` with the caller's predicate or label. Those with a label are ranked among
// the parts in order of their first lanes [W13].
template <class Group>
AMBIDEX_PORT_DEVICE coalesced_group binary_partition(const Group& group, bool predicate) {
  const unsigned yes = ballot_sync(lanes_of(group), predicate ? 1 : 0);
  const unsigned no = ballot_sync(lanes_of(group), predicate ? 0 : 1);
  return coalesced_group(predicate ? yes : no, predicate ? 1u : 0u,
                         yes != 0u && no != 0u ? 2u : 1u);
}
template <class Group, class Label>
AMBIDEX_PORT_DEVICE coalesced_group labeled_partition(const Group& group, Label label) {
  unsigned mine = 0;
  if constexpr (sizeof(Label) < 4) {
    mine = match_any_sync(lanes_of(group), static_cast<int>(label));
  } else {
    mine = match_any_sync(lanes_of(group), label);
  }
  const unsigned first = mine & (0u - mine);
  const unsigned leaders = ballot_sync(lanes_of(group), (first >> lane_id() & 1u) != 0u ? 1 : 0);
  return coalesced_group(mine, static_cast<unsigned>(__popc(leaders & (first - 1u))),
                         static_cast<unsigned>(__popc(leaders)));
}

}  // namespace ambidex_port

#endif  // AMBIDEX_PORT_GROUPS_H
