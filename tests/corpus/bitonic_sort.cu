// SPDX-License-Identifier: Apache-2.0
// Keys and values sorted by a bitonic network in shared memory.
#include <algorithm>
#include <cstdio>
#include <vector>

__device__ inline void compare_swap(unsigned& ka, unsigned& va, unsigned& kb, unsigned& vb,
                                    bool ascending) {
  if ((ka > kb) == ascending) {
    unsigned t = ka;
    ka = kb;
    kb = t;
    t = va;
    va = vb;
    vb = t;
  }
}

template <int SIZE>
__global__ void bitonic_sort(unsigned* keys, unsigned* values) {
  __shared__ unsigned k[SIZE], v[SIZE];
  unsigned* gk = keys + blockIdx.x * SIZE;
  unsigned* gv = values + blockIdx.x * SIZE;
  for (int i = threadIdx.x; i < SIZE; i += SIZE / 2) {
    k[i] = gk[i];
    v[i] = gv[i];
  }
  for (int size = 2; size <= SIZE; size <<= 1) {
    for (int stride = size / 2; stride > 0; stride >>= 1) {
      __syncthreads();
      const int pos = 2 * threadIdx.x - (threadIdx.x & (stride - 1));
      const bool ascending = (pos & size) == 0;
      compare_swap(k[pos], v[pos], k[pos + stride], v[pos + stride], ascending);
    }
  }
  __syncthreads();
  for (int i = threadIdx.x; i < SIZE; i += SIZE / 2) {
    gk[i] = k[i];
    gv[i] = v[i];
  }
}

int main() {
  constexpr int kSize = 256;
  const int blocks = 3, n = blocks * kSize;
  std::vector<unsigned> keys(n), values(n), sorted;
  for (int i = 0; i < n; ++i) {
    keys[i] = (i * 2654435761u) >> 8;
    values[i] = keys[i] ^ 0x5555u;
  }
  sorted = keys;
  unsigned *d_k, *d_v;
  cudaMalloc(&d_k, n * sizeof(unsigned));
  cudaMalloc(&d_v, n * sizeof(unsigned));
  cudaMemcpy(d_k, keys.data(), n * sizeof(unsigned), cudaMemcpyHostToDevice);
  cudaMemcpy(d_v, values.data(), n * sizeof(unsigned), cudaMemcpyHostToDevice);
  bitonic_sort<kSize><<<blocks, kSize / 2>>>(d_k, d_v);
  cudaMemcpy(keys.data(), d_k, n * sizeof(unsigned), cudaMemcpyDeviceToHost);
  cudaMemcpy(values.data(), d_v, n * sizeof(unsigned), cudaMemcpyDeviceToHost);
  int bad = 0;
  for (int b = 0; b < blocks; ++b) {
    std::sort(sorted.begin() + b * kSize, sorted.begin() + (b + 1) * kSize);
  }
  for (int i = 0; i < n; ++i) bad += keys[i] != sorted[i] || values[i] != (keys[i] ^ 0x5555u);
  std::printf("bitonic sort: %d wrong\n", bad);
  return bad != 0;
}
