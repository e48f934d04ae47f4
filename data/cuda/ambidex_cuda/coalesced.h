// SPDX-License-Identifier: Apache-2.0
// coalesced_group: any lanes of a warp, ranked in order of lanes. Its ballots are packed: bit r is
// the thread of rank r.
#pragma once
#pragma GCC system_header

#include "tiles.h"

namespace cooperative_groups {

class coalesced_group : public thread_group {
 public:
  AMBIDEX_MEMBER_D explicit coalesced_group(unsigned int mask, unsigned int meta_rank = 0,
                                            unsigned int meta_size = 1)
      : thread_group(Kind::lanes, mask, __popc(mask), ambidex_cuda::rank_in(mask)),
        meta_rank_(meta_rank),
        meta_size_(meta_size) {}
  AMBIDEX_MEMBER_D void sync() const { __syncwarp(mask_); }
  AMBIDEX_MEMBER_D unsigned int meta_group_rank() const { return meta_rank_; }
  AMBIDEX_MEMBER_D unsigned int meta_group_size() const { return meta_size_; }

  template <class T>
  AMBIDEX_MEMBER_D T shfl(T value, unsigned int rank) const {
    return ambidex_cuda::shuffle_any(mask_, value, lane_of(rank % unsigned(num_threads_)));
  }
  // Past the end of the group the value is the thread's own.
  template <class T>
  AMBIDEX_MEMBER_D T shfl_down(T value, unsigned int delta) const {
    const unsigned int rank = unsigned(rank_) + delta;
    return ambidex_cuda::shuffle_any(mask_, value,
                                     rank < num_threads_ ? lane_of(rank) : ambidex_cuda::lane());
  }
  template <class T>
  AMBIDEX_MEMBER_D T shfl_up(T value, unsigned int delta) const {
    const int rank = int(rank_) - int(delta);
    return ambidex_cuda::shuffle_any(mask_, value,
                                     rank >= 0 ? lane_of(unsigned(rank)) : ambidex_cuda::lane());
  }
  AMBIDEX_MEMBER_D unsigned int ballot(int predicate) const {
    return packed(__ballot_sync(mask_, predicate));
  }
  AMBIDEX_MEMBER_D int any(int predicate) const { return __any_sync(mask_, predicate); }
  AMBIDEX_MEMBER_D int all(int predicate) const { return __all_sync(mask_, predicate); }
  template <class T>
  AMBIDEX_MEMBER_D unsigned int match_any(T value) const {
    return packed(ambidex_cuda::match(mask_, value).same);
  }
  template <class T>
  AMBIDEX_MEMBER_D unsigned int match_all(T value, int& predicate) const {
    const ambidex_cuda::MatchPayload found = ambidex_cuda::match(mask_, value);
    predicate = found.same == found.lanes;
    return predicate ? packed(mask_) : 0;
  }

 private:
  AMBIDEX_MEMBER_D unsigned int lane_of(unsigned int rank) const {
    return __fns(mask_, 0, int(rank) + 1);
  }
  AMBIDEX_MEMBER_D unsigned int packed(unsigned int lanes) const {
    unsigned int result = 0;
    unsigned int rank = 0;
    for (unsigned int i = 0; i < 32; ++i) {
      if (!(mask_ >> i & 1u)) continue;
      result |= (lanes >> i & 1u) << rank++;
    }
    return result;
  }
  unsigned int meta_rank_, meta_size_;
};

AMBIDEX_MEMBER_D coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }

}  // namespace cooperative_groups
