// SPDX-License-Identifier: Apache-2.0
// One kernel for floats, halves and bfloat16s: HIP calls the last by another name.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cmath>
#include <cstdio>
#include <vector>

template <class T>
struct Convert;
template <>
struct Convert<float> {
  static __host__ __device__ float up(float x) { return x; }
  static __host__ __device__ float down(float x) { return x; }
};
template <>
struct Convert<__half> {
  static __host__ __device__ float up(__half x) { return __half2float(x); }
  static __host__ __device__ __half down(float x) { return __float2half(x); }
};
template <>
struct Convert<__nv_bfloat16> {
  static __host__ __device__ float up(__nv_bfloat16 x) { return __bfloat162float(x); }
  static __host__ __device__ __nv_bfloat16 down(float x) { return __float2bfloat16(x); }
};

// Turns pairs of a row by angles that grow with the row.
template <class T>
__global__ void rotate(T* x, int rows, int dim) {
  const int row = blockIdx.x, half = dim / 2;
  for (int i = threadIdx.x; i < half; i += blockDim.x) {
    float s, c;
    sincospif(row * 0.03125f * (i + 1), &s, &c);
    const float a = Convert<T>::up(x[row * dim + i]), b = Convert<T>::up(x[row * dim + half + i]);
    x[row * dim + i] = Convert<T>::down(a * c - b * s);
    x[row * dim + half + i] = Convert<T>::down(b * c + a * s);
  }
}

// To the nearest of 2^8 levels.
template <class T>
__global__ void to_levels(const T* x, signed char* levels, float scale, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) levels[i] = static_cast<signed char>(lrintf(Convert<T>::up(x[i]) * scale));
}

template <class T>
int num_wrong(double allowed) {
  const int rows = 12, dim = 80, n = rows * dim;
  std::vector<T> x(n), y(n);
  std::vector<signed char> levels(n);
  for (int i = 0; i < n; ++i) x[i] = Convert<T>::down(static_cast<float>(i % 31 - 15) / 8.0f);
  T* dx;
  signed char* d_levels;
  cudaMalloc(&dx, n * sizeof(T));
  cudaMalloc(&d_levels, n);
  cudaMemcpy(dx, x.data(), n * sizeof(T), cudaMemcpyHostToDevice);
  to_levels<T><<<(n + 127) / 128, 128>>>(dx, d_levels, 60.0f, n);
  rotate<T><<<rows, 64>>>(dx, rows, dim);
  cudaMemcpy(y.data(), dx, n * sizeof(T), cudaMemcpyDeviceToHost);
  cudaMemcpy(levels.data(), d_levels, n, cudaMemcpyDeviceToHost);
  int wrong = 0;
  for (int row = 0; row < rows; ++row) {
    for (int i = 0; i < dim / 2; ++i) {
      const int at = row * dim + i, other = at + dim / 2;
      const double angle = M_PI * row * 0.03125 * (i + 1);
      const double a = Convert<T>::up(x[at]), b = Convert<T>::up(x[other]);
      wrong += std::fabs(Convert<T>::up(y[at]) - (a * cos(angle) - b * sin(angle))) > allowed;
      wrong += std::fabs(Convert<T>::up(y[other]) - (b * cos(angle) + a * sin(angle))) > allowed;
    }
  }
  for (int i = 0; i < n; ++i) wrong += levels[i] != lrintf(Convert<T>::up(x[i]) * 60.0f);
  printf("%d wrong\n", wrong);
  return wrong;
}

int main() {
  return num_wrong<float>(1e-5) + num_wrong<__half>(3e-3) + num_wrong<__nv_bfloat16>(2e-2);
}
