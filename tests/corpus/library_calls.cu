// SPDX-License-Identifier: Apache-2.0
// A kernel among calls of Thrust, CUB, cuBLAS and cuRAND.
#include <cublas_v2.h>
#include <curand.h>
#include <thrust/device_vector.h>
#include <thrust/functional.h>
#include <thrust/host_vector.h>
#include <thrust/reduce.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>

#include <cmath>
#include <cstdio>
#include <cub/cub.cuh>

__global__ void square(float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= x[i];
}

int main() {
  const int n = 300;
  thrust::device_vector<float> x(n);
  thrust::sequence(x.begin(), x.end(), 1.0f);
  float* const at = thrust::raw_pointer_cast(x.data());
  square<<<(n + 127) / 128, 128>>>(at, n);
  thrust::sort(x.begin(), x.end(), thrust::greater<float>());
  bool right = x[0] == float(n) * n;

  cublasHandle_t handle;
  cublasCreate(&handle);
  const float half = 0.5f;
  float sum = 0;
  cublasSscal(handle, n, &half, at, 1);
  cublasSasum(handle, n, at, 1, &sum);
  cublasDestroy(handle);
  const double squares = n * (n + 1.0) * (2.0 * n + 1.0) / 6.0;
  right = right && std::fabs(sum - squares / 2) < 1e-3 * squares;

  thrust::device_vector<int> counts(n, 2), ends(n);
  size_t num_bytes = 0;
  cub::DeviceScan::InclusiveSum(nullptr, num_bytes, counts.begin(), ends.begin(), n);
  void* room = nullptr;
  cudaMalloc(&room, num_bytes);
  cub::DeviceScan::InclusiveSum(room, num_bytes, counts.begin(), ends.begin(), n);
  right = right && ends[n - 1] == 2 * n;

  curandGenerator_t generator;
  curandCreateGenerator(&generator, CURAND_RNG_PSEUDO_DEFAULT);
  curandSetPseudoRandomGeneratorSeed(generator, 1234ULL);
  curandGenerateUniform(generator, at, n);
  curandDestroyGenerator(generator);
  const float mean = thrust::reduce(x.begin(), x.end(), 0.0f, thrust::plus<float>()) / n;
  right = right && std::fabs(mean - 0.5f) < 0.1f;
  printf("%s\n", right ? "right" : "wrong");
  cudaFree(room);
  return right ? 0 : 1;
}
