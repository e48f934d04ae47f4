// SPDX-License-Identifier: Apache-2.0
// Sums of blocks by a template over their size, which a switch chooses. The warp that adds up the
// partial sums shuffles from lanes that take no part, which gives 0.
#include <cstdio>
#include <vector>

template <class T>
__device__ T warp_sum(unsigned mask, T value) {
  for (int offset = warpSize / 2; offset > 0; offset /= 2) {
    value += __shfl_down_sync(mask, value, offset);
  }
  return value;
}

template <class T, int kThreads>
__global__ void block_sums(const T* in, T* out, int n) {
  extern __shared__ unsigned char room[];
  T* const partial = reinterpret_cast<T*>(room);
  T sum = 0;
  for (int i = blockIdx.x * kThreads + threadIdx.x; i < n; i += gridDim.x * kThreads) sum += in[i];
  sum = warp_sum(0xffffffff, sum);
  if (threadIdx.x % warpSize == 0) partial[threadIdx.x / warpSize] = sum;
  __syncthreads();
  constexpr int kWarps = kThreads / 32;
  const unsigned mask = __ballot_sync(0xffffffff, threadIdx.x < kWarps);
  if (threadIdx.x < kWarps) sum = warp_sum(mask, partial[threadIdx.x]);
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

template <class T>
void launch(int threads, int blocks, const T* in, T* out, int n) {
  const int bytes = threads / 32 * sizeof(T);
  switch (threads) {
    case 512:
      block_sums<T, 512><<<blocks, threads, bytes>>>(in, out, n);
      break;
    case 256:
      block_sums<T, 256><<<blocks, threads, bytes>>>(in, out, n);
      break;
    case 128:
      block_sums<T, 128><<<blocks, threads, bytes>>>(in, out, n);
      break;
  }
}

template <class T>
int num_wrong(int threads) {
  const int n = 3000, blocks = 5;
  std::vector<T> in(n), out(blocks);
  T wanted = 0, got = 0;
  for (int i = 0; i < n; ++i) wanted += in[i] = static_cast<T>(i % 23 - 11);
  T *d_in, *d_out;
  cudaMalloc(&d_in, n * sizeof(T));
  cudaMalloc(&d_out, blocks * sizeof(T));
  cudaMemcpy(d_in, in.data(), n * sizeof(T), cudaMemcpyHostToDevice);
  launch(threads, blocks, d_in, d_out, n);
  cudaMemcpy(out.data(), d_out, blocks * sizeof(T), cudaMemcpyDeviceToHost);
  for (const T sum : out) got += sum;
  printf("%g, %g\n", static_cast<double>(got), static_cast<double>(wanted));
  return got != wanted;
}

int main() { return num_wrong<float>(256) + num_wrong<int>(128); }
