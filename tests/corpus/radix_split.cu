// SPDX-License-Identifier: Apache-2.0
// LSD radix sort of a block, one bit a pass: ranks within warps from ballots, warps by a scan.
#include <algorithm>
#include <cstdio>
#include <vector>

__global__ void radix_sort_block(unsigned* data, int bits) {
  __shared__ unsigned keys[256];
  __shared__ int zeros_before[8];
  __shared__ int total_zeros;
  const int t = threadIdx.x, lane = t & 31, warp = t >> 5;
  unsigned* block = data + blockIdx.x * 256;
  unsigned key = block[t];
  for (int b = 0; b < bits; ++b) {
    const bool one = (key >> b) & 1;
    const unsigned zeros = __ballot_sync(0xffffffffu, !one);
    const int rank = __popc(zeros & ((1u << lane) - 1u));
    if (lane == 31) zeros_before[warp] = __popc(zeros);
    __syncthreads();
    if (t == 0) {
      int sum = 0;
      for (int w = 0; w < 8; ++w) {
        const int count = zeros_before[w];
        zeros_before[w] = sum;
        sum += count;
      }
      total_zeros = sum;
    }
    __syncthreads();
    const int my_zeros = zeros_before[warp] + rank;
    const int place = one ? total_zeros + (t - my_zeros) : my_zeros;
    keys[place] = key;
    __syncthreads();
    key = keys[t];
    __syncthreads();
  }
  block[t] = key;
}

int main() {
  const int blocks = 2, n = blocks * 256;
  std::vector<unsigned> data(n), want;
  for (int i = 0; i < n; ++i) data[i] = (i * 40503u) & 0xfffu;
  want = data;
  for (int b = 0; b < blocks; ++b) std::sort(want.begin() + b * 256, want.begin() + (b + 1) * 256);
  unsigned* d;
  cudaMalloc(&d, n * sizeof(unsigned));
  cudaMemcpy(d, data.data(), n * sizeof(unsigned), cudaMemcpyHostToDevice);
  radix_sort_block<<<blocks, 256>>>(d, 12);
  cudaMemcpy(data.data(), d, n * sizeof(unsigned), cudaMemcpyDeviceToHost);
  std::printf("radix sort %s\n", data == want ? "right" : "WRONG");
  return data != want;
}
