// SPDX-License-Identifier: Apache-2.0
// N17: Cache hints and L2 persistence.
#include <cuda_runtime.h>

__global__ void copy(const float4* x, float4* y) {
  float4 v = __ldcs(x + threadIdx.x);  // expect: N17 S2
  __stcs(y + threadIdx.x, v);          // expect: N17 S2
}

template <typename T>
__device__ T read_only(const T* p) {
  return __ldg(p);  // expect: N17 S3
}

#define CACHED(p) __ldcg(p)  // expect: N17 S2

__device__ float by_ptx(const float* p) {
  float v;
  asm volatile("ld.global.nc.L1::no_allocate.f32 %0, [%1];" : "=f"(v) : "l"(p));  // expect: N17 S2
  return v;
}

void persist(cudaStream_t stream, size_t bytes) {
  cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, bytes);  // expect: N17 S3
  cudaStreamAttrValue value;
  value.accessPolicyWindow.hitRatio = 1.f;  // expect: N17 S3
  cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &value);  // expect: N17 S3
}

#ifdef NEVER
__device__ void through(int* p) { __stwt(p, 1); }  // expect: N17 S2
#endif
