// SPDX-License-Identifier: Apache-2.0
// W17: data in memory that packs one bit per lane of 32.
#include <cuda_runtime.h>

#include <cstdint>

#define PACK(words, i, p) (words)[i] = __ballot_sync(0xffffffffu, (p))

__global__ void packed(const float* in, unsigned* bits, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned word = __ballot_sync(0xffffffffu, i < n && in[i] > 0);
  if (threadIdx.x % 32 == 0) bits[i / 32] = word;  // expect: W17 S0
}

template <typename T>
__global__ void directly(const T* in, uint32_t* mask) {
  mask[threadIdx.x >> 5] = __ballot_sync(__activemask(), in[threadIdx.x] != T(0));  // expect: W17 S0
}

__global__ void added(const int* in, unsigned* words) {
  const unsigned votes = __ballot_sync(__activemask(), in[threadIdx.x]);
  atomicOr(&words[blockIdx.x], votes);  // expect: W17 S0
  auto keep = [&](unsigned at) { words[at] = votes; };  // expect: W17 S0
  keep(0);
}

__device__ unsigned kept_words[64];
__global__ void of_the_module(const int* in) {
  const unsigned votes = __ballot_sync(__activemask(), in[threadIdx.x]);
  kept_words[threadIdx.x >> 5] = votes;  // expect: W17 S0
}

// A count in memory has no layout of lanes.
__global__ void counted(const int* in, int* out) {
  out[threadIdx.x] = __popc(__ballot_sync(__activemask(), in[threadIdx.x]));
}
