// SPDX-License-Identifier: Apache-2.0
// Row maxima with cooperative-groups tiles of 16 and of 8 lanes.
#include <cooperative_groups.h>

#include <cfloat>
#include <cstdio>
#include <vector>

namespace cg = cooperative_groups;

template <int TILE>
__global__ void row_max(const float* in, float* out, int rows, int cols) {
  cg::thread_block block = cg::this_thread_block();
  cg::thread_block_tile<TILE> tile = cg::tiled_partition<TILE>(block);
  const int row = blockIdx.x * (blockDim.x / TILE) + threadIdx.x / TILE;
  float best = -FLT_MAX;
  if (row < rows) {
    for (int c = tile.thread_rank(); c < cols; c += tile.size()) best = fmaxf(best, in[row * cols + c]);
  }
  for (int i = tile.size() / 2; i > 0; i /= 2) best = fmaxf(best, tile.shfl_xor(best, i));
  if (row < rows && tile.thread_rank() == 0) out[row] = best;
}

int main() {
  const int rows = 35, cols = 61;
  std::vector<float> in(rows * cols), a(rows), b(rows);
  for (int i = 0; i < rows * cols; ++i) in[i] = (float)((i * 7907) % 4001) - 2000.0f;
  float *d_in, *d_out;
  cudaMalloc(&d_in, in.size() * sizeof(float));
  cudaMalloc(&d_out, rows * sizeof(float));
  cudaMemcpy(d_in, in.data(), in.size() * sizeof(float), cudaMemcpyHostToDevice);
  row_max<16><<<(rows + 7) / 8, 128>>>(d_in, d_out, rows, cols);
  cudaMemcpy(a.data(), d_out, rows * sizeof(float), cudaMemcpyDeviceToHost);
  row_max<8><<<(rows + 15) / 16, 128>>>(d_in, d_out, rows, cols);
  cudaMemcpy(b.data(), d_out, rows * sizeof(float), cudaMemcpyDeviceToHost);
  int bad = 0;
  for (int r = 0; r < rows; ++r) {
    float want = -FLT_MAX;
    for (int c = 0; c < cols; ++c) want = in[r * cols + c] > want ? in[r * cols + c] : want;
    bad += a[r] != want || b[r] != want;
  }
  std::printf("row max: %d wrong\n", bad);
  return bad != 0;
}
