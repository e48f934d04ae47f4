// SPDX-License-Identifier: Apache-2.0
// Uniform numbers by cuRAND's device interface, their mean and spread.
#include <curand_kernel.h>

#include <cmath>
#include <cstdio>
#include <vector>

__global__ void draw(float* out, int per_thread, unsigned long long seed) {
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  curandStatePhilox4_32_10_t state;
  curand_init(seed, id, 0, &state);
  for (int i = 0; i < per_thread; ++i) out[id * per_thread + i] = curand_uniform(&state);
}

int main() {
  const int threads = 256, per_thread = 20, n = threads * per_thread;
  std::vector<float> out(n);
  float* d_out;
  cudaMalloc(&d_out, n * sizeof(float));
  draw<<<2, threads / 2>>>(d_out, per_thread, 7ull);
  cudaMemcpy(out.data(), d_out, n * sizeof(float), cudaMemcpyDeviceToHost);
  double mean = 0, square = 0;
  for (float x : out) {
    if (!(x > 0.0f && x <= 1.0f)) return 1;
    mean += x / n;
    square += (double)x * x / n;
  }
  const double variance = square - mean * mean;
  std::printf("mean %.4f, variance %.4f\n", mean, variance);
  return std::fabs(mean - 0.5) > 0.02 || std::fabs(variance - 1.0 / 12) > 0.01;
}
