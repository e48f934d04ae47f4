// SPDX-License-Identifier: Apache-2.0
// The old reduction: barriers down to 64 partial sums, then a warp-synchronous tail.
#include <stdio.h>
#include <stdlib.h>

template <unsigned blockSize>
__device__ void warp_reduce(volatile int* sdata, unsigned tid) {
  if (blockSize >= 64) sdata[tid] += sdata[tid + 32];
  if (blockSize >= 32) sdata[tid] += sdata[tid + 16];
  if (blockSize >= 16) sdata[tid] += sdata[tid + 8];
  if (blockSize >= 8) sdata[tid] += sdata[tid + 4];
  if (blockSize >= 4) sdata[tid] += sdata[tid + 2];
  if (blockSize >= 2) sdata[tid] += sdata[tid + 1];
}

template <unsigned blockSize>
__global__ void reduce(const int* in, int* out, unsigned n) {
  __shared__ int sdata[blockSize + 32];
  const unsigned tid = threadIdx.x;
  int sum = 0;
  for (unsigned i = blockIdx.x * blockSize + tid; i < n; i += blockSize * gridDim.x) sum += in[i];
  sdata[tid] = sum;
  if (tid < 32) sdata[blockSize + tid] = 0;
  __syncthreads();
  for (unsigned s = blockSize / 2; s > 32; s >>= 1) {
    if (tid < s) sdata[tid] += sdata[tid + s];
    __syncthreads();
  }
  if (tid < 32) warp_reduce<blockSize>(sdata, tid);
  if (tid == 0) out[blockIdx.x] = sdata[0];
}

int main() {
  const unsigned n = 4000, blocks = 3;
  int* in = (int*)malloc(n * sizeof(int));
  int want = 0, out[blocks], got = 0;
  for (unsigned i = 0; i < n; i++) want += in[i] = (int)(i % 19) - 5;
  int *d_in, *d_out;
  cudaMalloc((void**)&d_in, n * sizeof(int));
  cudaMalloc((void**)&d_out, sizeof(out));
  cudaMemcpy(d_in, in, n * sizeof(int), cudaMemcpyHostToDevice);
  reduce<128><<<blocks, 128>>>(d_in, d_out, n);
  cudaMemcpy(out, d_out, sizeof(out), cudaMemcpyDeviceToHost);
  for (unsigned b = 0; b < blocks; b++) got += out[b];
  printf("sum %d, expected %d\n", got, want);
  free(in);
  return got != want;
}
