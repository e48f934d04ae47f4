// SPDX-License-Identifier: Apache-2.0
// N24: Padding for banks.
#include <cuda_runtime.h>

constexpr int kTile = 32;
#define PAD 1

__global__ void transpose(const float* x, float* y) {
  __shared__ float tile[32][33];  // expect: N24 S3
  tile[threadIdx.y][threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  y[threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

template <typename T, int kRows>
__global__ void templated(T* y) {
  __shared__ T tile[kRows][kRows + 1];  // expect: N24 S3
  y[threadIdx.x] = tile[threadIdx.x][0];
}

#define DECLARE(T) __shared__ T tile[kTile][kTile + PAD]  // expect: N24 S3

#ifdef NEVER
__device__ void helper() {
  __shared__ double tile[16][17];  // expect: N24 S3
}
#endif

// Not these.
__global__ void plain(float* y) {
  __shared__ float tile[32][32];
  __shared__ float row[33];
  y[0] = tile[0][0] + row[0];
}
