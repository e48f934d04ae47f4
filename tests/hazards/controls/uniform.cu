// SPDX-License-Identifier: Apache-2.0
// Right as written: barriers that the whole block reaches, locks that need no other lane.
#include <cuda_runtime.h>

struct Parameters {
  int rows;
  bool skip;
};

__global__ void tiled(const float* a, const float* b, float* c, int n, Parameters parameters) {
  __shared__ float left[16][17];
  __shared__ float right[16][17];
  if (n == 0 || parameters.skip) return;
  if (blockIdx.y >= parameters.rows) return;
  const int row = blockIdx.y * 16 + threadIdx.y;
  const int column = blockIdx.x * 16 + threadIdx.x;
  float sum = 0;
  for (int tile = 0; tile < (n + 15) / 16; ++tile) {
    const int k = tile * 16 + threadIdx.x;
    left[threadIdx.y][threadIdx.x] = row < n && k < n ? a[row * n + k] : 0.0f;
    right[threadIdx.y][threadIdx.x] = b[(tile * 16 + threadIdx.y) * n + column];
    __syncthreads();
    for (int i = 0; i < 16; ++i) sum += left[threadIdx.y][i] * right[i][threadIdx.x];
    __syncthreads();
  }
  if (row >= n || column >= n) return;
  c[row * n + column] = sum;
}

__global__ void transposed(const float* in, float* out, int n) {
  __shared__ float tile[32][33];
  for (int j = 0; j < 32; j += 8) {
    tile[threadIdx.y + j][threadIdx.x] = in[(blockIdx.y * 32 + threadIdx.y + j) * n + threadIdx.x];
  }
  __syncthreads();
  for (int j = 0; j < 32; j += 8) {
    out[(blockIdx.x * 32 + threadIdx.y + j) * n + threadIdx.x] = tile[threadIdx.x][threadIdx.y + j];
  }
}

__global__ void histogram(const int* in, int* bins, int n) {
  __shared__ int local[256];
  for (int i = threadIdx.x; i < 256; i += blockDim.x) local[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    atomicAdd(&local[in[i] & 255], 1);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += blockDim.x) atomicAdd(&bins[i], local[i]);
}

__device__ float atomic_max(float* address, float value) {
  int* word = reinterpret_cast<int*>(address);
  int old = *word;
  while (value > __int_as_float(old)) {
    const int assumed = old;
    old = atomicCAS(word, assumed, __float_as_int(value));
    if (old == assumed) break;
  }
  return __int_as_float(old);
}

void launch(const float* in, float* out, int n) {
  dim3 block(32, 8);
  transposed<<<dim3(n / 32, n / 32), block>>>(in, out, n);
}
