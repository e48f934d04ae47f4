// SPDX-License-Identifier: Apache-2.0
// Softmax, one warp per row, eight rows a block.
#include <cfloat>
#include <cmath>
#include <cstdio>
#include <vector>

__device__ __forceinline__ float warp_max(float v) {
#pragma unroll
  for (int mask = 16; mask > 0; mask >>= 1) v = fmaxf(v, __shfl_xor_sync(0xffffffff, v, mask));
  return v;
}

__device__ __forceinline__ float warp_sum(float v) {
#pragma unroll
  for (int mask = 16; mask > 0; mask >>= 1) v += __shfl_xor_sync(0xffffffff, v, mask);
  return v;
}

__global__ void __launch_bounds__(256) softmax(const float* x, float* y, int rows, int cols) {
  const int row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= rows) return;
  const float* in = x + (size_t)row * cols;
  float* out = y + (size_t)row * cols;
  float m = -FLT_MAX;
  for (int c = threadIdx.x; c < cols; c += 32) m = fmaxf(m, in[c]);
  m = warp_max(m);
  float s = 0;
  for (int c = threadIdx.x; c < cols; c += 32) s += expf(in[c] - m);
  s = warp_sum(s);
  for (int c = threadIdx.x; c < cols; c += 32) out[c] = expf(in[c] - m) / s;
}

int main() {
  const int rows = 21, cols = 100;
  std::vector<float> x(rows * cols), y(rows * cols);
  for (size_t i = 0; i < x.size(); ++i) x[i] = std::sin(i * 0.7f) * 20.0f;
  float *d_x, *d_y;
  cudaMalloc(&d_x, x.size() * sizeof(float));
  cudaMalloc(&d_y, y.size() * sizeof(float));
  cudaMemcpy(d_x, x.data(), x.size() * sizeof(float), cudaMemcpyHostToDevice);
  dim3 block(32, 8);
  softmax<<<(rows + 7) / 8, block>>>(d_x, d_y, rows, cols);
  cudaMemcpy(y.data(), d_y, y.size() * sizeof(float), cudaMemcpyDeviceToHost);
  double worst = 0;
  for (int r = 0; r < rows; ++r) {
    double m = -1e30, s = 0;
    for (int c = 0; c < cols; ++c) m = std::fmax(m, x[r * cols + c]);
    for (int c = 0; c < cols; ++c) s += std::exp(x[r * cols + c] - m);
    for (int c = 0; c < cols; ++c) {
      worst = std::fmax(worst, std::fabs(std::exp(x[r * cols + c] - m) / s - y[r * cols + c]));
    }
  }
  std::printf("softmax: worst error %g\n", worst);
  return worst > 1e-5;
}
