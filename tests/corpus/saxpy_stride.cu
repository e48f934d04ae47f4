// SPDX-License-Identifier: Apache-2.0
// y = alpha x + y with a grid-stride loop over managed memory.
#include <cmath>
#include <cstdio>
#include <vector>

#define CHECK(call)                                                             \
  do {                                                                          \
    cudaError_t status_ = (call);                                               \
    if (status_ != cudaSuccess) {                                               \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__,                   \
                   cudaGetErrorString(status_));                                \
      return 1;                                                                 \
    }                                                                           \
  } while (0)

template <typename T>
__global__ void saxpy(size_t n, T alpha, const T* __restrict__ x, T* __restrict__ y) {
  const size_t stride = static_cast<size_t>(gridDim.x) * blockDim.x;
  for (size_t i = blockIdx.x * static_cast<size_t>(blockDim.x) + threadIdx.x; i < n; i += stride) {
    y[i] = alpha * x[i] + y[i];
  }
}

int main() {
  const size_t n = 5003;
  float *x, *y;
  CHECK(cudaMallocManaged(&x, n * sizeof(float)));
  CHECK(cudaMallocManaged(&y, n * sizeof(float)));
  for (size_t i = 0; i < n; ++i) {
    x[i] = static_cast<float>(i % 17) - 8.0f;
    y[i] = static_cast<float>(i % 5);
  }
  saxpy<float><<<8, 128>>>(n, 2.5f, x, y);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  double worst = 0;
  for (size_t i = 0; i < n; ++i) {
    const double want = 2.5 * (static_cast<double>(i % 17) - 8.0) + static_cast<double>(i % 5);
    worst = std::fmax(worst, std::fabs(want - y[i]));
  }
  std::printf("saxpy: worst error %g\n", worst);
  CHECK(cudaFree(x));
  CHECK(cudaFree(y));
  return worst > 1e-5;
}
