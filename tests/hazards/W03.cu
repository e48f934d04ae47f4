// SPDX-License-Identifier: Apache-2.0
// W03: a ballot's 64 bits in a word of 32.
#include <cuda_runtime.h>

#include <cstdint>

typedef uint32_t warp_mask_t;
#define BALLOT(p) __ballot_sync(0xffffffffu, (p))

__global__ void kept(const int* in, int* out) {
  const bool flag = in[threadIdx.x] > 0;
  unsigned votes = __ballot_sync(0xffffffffu, flag);  // expect: W03 S0
  int active = __activemask();                        // expect: W03 S0
  warp_mask_t peers = __ballot_sync(votes, flag);     // expect: W03 S0
  unsigned through = BALLOT(flag);                    // expect: W03 S0
  out[threadIdx.x] = votes == peers && through == static_cast<unsigned>(active);
}

// Helpers: what they return, and what they are given.
__device__ __forceinline__ unsigned int votes_of(bool flag) {
  return __ballot_sync(__activemask(), flag);  // expect: W03 S0
}

__device__ bool is_set(unsigned word, int bit) { return (word >> bit) & 1u; }

template <typename T>
__device__ T filtered(T value, bool flag) {
  uint32_t mask;
  mask = __ballot_sync(__activemask(), flag) & 0x0000ffffu;  // expect: W03 S0
  const auto test = [&](bool keep) {
    unsigned inner = __ballot_sync(__activemask(), keep);  // expect: W03 S0
    return is_set(inner, 0);
  };
  const bool first = is_set(__ballot_sync(__activemask(), flag), 0);  // expect: W03 S0
  return test(mask != 0) && first ? value : T(0);
}

__global__ void cast(const int* in, unsigned long long* out) {
  const unsigned long long word = (unsigned)__ballot_sync(__activemask(), in[0]);  // expect: W03 S0
  out[blockIdx.x] = word + votes_of(in[1]);
}

struct Votes {
  unsigned mask;
};
__global__ void in_member(const int* in, int* out) {
  Votes votes;
  votes.mask = __ballot_sync(__activemask(), in[threadIdx.x]);  // expect: W03 S0
  out[threadIdx.x] = votes.mask != 0;
}

// Kept whole, or moved to the own half first.
__global__ void right(const int* in, unsigned long long* out) {
  const unsigned long long all = __ballot_sync(__activemask(), in[threadIdx.x]);
  const unsigned lane = threadIdx.x & 63;
  const unsigned half = (unsigned)((all >> (lane & 32)) & 0xffffffffu);
  out[threadIdx.x] = half;
}
