// SPDX-License-Identifier: Apache-2.0
// Exclusive scan by up- and down-sweep, padded against bank conflicts, blocks joined by a second level.
#include <stdio.h>
#include <stdlib.h>

#define LOG_NUM_BANKS 5
#define PAD(i) ((i) + ((i) >> LOG_NUM_BANKS))
#define B 256

__global__ void scan_block(const int* in, int* out, int* sums, int n) {
  __shared__ int temp[PAD(B) + 1];
  const int base = blockIdx.x * B, t = threadIdx.x;
  temp[PAD(2 * t)] = base + 2 * t < n ? in[base + 2 * t] : 0;
  temp[PAD(2 * t + 1)] = base + 2 * t + 1 < n ? in[base + 2 * t + 1] : 0;
  int offset = 1;
  for (int d = B >> 1; d > 0; d >>= 1) {
    __syncthreads();
    if (t < d) {
      const int ai = offset * (2 * t + 1) - 1, bi = offset * (2 * t + 2) - 1;
      temp[PAD(bi)] += temp[PAD(ai)];
    }
    offset <<= 1;
  }
  __syncthreads();
  if (t == 0) {
    if (sums) sums[blockIdx.x] = temp[PAD(B - 1)];
    temp[PAD(B - 1)] = 0;
  }
  for (int d = 1; d < B; d <<= 1) {
    offset >>= 1;
    __syncthreads();
    if (t < d) {
      const int ai = offset * (2 * t + 1) - 1, bi = offset * (2 * t + 2) - 1;
      const int v = temp[PAD(ai)];
      temp[PAD(ai)] = temp[PAD(bi)];
      temp[PAD(bi)] += v;
    }
  }
  __syncthreads();
  if (base + 2 * t < n) out[base + 2 * t] = temp[PAD(2 * t)];
  if (base + 2 * t + 1 < n) out[base + 2 * t + 1] = temp[PAD(2 * t + 1)];
}

__global__ void add_sums(int* out, const int* sums, int n) {
  const int i = blockIdx.x * B + threadIdx.x;
  if (i < n) out[i] += sums[blockIdx.x];
}

int main() {
  const int n = 2000, blocks = (n + B - 1) / B;
  int *in = (int*)malloc(n * sizeof(int)), *out = (int*)malloc(n * sizeof(int));
  for (int i = 0; i < n; i++) in[i] = (i * 5) % 13;
  int *d_in, *d_out, *d_sums;
  cudaMalloc((void**)&d_in, n * sizeof(int));
  cudaMalloc((void**)&d_out, n * sizeof(int));
  cudaMalloc((void**)&d_sums, blocks * sizeof(int));
  cudaMemcpy(d_in, in, n * sizeof(int), cudaMemcpyHostToDevice);
  scan_block<<<blocks, B / 2>>>(d_in, d_out, d_sums, n);
  scan_block<<<1, B / 2>>>(d_sums, d_sums, NULL, blocks);
  add_sums<<<blocks, B>>>(d_out, d_sums, n);
  cudaMemcpy(out, d_out, n * sizeof(int), cudaMemcpyDeviceToHost);
  int sum = 0, bad = 0;
  for (int i = 0; i < n; i++) {
    bad += out[i] != sum;
    sum += in[i];
  }
  printf("exclusive scan: %d wrong\n", bad);
  return bad != 0;
}
