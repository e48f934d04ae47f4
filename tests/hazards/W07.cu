// SPDX-License-Identifier: Apache-2.0
// W07: warps of 32 on the host, for kernels that work with waves.
#include <cuda_runtime.h>

#define WARP_SIZE 32
constexpr int kRowsPerBlock = 8;

__global__ void rows(const float* in, float* out, int n) {
  float v = in[blockIdx.x * 8 + threadIdx.y];
  for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffffu, v, o);
  out[threadIdx.y * 32 + threadIdx.x] = v;
}

__global__ void row_sums(const float* in, float* out) {
  float v = in[blockIdx.x * 256 + threadIdx.y * 32 + threadIdx.x];
  for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffffu, v, o);
  if (threadIdx.x == 0) out[threadIdx.y] = v;
}

__global__ void partials(const float* in, float* out) {
  extern __shared__ float sums[];
  const int warp = threadIdx.x / warpSize;
  if (threadIdx.x % warpSize == 0) sums[warp] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = sums[warp];
}

void launch_rows(const float* in, float* out, int n) {
  const dim3 block(32, kRowsPerBlock);  // expect: W07 S0
  rows<<<n / kRowsPerBlock, block>>>(in, out, n);
  rows<<<n, dim3(WARP_SIZE, 4)>>>(in, out, n);  // expect: W07 S0
  rows<<<(n * 32 + 255) / 256, 256>>>(in, out, n);  // expect: W07 S0
}

void launch_sums(const float* in, float* out, int n) {
  row_sums<<<n, dim3(32, 8)>>>(in, out);  // expect: W07 S3
}

template <typename T>
void launch_partials(const T* in, T* out, int threads) {
  const size_t bytes = threads / 32 * sizeof(T);  // expect: W07 S0
  partials<<<1, threads, bytes>>>(in, out);
}

struct Plan {
  int warps_of(int threads) const {
    return (threads + WARP_SIZE - 1) / WARP_SIZE;  // expect: W07 S0
  }
};

// A block of 32 columns whose kernel knows nothing of warps.
__global__ void copy(const float* in, float* out, int n) {
  const int x = blockIdx.x * 32 + threadIdx.x;
  if (x < n) out[x] = in[x];
}
void launch_copy(const float* in, float* out, int n) {
  dim3 block(32, 8);
  copy<<<n / 32, block>>>(in, out, n);
}

// A width that was made 64 in the kernel alone.
constexpr int kWaveSize = 64;
__global__ void half_widened(const float* in, float* out) {
  if (threadIdx.x % kWaveSize == 0) out[threadIdx.x / kWaveSize] = in[threadIdx.x];
}
void launch_half_widened(const float* in, float* out) {
  half_widened<<<1, dim3(32, 4)>>>(in, out);  // expect: W07 S0
}

// A host that checks results by warps of 32 says nothing of geometry.
void check_rows(const float* in, float* out, const unsigned* bits, int n) {
  rows<<<n, 256>>>(in, out, n);
  int wrong = 0, full = 0;
  for (int w = 0; w < n / 32; ++w) full += bits[w] == ~0u;
  for (int i = 0; i < n; ++i) wrong += out[i] != static_cast<float>((i / 32) % 3) + bits[i >> 5];
  for (int w = 0; w < 8; ++w) wrong += bits[w] != (w < n / 32 ? ~0u : 0u);
  if (wrong + full > n / 32) out[n >> 5] = 0;
}
