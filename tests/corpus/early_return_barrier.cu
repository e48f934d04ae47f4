// SPDX-License-Identifier: Apache-2.0
// Rows outside the matrix leave before the barriers of the others.
#include <cmath>
#include <cstdio>
#include <vector>

__global__ void scale_by_row_max(float* data, int rows, int cols) {
  __shared__ float best[8][32];
  const int row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= rows) return;
  float m = 0;
  for (int c = threadIdx.x; c < cols; c += blockDim.x) m = fmaxf(m, fabsf(data[row * cols + c]));
  best[threadIdx.y][threadIdx.x] = m;
  __syncthreads();
  for (int t = 0; t < blockDim.x; ++t) m = fmaxf(m, best[threadIdx.y][t]);
  for (int c = threadIdx.x; c < cols; c += blockDim.x) data[row * cols + c] /= m;
}

int main() {
  const int rows = 13, cols = 40;
  std::vector<float> data(rows * cols), out(rows * cols);
  for (int i = 0; i < rows * cols; ++i) data[i] = (float)((i * 31) % 57) - 20.0f;
  float* d;
  cudaMalloc(&d, data.size() * sizeof(float));
  cudaMemcpy(d, data.data(), data.size() * sizeof(float), cudaMemcpyHostToDevice);
  scale_by_row_max<<<(rows + 7) / 8, dim3(32, 8)>>>(d, rows, cols);
  cudaMemcpy(out.data(), d, data.size() * sizeof(float), cudaMemcpyDeviceToHost);
  int bad = 0;
  for (int r = 0; r < rows; ++r) {
    float m = 0;
    for (int c = 0; c < cols; ++c) m = std::fmax(m, std::fabs(data[r * cols + c]));
    for (int c = 0; c < cols; ++c) bad += std::fabs(data[r * cols + c] / m - out[r * cols + c]) > 1e-6f;
  }
  std::printf("row scale: %d wrong\n", bad);
  return bad != 0;
}
