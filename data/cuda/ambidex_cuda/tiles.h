// SPDX-License-Identifier: Apache-2.0
// thread_block_tile<N>: N consecutive threads of a block, N a power of two up to 32.
#pragma once
#pragma GCC system_header

#include "groups.h"

namespace cooperative_groups {

template <unsigned int kSize, class Parent = void>
class thread_block_tile : public thread_group {
  static_assert(kSize > 0 && kSize <= 32 && (kSize & (kSize - 1)) == 0,
                "a tile of 1, 2, 4, 8, 16 or 32 threads; larger ones are not executed");

 public:
  // As a part of `parent_rank` in a group of `parent_size` threads.
  AMBIDEX_MEMBER_D thread_block_tile(unsigned int parent_rank, unsigned int parent_size)
      : thread_group(Kind::lanes, mask_of_tile(), kSize, ambidex_cuda::lane() % kSize),
        meta_rank_(parent_rank / kSize),
        meta_size_((parent_size + kSize - 1) / kSize) {}
  template <class Other>
  AMBIDEX_MEMBER_D thread_block_tile(const thread_block_tile<kSize, Other>& other)
      : thread_block_tile(other.meta_group_rank() * kSize, other.meta_group_size() * kSize) {}

  AMBIDEX_MEMBER_D void sync() const { __syncwarp(mask_of_tile()); }
  AMBIDEX_MEMBER_D static constexpr unsigned int size() { return kSize; }
  AMBIDEX_MEMBER_D static constexpr unsigned int num_threads() { return kSize; }
  AMBIDEX_MEMBER_D static unsigned int thread_rank() { return ambidex_cuda::lane() % kSize; }
  AMBIDEX_MEMBER_D unsigned int meta_group_rank() const { return meta_rank_; }
  AMBIDEX_MEMBER_D unsigned int meta_group_size() const { return meta_size_; }

  template <class T>
  AMBIDEX_MEMBER_D T shfl(T value, int rank) const {
    return ambidex_cuda::shuffle_any(mask_of_tile(), value,
                                     ambidex_cuda::source_of_index(rank, kSize));
  }
  template <class T>
  AMBIDEX_MEMBER_D T shfl_down(T value, unsigned int delta) const {
    return ambidex_cuda::shuffle_any(mask_of_tile(), value,
                                     ambidex_cuda::source_of_down(delta, kSize));
  }
  template <class T>
  AMBIDEX_MEMBER_D T shfl_up(T value, unsigned int delta) const {
    return ambidex_cuda::shuffle_any(mask_of_tile(), value,
                                     ambidex_cuda::source_of_up(delta, kSize));
  }
  template <class T>
  AMBIDEX_MEMBER_D T shfl_xor(T value, unsigned int mask) const {
    return ambidex_cuda::shuffle_any(mask_of_tile(), value,
                                     ambidex_cuda::source_of_xor(int(mask), kSize));
  }
  AMBIDEX_MEMBER_D unsigned int ballot(int predicate) const {
    return in_tile(__ballot_sync(mask_of_tile(), predicate));
  }
  AMBIDEX_MEMBER_D int any(int predicate) const { return __any_sync(mask_of_tile(), predicate); }
  AMBIDEX_MEMBER_D int all(int predicate) const { return __all_sync(mask_of_tile(), predicate); }
  template <class T>
  AMBIDEX_MEMBER_D unsigned int match_any(T value) const {
    return in_tile(ambidex_cuda::match(mask_of_tile(), value).same);
  }
  template <class T>
  AMBIDEX_MEMBER_D unsigned int match_all(T value, int& predicate) const {
    const ambidex_cuda::MatchPayload found = ambidex_cuda::match(mask_of_tile(), value);
    predicate = found.same == found.lanes;
    return predicate ? in_tile(mask_of_tile()) : 0;
  }
  AMBIDEX_MEMBER_D static unsigned int ambidex_mask() { return mask_of_tile(); }

 private:
  static constexpr unsigned int kLanes = kSize == 32 ? 0xffffffffu : (1u << kSize % 32) - 1u;
  AMBIDEX_MEMBER_D static unsigned int first_lane() { return ambidex_cuda::lane() & ~(kSize - 1); }
  AMBIDEX_MEMBER_D static unsigned int mask_of_tile() { return kLanes << first_lane(); }
  AMBIDEX_MEMBER_D static unsigned int in_tile(unsigned int lanes) {
    return lanes >> first_lane() & kLanes;
  }
  unsigned int meta_rank_, meta_size_;
};

template <unsigned int kSize, class Parent>
AMBIDEX_MEMBER_D thread_block_tile<kSize, Parent> tiled_partition(const Parent& parent) {
  return thread_block_tile<kSize, Parent>(unsigned(parent.thread_rank()),
                                          unsigned(parent.num_threads()));
}

AMBIDEX_MEMBER_D thread_block_tile<1> this_thread() { return thread_block_tile<1>(0, 1); }

template <class Group>
AMBIDEX_MEMBER_D void sync(const Group& group) {
  group.sync();
}
template <class Group>
AMBIDEX_MEMBER_D auto thread_rank(const Group& group) -> decltype(group.thread_rank()) {
  return group.thread_rank();
}
template <class Group>
AMBIDEX_MEMBER_D auto group_size(const Group& group) -> decltype(group.size()) {
  return group.size();
}
AMBIDEX_MEMBER_D void sync(const thread_group& group) { group.sync(); }

}  // namespace cooperative_groups
