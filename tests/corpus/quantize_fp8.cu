// SPDX-License-Identifier: Apache-2.0
// Activations to fp8 e4m3 with one scale per tensor, and back.
#include <cuda_fp8.h>

#include <cmath>
#include <cstdio>
#include <vector>

__global__ void to_fp8(const float* in, __nv_fp8_e4m3* out, float inverse_scale, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = __nv_fp8_e4m3(fminf(fmaxf(in[i] * inverse_scale, -448.0f), 448.0f));
}

__global__ void from_fp8(const __nv_fp8_e4m3* in, float* out, float scale, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = static_cast<float>(in[i]) * scale;
}

int main() {
  const int n = 900;
  std::vector<float> in(n), out(n);
  float amax = 0;
  for (int i = 0; i < n; ++i) {
    in[i] = std::sin(i * 0.3f) * std::exp(0.01f * (i % 300));
    amax = std::fmax(amax, std::fabs(in[i]));
  }
  const float scale = amax / 448.0f;
  float *d_in, *d_out;
  __nv_fp8_e4m3* d_q;
  cudaMalloc(&d_in, n * sizeof(float));
  cudaMalloc(&d_out, n * sizeof(float));
  cudaMalloc(&d_q, n);
  cudaMemcpy(d_in, in.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  to_fp8<<<(n + 255) / 256, 256>>>(d_in, d_q, 1.0f / scale, n);
  from_fp8<<<(n + 255) / 256, 256>>>(d_q, d_out, scale, n);
  cudaMemcpy(out.data(), d_out, n * sizeof(float), cudaMemcpyDeviceToHost);
  int bad = 0;
  for (int i = 0; i < n; ++i) {
    // Three bits of fraction: half a unit is a sixteenth, below 2^-6 half a step of 2^-9.
    const float allowed = std::fmax(std::fabs(in[i]) / 15.9f, 0.51f * scale / 512);
    bad += std::fabs(in[i] - out[i]) > allowed;
  }
  std::printf("fp8: %d outside half a unit\n", bad);
  return bad != 0;
}
