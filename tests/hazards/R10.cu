// SPDX-License-Identifier: Apache-2.0
// R10: Managed memory.
#include <cuda_runtime.h>

__device__ __managed__ int counter;  // expect: R10 S3

template <typename T>
T* managed(size_t n) {
  T* p = nullptr;
  cudaMallocManaged(&p, n * sizeof(T));  // expect: R10 S3
  return p;
}

#define CHECK(call) (void)(call)

void move(float* p, size_t bytes, int device) {
  CHECK(cudaMemPrefetchAsync(p, bytes, device));                    // expect: R10 S3
  cudaMemAdvise(p, bytes, cudaMemAdviseSetReadMostly, device);      // expect: R10 S3
}

#define NEW(p, n) cudaMallocManaged((void**)&p, n)  // expect: R10 S3

#ifdef DRIVER
void by_driver(CUdeviceptr* p) {
  cuMemAllocManaged(p, 64, CU_MEM_ATTACH_GLOBAL);  // expect: R10 S3
}
#endif
