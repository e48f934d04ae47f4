// SPDX-License-Identifier: Apache-2.0
// N10: Floating-point atomics.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__global__ void sum(const float* x, float* out, int n) {
  float v = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) v += x[i];
  atomicAdd(out, v);  // expect: N10 S3
}

__global__ void histogram(const int* x, int* bins, unsigned long long* total, unsigned* u) {
  atomicAdd(&bins[x[threadIdx.x]], 1);
  atomicAdd(total, 1ull);
  atomicAdd(u + 3, 1u);
}

template <typename T>
__device__ void accumulate(T* out, T v) {
  atomicAdd(out, v);  // expect: N10 S3
}

__device__ double total;
__global__ void doubles(const double* x) { atomicAdd(&total, x[threadIdx.x]); }  // expect: N10 S3
__global__ void halves(half2* y, half2 v) { atomicAdd(y + threadIdx.x, v); }     // expect: N10 S3

#define ADD(p, v) atomicAdd((float*)(p), v)  // expect: N10 S3

#ifdef NEVER
__device__ void block_sum(float* p) { atomicAdd_block(p, 1.f); }  // expect: N10 S3
#endif

__global__ void to_host(float* result) { atomicAdd(result, 1.0f); }  // expect: N10 S0
__managed__ float managed_sum;
__global__ void to_managed() { atomicAdd(&managed_sum, 1.0f); }  // expect: N10 S0

void run() {
  float* pinned = nullptr;
  cudaHostAlloc(&pinned, sizeof(float), cudaHostAllocMapped);
  to_host<<<1, 64>>>(pinned);
}
