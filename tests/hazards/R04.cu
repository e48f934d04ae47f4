// SPDX-License-Identifier: Apache-2.0
// R04: Kernels without launch bounds, and the form with a cluster.
#include <cuda_runtime.h>

__global__ void plain(float* x, int n) {  // expect: R04 S3
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= 2;
}

template <typename T, int N>
__global__ void templated(T* x) {  // expect: R04 S3
  x[threadIdx.x % N] = T(0);
}

extern "C" __global__ void exported(int* x) { x[threadIdx.x] = 1; }  // expect: R04 S3

static __global__ void declared(float*);

__global__ void __launch_bounds__(256) bounded(float* x) { x[threadIdx.x] = 0; }

__global__ void __launch_bounds__(256, 1, 2) clustered(float* x) {  // expect: R04 S2
  x[threadIdx.x] = 0;
}

#define DEFINE(name) \
  __global__ void name(float* x) { /* expect: R04 S3 */ \
    x[threadIdx.x] = 1; \
  }

void launch(float* x, int n) { plain<<<(n + 255) / 256, 256>>>(x, n); }
