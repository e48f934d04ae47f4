// SPDX-License-Identifier: Apache-2.0
// S07: kernels launched by kernels.
#include <cuda_runtime.h>

__global__ void child(float* data) { data[threadIdx.x] += 1; }

__global__ void parent(float* data, int n) {
  if (threadIdx.x == 0) {
    child<<<1, 256>>>(data);  // expect: S07 S2
  }
}

template <typename T>
__global__ void typed_child(T* data) {
  data[0] = 1;
}

template <typename T>
__device__ void spawn(T* data, int depth) {
  if (depth < 3) typed_child<T><<<depth, 64, 0, 0>>>(data);  // expect: S07 S2
}

__global__ void with_lambda(float* data) {
  auto more = [=] { child<<<2, 64>>>(data); };  // expect: S07 S2
  more();
  spawn(data, 1);
}

// From the host, also through a lambda.
void harmless(float* data) {
  parent<<<1, 64>>>(data, 1);
  auto launch = [&] { with_lambda<<<1, 64>>>(data); };
  launch();
}
