// SPDX-License-Identifier: Apache-2.0
// Block sums and exclusive scans by CUB.
#include <cub/cub.cuh>

#include <cstdio>
#include <vector>

template <int THREADS>
__global__ void sums_and_offsets(const int* in, int* totals, int* offsets, int n) {
  using BlockReduce = cub::BlockReduce<int, THREADS>;
  using BlockScan = cub::BlockScan<int, THREADS>;
  __shared__ union {
    typename BlockReduce::TempStorage reduce;
    typename BlockScan::TempStorage scan;
  } temp;
  const int i = blockIdx.x * THREADS + threadIdx.x;
  const int value = i < n ? in[i] : 0;
  const int total = BlockReduce(temp.reduce).Sum(value);
  __syncthreads();
  int offset;
  BlockScan(temp.scan).ExclusiveSum(value, offset);
  if (threadIdx.x == 0) totals[blockIdx.x] = total;
  if (i < n) offsets[i] = offset;
}

int main() {
  constexpr int kThreads = 128;
  const int n = 1000, blocks = (n + kThreads - 1) / kThreads;
  std::vector<int> in(n), totals(blocks), offsets(n);
  for (int i = 0; i < n; ++i) in[i] = (i * 13) % 29;
  int *d_in, *d_totals, *d_offsets;
  cudaMalloc(&d_in, n * sizeof(int));
  cudaMalloc(&d_totals, blocks * sizeof(int));
  cudaMalloc(&d_offsets, n * sizeof(int));
  cudaMemcpy(d_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  sums_and_offsets<kThreads><<<blocks, kThreads>>>(d_in, d_totals, d_offsets, n);
  cudaMemcpy(totals.data(), d_totals, blocks * sizeof(int), cudaMemcpyDeviceToHost);
  cudaMemcpy(offsets.data(), d_offsets, n * sizeof(int), cudaMemcpyDeviceToHost);
  int bad = 0;
  for (int b = 0; b < blocks; ++b) {
    int sum = 0;
    for (int i = b * kThreads; i < (b + 1) * kThreads && i < n; ++i) {
      bad += offsets[i] != sum;
      sum += in[i];
    }
    bad += totals[b] != sum;
  }
  std::printf("cub: %d wrong\n", bad);
  return bad != 0;
}
