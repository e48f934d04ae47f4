// SPDX-License-Identifier: Apache-2.0
// S01: threads that leave before a barrier.
#include <cuda_runtime.h>

#define BARRIER() __syncthreads()

__global__ void early(const float* in, float* out, int n) {
  __shared__ float tile[256];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;  // expect: S01 S0
  tile[threadIdx.x] = in[i];
  __syncthreads();
  out[i] = tile[255 - threadIdx.x];
}

template <typename T>
__device__ T block_sum(T* shared, T value) {
  shared[threadIdx.x] = value;
  BARRIER();
  return shared[0] + shared[1];
}

// The barrier is in a callee, behind a macro.
template <typename T>
__global__ void before_a_call(const T* in, T* out, int rows) {
  __shared__ T shared[256];
  const int row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= rows) {
    return;  // expect: S01 S0
  }
  out[row] = block_sum(shared, in[row]);
}

__global__ void out_of_a_loop(const int* in, int* out, int n) {
  __shared__ int buffer[128];
  for (int base = 0; base < n; base += blockDim.x) {
    const int i = base + threadIdx.x;
    if (i >= n) break;  // expect: S01 S0
    buffer[threadIdx.x] = in[i];
    __syncthreads();
    if (buffer[threadIdx.x] < 0) continue;  // expect: S01 S0
    out[i] = buffer[127 - threadIdx.x];
    __syncthreads();
  }
}

__global__ void by_a_flag(const int* in, int* out) {
  __shared__ int most;
  bool done = false;
  if (in[threadIdx.x] == 0) done = true;
#ifdef LEAVE_BY_EXIT
  if (done) asm("exit;");  // expect: S01 S0
#else
  if (done) return;  // expect: S01 S0
#endif
  atomicMax(&most, in[threadIdx.x]);
  __syncthreads();
  out[threadIdx.x] = most;
}

// The whole block leaves, or nobody waits any more.
__global__ void harmless(const float* in, float* out, int n, int rows) {
  __shared__ float tile[256];
  if (n == 0) return;
  const int row = blockIdx.x;
  if (row >= rows) return;
  for (int k = 0; k < n; ++k) {
    if (k > rows) break;
    tile[threadIdx.x] = in[k * 256 + threadIdx.x];
    __syncthreads();
  }
  if (threadIdx.x >= n) return;
  out[threadIdx.x] = tile[threadIdx.x];
}

// An exit that a macro hides.
#define RETURN_OUTSIDE(i, n) \
  if ((i) >= (n)) return
__global__ void by_macro(float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  RETURN_OUTSIDE(i, n);  // expect: S01 S0
  x[i] += 1;
  __syncthreads();
  x[i] += x[0];
}
