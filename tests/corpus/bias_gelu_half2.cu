// SPDX-License-Identifier: Apache-2.0
// Bias and GELU on half2 data.
#include <cuda_fp16.h>

#include <cmath>
#include <cstdio>
#include <vector>

__device__ __forceinline__ float gelu(float x) {
  return 0.5f * x * (1.0f + tanhf(0.7978845608f * (x + 0.044715f * x * x * x)));
}

__global__ void bias_gelu(half2* x, const half2* bias, int rows, int cols2) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x;
  const int r = blockIdx.y;
  if (c >= cols2 || r >= rows) return;
  half2 v = __hadd2(x[r * cols2 + c], bias[c]);
  float2 f = __half22float2(v);
  f.x = gelu(f.x);
  f.y = gelu(f.y);
  x[r * cols2 + c] = __floats2half2_rn(f.x, f.y);
}

int main() {
  const int rows = 6, cols = 200;
  std::vector<half> x(rows * cols), bias(cols), out(rows * cols);
  for (int i = 0; i < rows * cols; ++i) x[i] = __float2half(std::sin(i * 0.11f) * 3);
  for (int i = 0; i < cols; ++i) bias[i] = __float2half(0.01f * (i % 50));
  half *d_x, *d_bias;
  cudaMalloc(&d_x, x.size() * sizeof(half));
  cudaMalloc(&d_bias, bias.size() * sizeof(half));
  cudaMemcpy(d_x, x.data(), x.size() * sizeof(half), cudaMemcpyHostToDevice);
  cudaMemcpy(d_bias, bias.data(), bias.size() * sizeof(half), cudaMemcpyHostToDevice);
  dim3 grid((cols / 2 + 63) / 64, rows);
  bias_gelu<<<grid, 64>>>((half2*)d_x, (half2*)d_bias, rows, cols / 2);
  cudaMemcpy(out.data(), d_x, x.size() * sizeof(half), cudaMemcpyDeviceToHost);
  double worst = 0;
  for (int i = 0; i < rows * cols; ++i) {
    const double v = (double)__half2float(x[i]) + __half2float(bias[i % cols]);
    const double want = 0.5 * v * (1 + std::tanh(0.7978845608 * (v + 0.044715 * v * v * v)));
    worst = std::fmax(worst, std::fabs(want - __half2float(out[i])));
  }
  std::printf("bias gelu: worst error %g\n", worst);
  return worst > 5e-3;
}
