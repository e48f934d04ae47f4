// SPDX-License-Identifier: Apache-2.0
// A launch sized by the device: occupancy, multiprocessors, opt-in shared memory.
#include <cstdio>
#include <vector>

__global__ void block_reverse(const int* in, int* out, int n) {
  extern __shared__ int buffer[];
  for (int base = blockIdx.x * blockDim.x; base < n; base += gridDim.x * blockDim.x) {
    const int count = min((int)blockDim.x, n - base);
    __syncthreads();
    if (threadIdx.x < count) buffer[threadIdx.x] = in[base + threadIdx.x];
    __syncthreads();
    if (threadIdx.x < count) out[base + threadIdx.x] = buffer[count - 1 - threadIdx.x];
  }
}

int main() {
  const int n = 3333;
  std::vector<int> in(n), out(n);
  for (int i = 0; i < n; ++i) in[i] = i * 3;
  int *d_in, *d_out;
  cudaMalloc(&d_in, n * sizeof(int));
  cudaMalloc(&d_out, n * sizeof(int));
  cudaMemcpy(d_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  cudaDeviceProp prop;
  cudaGetDeviceProperties(&prop, 0);
  int per_sm = 1;
  const int threads = 128;
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, block_reverse, threads, threads * sizeof(int));
  int blocks = prop.multiProcessorCount * per_sm;
  if (blocks > (n + threads - 1) / threads) blocks = (n + threads - 1) / threads;
  block_reverse<<<blocks, threads, threads * sizeof(int)>>>(d_in, d_out, n);
  if (cudaPeekAtLastError() != cudaSuccess) return 1;
  cudaMemcpy(out.data(), d_out, n * sizeof(int), cudaMemcpyDeviceToHost);
  int bad = 0;
  for (int i = 0; i < n; ++i) {
    const int base = i / threads * threads, count = n - base < threads ? n - base : threads;
    bad += out[i] != in[base + count - 1 - (i - base)];
  }
  std::printf("reverse: %d wrong\n", bad);
  return bad != 0;
}
