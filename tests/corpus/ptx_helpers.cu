// SPDX-License-Identifier: Apache-2.0
// Small pieces of inline PTX as libraries use them: lane ids, bit fields, streaming loads.
#include <cstdint>
#include <cstdio>
#include <vector>

__device__ __forceinline__ unsigned lane_id() {
  unsigned ret;
  asm volatile("mov.u32 %0, %%laneid;" : "=r"(ret));
  return ret;
}

__device__ __forceinline__ unsigned lanemask_lt() {
  unsigned mask;
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(mask));
  return mask;
}

__device__ __forceinline__ uint32_t bit_field(uint32_t v, uint32_t pos, uint32_t len) {
  uint32_t ret;
  asm("bfe.u32 %0, %1, %2, %3;" : "=r"(ret) : "r"(v), "r"(pos), "r"(len));
  return ret;
}

__device__ __forceinline__ uint32_t load_streaming(const uint32_t* p) {
  uint32_t v;
  asm volatile("ld.global.nc.L1::no_allocate.u32 %0, [%1];" : "=r"(v) : "l"(p));
  return v;
}

__global__ void rank_of_odd(const uint32_t* in, uint32_t* field, uint32_t* rank, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const uint32_t v = i < n ? load_streaming(in + i) : 0;
  const unsigned odd = __ballot_sync(0xffffffffu, v & 1);
  if (i < n) {
    field[i] = bit_field(v, 4, 8) + lane_id();
    rank[i] = __popc(odd & lanemask_lt());
  }
}

int main() {
  const int n = 300;
  std::vector<uint32_t> in(n), field(n), rank(n);
  for (int i = 0; i < n; ++i) in[i] = i * 2654435761u;
  uint32_t *d_in, *d_field, *d_rank;
  cudaMalloc(&d_in, n * 4);
  cudaMalloc(&d_field, n * 4);
  cudaMalloc(&d_rank, n * 4);
  cudaMemcpy(d_in, in.data(), n * 4, cudaMemcpyHostToDevice);
  rank_of_odd<<<(n + 127) / 128, 128>>>(d_in, d_field, d_rank, n);
  cudaMemcpy(field.data(), d_field, n * 4, cudaMemcpyDeviceToHost);
  cudaMemcpy(rank.data(), d_rank, n * 4, cudaMemcpyDeviceToHost);
  int bad = 0;
  for (int i = 0; i < n; ++i) {
    uint32_t before = 0;
    for (int j = i / 32 * 32; j < i; ++j) before += in[j] & 1;
    bad += rank[i] != before || field[i] != ((in[i] >> 4) & 0xff) + i % 32;
  }
  std::printf("ptx: %d wrong\n", bad);
  return bad != 0;
}
