// SPDX-License-Identifier: Apache-2.0
// Elements are combined by functions that a table of device memory names.
#include <cstdio>
#include <vector>

using Op = float (*)(float, float);
__device__ float add(float a, float b) { return a + b; }
__device__ float multiply(float a, float b) { return a * b; }
__device__ float larger(float a, float b) { return a > b ? a : b; }
__device__ Op table[3] = {add, multiply, larger};

__global__ void combine(const float* x, const float* y, const unsigned char* which, float* out,
                        int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = table[which[i]](x[i], y[i]);
}

int main() {
  const int n = 1000;
  std::vector<float> x(n), y(n), out(n);
  std::vector<unsigned char> which(n);
  for (int i = 0; i < n; ++i) {
    x[i] = i % 17 - 8.0f;
    y[i] = i % 5 - 2.5f;
    which[i] = i % 3;
  }
  float *dx, *dy, *dout;
  unsigned char* dwhich;
  cudaMalloc(&dx, n * sizeof(float));
  cudaMalloc(&dy, n * sizeof(float));
  cudaMalloc(&dout, n * sizeof(float));
  cudaMalloc(&dwhich, n);
  cudaMemcpy(dx, x.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(dy, y.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(dwhich, which.data(), n, cudaMemcpyHostToDevice);
  combine<<<(n + 127) / 128, 128>>>(dx, dy, dwhich, dout, n);
  cudaMemcpy(out.data(), dout, n * sizeof(float), cudaMemcpyDeviceToHost);
  int num_wrong = 0;
  for (int i = 0; i < n; ++i) {
    const float wanted[3] = {x[i] + y[i], x[i] * y[i], x[i] > y[i] ? x[i] : y[i]};
    num_wrong += out[i] != wanted[i % 3];
  }
  printf("%d wrong\n", num_wrong);
  return num_wrong != 0;
}
