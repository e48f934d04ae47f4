// SPDX-License-Identifier: Apache-2.0
// One-dimensional stencil of radius 3 with a halo in shared memory.
#include <stdio.h>
#include <stdlib.h>

#define RADIUS 3
#define BLOCK_SIZE 64

__global__ void stencil_1d(const int* in, int* out, int n) {
  __shared__ int temp[BLOCK_SIZE + 2 * RADIUS];
  int g = threadIdx.x + blockIdx.x * blockDim.x;
  int l = threadIdx.x + RADIUS;
  temp[l] = g < n ? in[g] : 0;
  if (threadIdx.x < RADIUS) {
    temp[l - RADIUS] = g >= RADIUS ? in[g - RADIUS] : 0;
    temp[l + BLOCK_SIZE] = g + BLOCK_SIZE < n ? in[g + BLOCK_SIZE] : 0;
  }
  __syncthreads();
  int result = 0;
  for (int offset = -RADIUS; offset <= RADIUS; offset++) result += temp[l + offset];
  if (g < n) out[g] = result;
}

int main() {
  const int n = 1021;
  int *in = (int*)malloc(n * sizeof(int)), *out = (int*)malloc(n * sizeof(int));
  for (int i = 0; i < n; i++) in[i] = (i * i) % 97;
  int *d_in, *d_out;
  cudaMalloc((void**)&d_in, n * sizeof(int));
  cudaMalloc((void**)&d_out, n * sizeof(int));
  cudaMemcpy(d_in, in, n * sizeof(int), cudaMemcpyHostToDevice);
  stencil_1d<<<(n + BLOCK_SIZE - 1) / BLOCK_SIZE, BLOCK_SIZE>>>(d_in, d_out, n);
  cudaMemcpy(out, d_out, n * sizeof(int), cudaMemcpyDeviceToHost);
  int bad = 0;
  for (int i = 0; i < n; i++) {
    int want = 0;
    for (int o = -RADIUS; o <= RADIUS; o++) want += i + o >= 0 && i + o < n ? in[i + o] : 0;
    bad += want != out[i];
  }
  printf("stencil: %d wrong\n", bad);
  return bad != 0;
}
