// SPDX-License-Identifier: Apache-2.0
// R02: The opt-in to large dynamic shared memory.
#include <cuda_runtime.h>

__global__ void kernel(float* x);

template <class F>
void allow(F* function, int bytes) {
  cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);  // expect: R02 S1
}

#define CHECK(call) if ((call) != cudaSuccess) return

void prepare(int bytes) {
  CHECK(cudaFuncSetAttribute(  //
      kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));  // expect: R02 S1
  cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, 100);  // expect: R02 S3
}

#define ALLOW(k) \
  cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536) /* expect: R02 S1 */

#if 0
#elif defined(DRIVER_API)
void by_driver(CUfunction f) {
  cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 65536);  // expect: R02 S1
}
#endif
