// SPDX-License-Identifier: Apache-2.0
// S09: flags shared with the host and other devices.
#include <cuda_runtime.h>

#define PUBLISH() __threadfence_system()  // expect: S09 S0

__global__ void signals(volatile int* flag, float* data) {
  data[threadIdx.x] = 1;
  __threadfence_system();  // expect: S09 S0
  *flag = 1;
}

template <typename T>
__device__ void count(T* counter) {
  atomicAdd_system(counter, T(1));  // expect: S09 S0
  PUBLISH();
}

__global__ void counts(int* counter) {
  count(counter);
#ifdef BY_ASM
  asm volatile("fence.sc.sys;" ::: "memory");  // expect: S09 S0
#endif
}

void allocate(int** flag, int* pinned, size_t bytes) {
  cudaHostAlloc((void**)flag, bytes, cudaHostAllocMapped);  // expect: S09 S0
  cudaHostRegister(pinned, bytes, cudaHostRegisterMapped);  // expect: S09 S0
}
