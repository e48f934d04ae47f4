// SPDX-License-Identifier: Apache-2.0
// Eight 4-bit weights a word, group scales in half precision, unpacked to half2.
#include <cuda_fp16.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

__global__ void dequantize4(const uint32_t* __restrict__ packed, const half* __restrict__ scales,
                            half2* __restrict__ out, int words, int group_words) {
  const int w = blockIdx.x * blockDim.x + threadIdx.x;
  if (w >= words) return;
  const uint32_t bits = __ldg(&packed[w]);
  const half2 scale = __half2half2(scales[w / group_words]);
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const int lo = (bits >> (8 * i)) & 0xf, hi = (bits >> (8 * i + 4)) & 0xf;
    const half2 value = __halves2half2(__int2half_rn(lo - 8), __int2half_rn(hi - 8));
    out[w * 4 + i] = __hmul2(value, scale);
  }
}

int main() {
  const int words = 500, group_words = 16, groups = (words + group_words - 1) / group_words;
  std::vector<uint32_t> packed(words);
  std::vector<half> scales(groups), out(words * 8);
  for (int i = 0; i < words; ++i) packed[i] = i * 2654435761u;
  for (int i = 0; i < groups; ++i) scales[i] = __float2half(0.125f * (1 + i % 4));
  uint32_t* d_packed;
  half *d_scales, *d_out;
  cudaMalloc(&d_packed, words * sizeof(uint32_t));
  cudaMalloc(&d_scales, groups * sizeof(half));
  cudaMalloc(&d_out, out.size() * sizeof(half));
  cudaMemcpy(d_packed, packed.data(), words * sizeof(uint32_t), cudaMemcpyHostToDevice);
  cudaMemcpy(d_scales, scales.data(), groups * sizeof(half), cudaMemcpyHostToDevice);
  dequantize4<<<(words + 127) / 128, 128>>>(d_packed, d_scales, reinterpret_cast<half2*>(d_out),
                                            words, group_words);
  cudaMemcpy(out.data(), d_out, out.size() * sizeof(half), cudaMemcpyDeviceToHost);
  int bad = 0;
  for (int i = 0; i < words * 8; ++i) {
    const int q = (int)((packed[i / 8] >> (4 * (i % 8))) & 0xf) - 8;
    bad += __half2float(out[i]) != q * 0.125f * (1 + (i / 8 / group_words) % 4);
  }
  std::printf("int4: %d wrong\n", bad);
  return bad != 0;
}
