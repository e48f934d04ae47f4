// SPDX-License-Identifier: Apache-2.0
// Sum by a tree in shared memory, one partial sum per block.
#include <stdio.h>
#include <stdlib.h>

__global__ void reduce_sum(const float* in, float* partial, unsigned n) {
  extern __shared__ float sdata[];
  unsigned tid = threadIdx.x;
  unsigned i = blockIdx.x * (blockDim.x * 2) + threadIdx.x;
  float sum = i < n ? in[i] : 0.0f;
  if (i + blockDim.x < n) sum += in[i + blockDim.x];
  sdata[tid] = sum;
  __syncthreads();
  for (unsigned s = blockDim.x / 2; s > 0; s >>= 1) {
    if (tid < s) sdata[tid] += sdata[tid + s];
    __syncthreads();
  }
  if (tid == 0) partial[blockIdx.x] = sdata[0];
}

int main(void) {
  const unsigned n = 10000, threads = 128;
  const unsigned blocks = (n + threads * 2 - 1) / (threads * 2);
  float* in = (float*)malloc(n * sizeof(float));
  double want = 0;
  for (unsigned i = 0; i < n; i++) {
    in[i] = (float)((i * 37) % 101) / 101.0f;
    want += in[i];
  }
  float *d_in, *d_partial;
  cudaMalloc((void**)&d_in, n * sizeof(float));
  cudaMalloc((void**)&d_partial, blocks * sizeof(float));
  cudaMemcpy(d_in, in, n * sizeof(float), cudaMemcpyHostToDevice);
  reduce_sum<<<blocks, threads, threads * sizeof(float)>>>(d_in, d_partial, n);
  float* partial = (float*)malloc(blocks * sizeof(float));
  cudaMemcpy(partial, d_partial, blocks * sizeof(float), cudaMemcpyDeviceToHost);
  double got = 0;
  for (unsigned b = 0; b < blocks; b++) got += partial[b];
  printf("sum %f, expected %f\n", got, want);
  return got - want > 1e-2 || want - got > 1e-2;
}
