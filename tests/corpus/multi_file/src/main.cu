// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstdio>
#include <vector>

#include "kernels.h"

int main() {
  const int rows = 18, cols = 55;
  std::vector<float> in(rows * cols), out(rows);
  for (int i = 0; i < rows * cols; ++i) in[i] = std::sin(i * 0.2f) + 0.5f;
  float *d_in, *d_out;
  cudaMalloc(&d_in, in.size() * sizeof(float));
  cudaMalloc(&d_out, out.size() * sizeof(float));
  cudaMemcpy(d_in, in.data(), in.size() * sizeof(float), cudaMemcpyHostToDevice);
  if (mean_pool(d_in, d_out, rows, cols, nullptr) != cudaSuccess) return 1;
  if (swish(d_out, rows, nullptr) != cudaSuccess) return 1;
  cudaMemcpy(out.data(), d_out, out.size() * sizeof(float), cudaMemcpyDeviceToHost);
  int bad = 0;
  for (int r = 0; r < rows; ++r) {
    double mean = 0;
    for (int c = 0; c < cols; ++c) mean += in[r * cols + c];
    mean /= cols;
    bad += std::fabs(mean / (1 + std::exp(-mean)) - out[r]) > 1e-5;
  }
  std::printf("pool and swish: %d wrong\n", bad);
  return bad != 0;
}
