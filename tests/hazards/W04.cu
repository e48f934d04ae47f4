// SPDX-License-Identifier: Apache-2.0
// W04: 32-bit counts of a mask of lanes.
#include <cuda_runtime.h>

#define NUM_VOTES(p) __popc(__ballot_sync(0xffffffffu, (p)))  // expect: W04 S0

__device__ unsigned lanes_below() { return (1u << (threadIdx.x & 31)) - 1u; }

__device__ __inline__ unsigned votes_of(bool flag) { return __ballot_sync(__activemask(), flag); }

__global__ void ranks(const int* in, int* out) {
  const bool mine = in[threadIdx.x] != 0;
  const unsigned m = __ballot_sync(0xffffffffu, mine);
  const int rank = __popc(m & lanes_below());  // expect: W04 S0
  const int total = __popc(m);                 // expect: W04 S0
  const int leader = __ffs(m) - 1;             // expect: W04 S0
  const int last = 31 - __clz(m);              // expect: W04 S0
  out[threadIdx.x] = rank + total + leader + last + NUM_VOTES(mine);
}

template <int kItems>
__device__ int compacted(const int (&items)[kItems]) {
  int count = 0;
  for (int i = 0; i < kItems; ++i) {
    count += __popc(__ballot_sync(__activemask(), items[i] > 0));  // expect: W04 S0
    unsigned peers = __match_any_sync(__activemask(), items[i]);
    count += __ffs(__brev(peers));     // expect: W04 S0
    count += __popc(votes_of(count));  // expect: W04 S0
  }
  return count;
}

// Bits of something else, and of the own half.
__global__ void harmless(const unsigned* in, int* out) {
  const unsigned long long all = __ballot_sync(__activemask(), in[threadIdx.x]);
  const unsigned half = (all >> (threadIdx.x & 32)) & 0xffffffffu;
  out[threadIdx.x] = __popc(in[threadIdx.x]) + __ffs(in[0]) + __popc(half);
}
