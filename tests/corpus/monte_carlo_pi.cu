// SPDX-License-Identifier: Apache-2.0
// Pi by darts; every thread has its own xorshift state, hits are counted by warp votes.
#include <cmath>
#include <cstdint>
#include <cstdio>

__device__ uint32_t xorshift(uint32_t& s) {
  s ^= s << 13;
  s ^= s >> 17;
  s ^= s << 5;
  return s;
}

__global__ void darts(unsigned long long* hits, int rounds, uint32_t seed) {
  uint32_t state = seed ^ (2654435761u * (blockIdx.x * blockDim.x + threadIdx.x + 1));
  unsigned count = 0;
  for (int i = 0; i < rounds; ++i) {
    const float x = xorshift(state) * (1.0f / 4294967296.0f);
    const float y = xorshift(state) * (1.0f / 4294967296.0f);
    count += __popc(__ballot_sync(0xffffffff, x * x + y * y < 1.0f));
  }
  if ((threadIdx.x & 31) == 0) atomicAdd(hits, (unsigned long long)count);
}

int main() {
  const int blocks = 4, threads = 128, rounds = 50;
  unsigned long long *d_hits, hits = 0;
  cudaMalloc(&d_hits, sizeof(hits));
  cudaMemset(d_hits, 0, sizeof(hits));
  darts<<<blocks, threads>>>(d_hits, rounds, 1234u);
  cudaMemcpy(&hits, d_hits, sizeof(hits), cudaMemcpyDeviceToHost);
  const double pi = 4.0 * (double)hits / ((double)blocks * threads * rounds);
  std::printf("pi is about %.4f\n", pi);
  return std::fabs(pi - 3.14159) > 0.1;
}
