// SPDX-License-Identifier: Apache-2.0
// Rows to int8 with a scale per row, and back.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

__global__ void quantize_rows(const float* in, int8_t* out, float* scales, int cols) {
  __shared__ float warp_max[32];
  const float* row = in + (size_t)blockIdx.x * cols;
  float amax = 0;
  for (int c = threadIdx.x; c < cols; c += blockDim.x) amax = fmaxf(amax, fabsf(row[c]));
  for (int mask = 16; mask > 0; mask /= 2) amax = fmaxf(amax, __shfl_xor_sync(0xffffffffu, amax, mask));
  if (threadIdx.x % 32 == 0) warp_max[threadIdx.x / 32] = amax;
  __syncthreads();
  amax = 0;
  for (int w = 0; w < blockDim.x / 32; ++w) amax = fmaxf(amax, warp_max[w]);
  const float scale = amax / 127.0f;
  const float inverse = amax > 0 ? 127.0f / amax : 0.0f;
  for (int c = threadIdx.x; c < cols; c += blockDim.x) {
    int q = __float2int_rn(row[c] * inverse);
    q = max(-127, min(127, q));
    out[(size_t)blockIdx.x * cols + c] = static_cast<int8_t>(q);
  }
  if (threadIdx.x == 0) scales[blockIdx.x] = scale;
}

__global__ void dequantize_rows(const int8_t* in, const float* scales, float* out, int cols,
                                int total) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < total) out[i] = in[i] * scales[i / cols];
}

int main() {
  const int rows = 7, cols = 333;
  std::vector<float> in(rows * cols), back(rows * cols);
  for (size_t i = 0; i < in.size(); ++i) in[i] = std::sin(i * 0.05f) * (1 + i % 7);
  float *d_in, *d_scales, *d_back;
  int8_t* d_q;
  cudaMalloc(&d_in, in.size() * sizeof(float));
  cudaMalloc(&d_back, in.size() * sizeof(float));
  cudaMalloc(&d_scales, rows * sizeof(float));
  cudaMalloc(&d_q, in.size());
  cudaMemcpy(d_in, in.data(), in.size() * sizeof(float), cudaMemcpyHostToDevice);
  quantize_rows<<<rows, 128>>>(d_in, d_q, d_scales, cols);
  dequantize_rows<<<(rows * cols + 255) / 256, 256>>>(d_q, d_scales, d_back, cols, rows * cols);
  cudaMemcpy(back.data(), d_back, in.size() * sizeof(float), cudaMemcpyDeviceToHost);
  int bad = 0;
  for (int r = 0; r < rows; ++r) {
    float amax = 0;
    for (int c = 0; c < cols; ++c) amax = std::fmax(amax, std::fabs(in[r * cols + c]));
    for (int c = 0; c < cols; ++c) {
      bad += std::fabs(in[r * cols + c] - back[r * cols + c]) > 0.501f * amax / 127;
    }
  }
  std::printf("int8: %d outside half a step\n", bad);
  return bad != 0;
}
