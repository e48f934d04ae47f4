// SPDX-License-Identifier: Apache-2.0
// R03: The second argument of launch bounds.
#include <cuda_runtime.h>

#define THREADS 512
#define BOUNDS(t, b) __launch_bounds__(t, b)  // expect: R03 S3

__global__ void __launch_bounds__(256, 4) usual(float* x) { x[threadIdx.x] = 0; }  // expect: R03 S3

__launch_bounds__(THREADS, 2)  // expect: R03 S3
__global__ void before(float* x) { x[threadIdx.x] = 0; }

template <int kThreads, int kBlocks>
__global__ __launch_bounds__(kThreads, kBlocks) void templated(float* x) {  // expect: R03 S3
  x[threadIdx.x] = 0;
}

__global__ void __launch_bounds__(256) one_argument(float* x) { x[threadIdx.x] = 0; }

#ifdef TUNED
__global__ void __launch_bounds__(  // expect: R03 S3
    128, THREADS / 128) tuned(float* x) { x[threadIdx.x] = 0; }
#endif
