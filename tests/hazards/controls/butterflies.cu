// SPDX-License-Identifier: Apache-2.0
// Right on 64 lanes as written: exchanges by xor below 32. Masks are another matter (W02).
#include <cuda_runtime.h>

#define WARP_SIZE 32
#define FULL 0xffffffffu

__device__ float sum(float v) {
  for (int o = 16; o > 0; o >>= 1) v += __shfl_xor_sync(FULL, v, o);
  return v;
}

template <typename T>
__device__ T largest(T v) {
#pragma unroll
  for (int mask = WARP_SIZE / 2; mask >= 1; mask /= 2) {
    v = max(v, __shfl_xor_sync(FULL, v, mask));
  }
  return v;
}

__device__ float2 pair(float2 v) {
  v.x += __shfl_xor_sync(FULL, v.x, 16);
  v.y += __shfl_xor_sync(FULL, v.y, 1);
  return v;
}

__global__ void softmax(const float* in, float* out, int columns) {
  const int lane = threadIdx.x % WARP_SIZE;
  const int row = blockIdx.x * (blockDim.x / WARP_SIZE) + threadIdx.x / WARP_SIZE;
  float most = -1e30f;
  for (int c = lane; c < columns; c += WARP_SIZE) most = fmaxf(most, in[row * columns + c]);
  most = largest(most);
  float total = 0;
  for (int c = lane; c < columns; c += WARP_SIZE) total += expf(in[row * columns + c] - most);
  total = sum(total);
  for (int c = lane; c < columns; c += WARP_SIZE) {
    out[row * columns + c] = expf(in[row * columns + c] - most) / total;
  }
}

__global__ void block_sum(const float* in, float* out, int n) {
  __shared__ float partial[WARP_SIZE];
  const int warp = threadIdx.x / WARP_SIZE;
  const int lane = threadIdx.x % WARP_SIZE;
  float v = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) v += in[i];
  v = sum(v);
  if (lane == 0) partial[warp] = v;
  __syncthreads();
  v = lane < blockDim.x / WARP_SIZE ? partial[lane] : 0.0f;
  v = sum(v);
  if (threadIdx.x == 0) out[0] = v;
}

void launch(const float* in, float* out, int rows, int columns) {
  const dim3 block(WARP_SIZE, 8);
  softmax<<<rows / 8, WARP_SIZE * 8>>>(in, out, columns);
  block_sum<<<1, block.x * block.y>>>(in, out, columns);
}
