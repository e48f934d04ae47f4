// SPDX-License-Identifier: Apache-2.0
// W06: lanes and warps counted by hand: wrong where the hardware's width is used beside it.
#include <cuda_runtime.h>

#define LANE (threadIdx.x & 31)  // expect: W06
constexpr int kWarp = 32;

__global__ void mixed(const int* in, int* out) {
  const int lane = threadIdx.x % 32;          // expect: W06 S0
  const int warp = threadIdx.x / warpSize;
  out[warp * 32 + lane] = in[threadIdx.x];
}

__global__ void mixed_with_a_ballot(const int* in, int* out) {
  const int lane = threadIdx.x & (kWarp - 1);  // expect: W06 S0
  const unsigned long long votes = __ballot_sync(__activemask(), in[threadIdx.x]);
  out[threadIdx.x] = static_cast<int>((votes >> lane) & 1);
}

template <int kThreads>
__device__ int warp_of(int thread) {
  return thread >> 5;  // expect: W06 S0
}

__global__ void through_a_helper(int* out) {
  out[threadIdx.x] = warp_of<128>(threadIdx.x) * warpSize;
}

enum { kLanesOfWarp = 32 };
__global__ void by_enumerator(int* out) {
  const int warp = threadIdx.x / kLanesOfWarp;  // expect: W06 S0
  out[warp] = __popc(__ballot_sync(__activemask(), out[warp]));
}

// Consistently 32: right under width 32, and said so.
__global__ void consistent(const float* in, float* out) {
  const int tid = threadIdx.x;
  const int lane = tid & 31;  // expect: W06 S3
  const int warp = tid >> 5;  // expect: W06 S3
  auto place = [&](int i) { return (tid / kWarp) * 32 + i; };  // expect: W06 S3
  out[place(lane)] = in[warp * 32 + lane];
}

// Not of a thread: bits of a number.
__global__ void harmless(const unsigned* words, int* out, int n) {
  for (int bit = 0; bit < n; ++bit) out[bit] = (words[bit / 32] >> (bit & 31)) & 1;
}
