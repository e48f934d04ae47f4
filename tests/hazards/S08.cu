// SPDX-License-Identifier: Apache-2.0
// S08: flags between blocks, by plain or volatile accesses.
#include <cuda_runtime.h>

__device__ volatile int arrived;

__device__ unsigned arrived_blocks;
__global__ void all_blocks(float* data) {
  __syncthreads();
  if (threadIdx.x == 0) {
    atomicAdd(&arrived_blocks, 1u);
    while (*(volatile unsigned*)&arrived_blocks < gridDim.x) {  // expect: S08 S0
    }
  }
  __syncthreads();
  data[blockIdx.x] += data[0];
}

__device__ volatile int done[64];
__global__ void in_order(float* data) {
  const int block = blockIdx.x;
  if (threadIdx.x == 0 && block > 0) {
    while (!done[block - 1]);  // expect: S08 S0
  }
  __syncthreads();
  data[block] += 1;
  __threadfence();
  if (threadIdx.x == 0) done[block] = 1;  // expect: S08 S0
}

__global__ void chained(volatile int* flags, float* data) {
  if (threadIdx.x == 0 && blockIdx.x > 0) {
    while (flags[blockIdx.x - 1] == 0) {  // expect: S08 S0
    }
  }
  __syncthreads();
  data[blockIdx.x] += 1;
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    flags[blockIdx.x] = 1;  // expect: S08 S0
  }
}

template <typename T>
__device__ void wait_for(const T* flag, T value) {
  while (*(volatile const T*)flag != value) {  // expect: S08 S0
    __threadfence();
  }
}

__global__ void waits(int* flag, float* data) {
  if (threadIdx.x == 0) wait_for(flag, 1);
  __syncthreads();
  if (threadIdx.x == 0) {
    do {
    } while (arrived < gridDim.x);  // expect: S08 S0
  }
  data[threadIdx.x] = 1;
}

__global__ void chained(int* ready, float* data) {
  if (threadIdx.x == 0 && blockIdx.x > 0) {
    while (*(volatile int*)(ready + blockIdx.x - 1) != 1) {  // expect: S08 S0
      __nanosleep(10);
    }
  }
  __syncthreads();
  data[blockIdx.x] += 1;
}

// Atomics, as in the last-block pattern.
__device__ unsigned count;
__global__ void harmless(const float* in, float* out) {
  __shared__ bool last;
  out[blockIdx.x + 1] = in[blockIdx.x];
  __threadfence();
  if (threadIdx.x == 0) last = atomicInc(&count, gridDim.x) == gridDim.x - 1;
  __syncthreads();
  if (last) out[0] = out[1];
  if (threadIdx.x == 0) {
    while (atomicAdd(&count, 0) < gridDim.x) {
    }
  }
}
