// SPDX-License-Identifier: Apache-2.0
// 256-bin histogram of bytes: private in shared memory, merged with atomics.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BINS 256

__global__ void histogram(const unsigned char* data, size_t n, unsigned int* bins) {
  __shared__ unsigned int local[BINS];
  for (int b = threadIdx.x; b < BINS; b += blockDim.x) local[b] = 0;
  __syncthreads();
  size_t stride = (size_t)blockDim.x * gridDim.x;
  for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
    atomicAdd(&local[data[i]], 1u);
  }
  __syncthreads();
  for (int b = threadIdx.x; b < BINS; b += blockDim.x) {
    if (local[b] != 0) atomicAdd(&bins[b], local[b]);
  }
}

int main() {
  const size_t n = 20011;
  unsigned char* data = (unsigned char*)malloc(n);
  unsigned want[BINS] = {0}, got[BINS];
  unsigned state = 12345;
  for (size_t i = 0; i < n; i++) {
    state = state * 1664525u + 1013904223u;
    data[i] = (unsigned char)((state >> 24) & (state >> 16));
    want[data[i]]++;
  }
  unsigned char* d_data;
  unsigned* d_bins;
  cudaMalloc((void**)&d_data, n);
  cudaMalloc((void**)&d_bins, sizeof(want));
  cudaMemcpy(d_data, data, n, cudaMemcpyHostToDevice);
  cudaMemset(d_bins, 0, sizeof(want));
  histogram<<<5, 192>>>(d_data, n, d_bins);
  cudaMemcpy(got, d_bins, sizeof(got), cudaMemcpyDeviceToHost);
  int bad = memcmp(got, want, sizeof(got)) != 0;
  printf("histogram %s\n", bad ? "WRONG" : "right");
  free(data);
  return bad;
}
