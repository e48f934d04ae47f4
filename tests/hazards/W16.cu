// SPDX-License-Identifier: Apache-2.0
// W16: blocks that are no whole number of waves.
#include <cub/cub.cuh>
#include <cuda_runtime.h>

#define THREADS 32
constexpr int kThreads = 96;

__global__ void kernel(float* out) { out[threadIdx.x] = 0; }

template <typename T>
__global__ void typed(T* out) {
  typedef cub::BlockReduce<T, 32> Reduce;  // expect: W16 S2
  __shared__ typename Reduce::TempStorage storage;
  out[blockIdx.x] = Reduce(storage).Sum(out[threadIdx.x]);
}

void launch(float* out, int blocks, int threads) {
  kernel<<<blocks, 32>>>(out);             // expect: W16 S3
  kernel<<<blocks, THREADS>>>(out);        // expect: W16 S3
  kernel<<<blocks, kThreads>>>(out);       // expect: W16 S3
  kernel<<<blocks, dim3(8, 4)>>>(out);     // expect: W16 S3
  const dim3 block(16, 2, 1);
  typed<float><<<dim3(blocks), block>>>(out);  // expect: W16 S3
  kernel<<<blocks, 256>>>(out);
  kernel<<<blocks, threads>>>(out);
  const dim3 whole(32, 8);
  kernel<<<blocks, whole>>>(out);
}
