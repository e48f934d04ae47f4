// SPDX-License-Identifier: Apache-2.0
#include "kernels.h"

static __global__ void swish_kernel(float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = x[i] / (1.0f + expf(-x[i]));
}

cudaError_t swish(float* x, int n, cudaStream_t stream) {
  swish_kernel<<<(n + 255) / 256, 256, 0, stream>>>(x, n);
  LAUNCH_CHECK();
  return cudaSuccess;
}
