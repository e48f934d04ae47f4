// SPDX-License-Identifier: Apache-2.0
// S02: barriers in branches on which the threads of a wave differ.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;

#define SYNC __syncthreads()

__global__ void by_warp(float* data) {
  __shared__ float tile[256];
  const int warp_id = threadIdx.x / 32;
  if (warp_id == 0) {
    tile[threadIdx.x] = data[threadIdx.x];
    __syncthreads();  // expect: S02 S0
  } else {
    SYNC;  // expect: S02 S0
  }
  data[threadIdx.x] = tile[threadIdx.x % 32];
}

__device__ void exchange(float* tile, float value) {
  tile[threadIdx.x] = value;
  __syncthreads();
}

template <typename T>
__global__ void in_a_callee(T* data) {
  __shared__ T tile[256];
  if (data[threadIdx.x] > 0) exchange(tile, data[threadIdx.x]);  // expect: S02 S0
  cg::thread_block block = cg::this_thread_block();
  for (int i = threadIdx.x; i < 1000; i += 256) {
    block.sync();  // expect: S02 S0
  }
  data[threadIdx.x] = tile[0];
}

// Named barriers: of some of the warps.
__global__ void producers(float* data) {
  if (threadIdx.x < 128) {
    asm volatile("bar.sync 1, 256;" ::: "memory");  // expect: S02 S0
  } else {
    asm volatile("bar.arrive 1, 256;" ::: "memory");  // expect: S02 S0
  }
  auto wait = [](int id) { asm volatile("barrier.sync %0, 64;" : : "r"(id)); };  // expect: S02 S0
  wait(data[0] > 0 ? 2 : 3);
}

// Conditions that a block shares.
__global__ void harmless(float* data, int n, bool twice) {
  __shared__ float tile[256];
  __shared__ int go;
  if (threadIdx.x == 0) go = n > 3;
  __syncthreads();
  if (go) __syncthreads();
  if (twice && blockIdx.x > 2) __syncthreads();
  for (int stride = blockDim.x / 2; stride > 0; stride /= 2) {
    if (threadIdx.x < stride) tile[threadIdx.x] += tile[threadIdx.x + stride];
    __syncthreads();
  }
  while (__syncthreads_or(tile[threadIdx.x] > 0)) {
    tile[threadIdx.x] -= 1;
    asm volatile("bar.sync 0;");
  }
  data[threadIdx.x] = tile[0];
}
