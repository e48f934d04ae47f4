// SPDX-License-Identifier: Apache-2.0
// The largest float and the sum of doubles by loops of compare-and-exchange that begin with a plain
// read, in shared and in global memory.
#include <cmath>
#include <cstdio>
#include <vector>

__device__ void raise(float* at, float value) {
  int* const bits = reinterpret_cast<int*>(at);
  int old = *bits, assumed;
  do {
    assumed = old;
    old = atomicCAS(bits, assumed, __float_as_int(fmaxf(value, __int_as_float(assumed))));
  } while (assumed != old);
}

__device__ void accumulate(double* at, double value) {
  auto* const bits = reinterpret_cast<unsigned long long*>(at);
  unsigned long long old = *bits, assumed;
  do {
    assumed = old;
    old = atomicCAS(bits, assumed, __double_as_longlong(value + __longlong_as_double(assumed)));
  } while (assumed != old);
}

__global__ void largest_and_sum(const float* x, int n, float* largest, double* sum) {
  __shared__ float block_largest;
  __shared__ double block_sum;
  if (threadIdx.x == 0) {
    block_largest = -INFINITY;
    block_sum = 0;
  }
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    raise(&block_largest, x[i]);
    accumulate(&block_sum, x[i]);
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    raise(largest, block_largest);
    accumulate(sum, block_sum);
  }
}

int main() {
  const int n = 1200;
  std::vector<float> x(n);
  float largest = -INFINITY, got_largest;
  double sum = 0, got_sum;
  for (int i = 0; i < n; ++i) {
    x[i] = static_cast<float>(i * 37 % 1000 - 700) / 16.0f;
    largest = std::fmax(largest, x[i]);
    sum += x[i];
  }
  const float lowest = -INFINITY;
  float *dx, *d_largest;
  double* d_sum;
  cudaMalloc(&dx, n * sizeof(float));
  cudaMalloc(&d_largest, sizeof(float));
  cudaMalloc(&d_sum, sizeof(double));
  cudaMemcpy(dx, x.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(d_largest, &lowest, sizeof lowest, cudaMemcpyHostToDevice);
  cudaMemset(d_sum, 0, sizeof(double));
  largest_and_sum<<<3, 96>>>(dx, n, d_largest, d_sum);
  cudaMemcpy(&got_largest, d_largest, sizeof got_largest, cudaMemcpyDeviceToHost);
  cudaMemcpy(&got_sum, d_sum, sizeof got_sum, cudaMemcpyDeviceToHost);
  printf("%g %g, %g %g\n", got_largest, got_sum, largest, sum);
  return got_largest != largest || got_sum != sum;
}
