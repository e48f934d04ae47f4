// SPDX-License-Identifier: Apache-2.0
// Dot product with cooperative groups: tiles of 32, then one atomic per tile.
#include <cooperative_groups.h>

#include <cstdio>
#include <vector>

namespace cg = cooperative_groups;

template <class Tile>
__device__ float tile_sum(const Tile& tile, float value) {
  for (int delta = tile.size() / 2; delta > 0; delta /= 2) value += tile.shfl_down(value, delta);
  return value;
}

__global__ void dot(const float* a, const float* b, float* result, int n) {
  cg::thread_block block = cg::this_thread_block();
  auto tile = cg::tiled_partition<32>(block);
  float sum = 0.0f;
  for (int i = blockIdx.x * blockDim.x + block.thread_rank(); i < n; i += gridDim.x * blockDim.x) {
    sum += a[i] * b[i];
  }
  sum = tile_sum(tile, sum);
  if (tile.thread_rank() == 0) atomicAdd(result, sum);
}

int main() {
  const int n = 4096;
  std::vector<float> a(n), b(n);
  double want = 0;
  for (int i = 0; i < n; ++i) {
    a[i] = static_cast<float>(i % 13) / 13.0f;
    b[i] = static_cast<float>(i % 7) - 3.0f;
    want += static_cast<double>(a[i]) * b[i];
  }
  float *d_a, *d_b, *d_r, got = 0;
  cudaMalloc(&d_a, n * sizeof(float));
  cudaMalloc(&d_b, n * sizeof(float));
  cudaMalloc(&d_r, sizeof(float));
  cudaMemcpy(d_a, a.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(d_b, b.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemset(d_r, 0, sizeof(float));
  dot<<<4, 128>>>(d_a, d_b, d_r, n);
  cudaMemcpy(&got, d_r, sizeof(float), cudaMemcpyDeviceToHost);
  std::printf("dot %f, expected %f\n", got, want);
  return want - got > 0.05 || got - want > 0.05;
}
