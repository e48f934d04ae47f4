// SPDX-License-Identifier: Apache-2.0
#include "kernels.h"

namespace {

template <typename T>
__device__ T warp_sum(T value) {
  for (int lanes = WARP / 2; lanes > 0; lanes /= 2) {
    value += __shfl_down_sync(0xffffffff, value, lanes);
  }
  return value;
}

__global__ void mean_pool_kernel(const float* in, float* out, int rows, int cols) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / WARP;
  if (row >= rows) return;
  float sum = 0;
  for (int c = threadIdx.x % WARP; c < cols; c += WARP) sum += in[row * cols + c];
  sum = warp_sum(sum);
  if (threadIdx.x % WARP == 0) out[row] = sum / cols;
}

}  // namespace

cudaError_t mean_pool(const float* in, float* out, int rows, int cols, cudaStream_t stream) {
  const int block = 4 * WARP;
  mean_pool_kernel<<<(rows + 3) / 4, block, 0, stream>>>(in, out, rows, cols);
  LAUNCH_CHECK();
  return cudaSuccess;
}
