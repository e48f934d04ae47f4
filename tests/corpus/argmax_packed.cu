// SPDX-License-Identifier: Apache-2.0
// Argmax over a whole array: value and index packed in 64 bits, one atomicMax per warp.
#include <cstdio>
#include <vector>

__device__ unsigned long long pack(float value, unsigned index) {
  unsigned bits = __float_as_uint(value);
  bits = bits & 0x80000000u ? ~bits : bits | 0x80000000u;  // order of floats as unsigned
  return ((unsigned long long)bits << 32) | (0xffffffffu - index);
}

__global__ void argmax(const float* x, int n, unsigned long long* best) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned long long mine = i < n ? pack(x[i], i) : 0ull;
#pragma unroll
  for (int offset = 16; offset > 0; offset >>= 1) {
    const unsigned long long other = __shfl_down_sync(0xffffffff, mine, offset);
    if (other > mine) mine = other;
  }
  if ((threadIdx.x & 31) == 0) atomicMax(best, mine);
}

int main() {
  const int n = 2500;
  std::vector<float> x(n);
  for (int i = 0; i < n; ++i) x[i] = (float)((i * 3571) % 2503) - 5000.0f;
  int want = 0;
  for (int i = 1; i < n; ++i) {
    if (x[i] > x[want]) want = i;
  }
  float* d_x;
  unsigned long long *d_best, best = 0;
  cudaMalloc(&d_x, n * sizeof(float));
  cudaMalloc(&d_best, sizeof(best));
  cudaMemcpy(d_x, x.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemset(d_best, 0, sizeof(best));
  argmax<<<(n + 191) / 192, 192>>>(d_x, n, d_best);
  cudaMemcpy(&best, d_best, sizeof(best), cudaMemcpyDeviceToHost);
  const unsigned got = 0xffffffffu - (unsigned)best;
  std::printf("argmax %u, expected %d\n", got, want);
  return got != (unsigned)want;
}
