// SPDX-License-Identifier: Apache-2.0
// RMS norm of half rows, vector loads, block reduction by a functor template.
#include <cuda_fp16.h>

#include <cmath>
#include <cstdio>
#include <vector>

struct SumOp {
  __device__ float operator()(float a, float b) const { return a + b; }
};

template <typename Op, int WARPS>
__device__ float block_all_reduce(float v, Op op) {
  __shared__ float s[WARPS];
#pragma unroll
  for (int o = 16; o; o >>= 1) v = op(v, __shfl_xor_sync(~0u, v, o));
  if ((threadIdx.x & 31) == 0) s[threadIdx.x >> 5] = v;
  __syncthreads();
  v = s[0];
#pragma unroll
  for (int w = 1; w < WARPS; ++w) v = op(v, s[w]);
  return v;
}

template <int THREADS>
__global__ void rms_norm(const half* x, const half* w, half* y, int dim, float eps) {
  const float4* in = reinterpret_cast<const float4*>(x + (size_t)blockIdx.x * dim);  // 8 halves
  float sum = 0;
  for (int i = threadIdx.x; i < dim / 8; i += THREADS) {
    const float4 raw = in[i];
    const half2* h = reinterpret_cast<const half2*>(&raw);
    for (int j = 0; j < 4; ++j) {
      const float2 f = __half22float2(h[j]);
      sum += f.x * f.x + f.y * f.y;
    }
  }
  sum = block_all_reduce<SumOp, THREADS / 32>(sum, SumOp());
  const float scale = rsqrtf(sum / dim + eps);
  for (int i = threadIdx.x; i < dim; i += THREADS) {
    const size_t at = (size_t)blockIdx.x * dim + i;
    y[at] = __float2half(__half2float(x[at]) * scale * __half2float(w[i]));
  }
}

int main() {
  const int rows = 4, dim = 512;
  std::vector<half> x(rows * dim), w(dim), y(rows * dim);
  for (int i = 0; i < rows * dim; ++i) x[i] = __float2half(std::sin(i * 0.01f) * 2);
  for (int i = 0; i < dim; ++i) w[i] = __float2half(0.5f + (i % 7) * 0.125f);
  half *d_x, *d_w, *d_y;
  cudaMalloc(&d_x, x.size() * sizeof(half));
  cudaMalloc(&d_w, w.size() * sizeof(half));
  cudaMalloc(&d_y, y.size() * sizeof(half));
  cudaMemcpy(d_x, x.data(), x.size() * sizeof(half), cudaMemcpyHostToDevice);
  cudaMemcpy(d_w, w.data(), w.size() * sizeof(half), cudaMemcpyHostToDevice);
  rms_norm<128><<<rows, 128>>>(d_x, d_w, d_y, dim, 1e-6f);
  cudaMemcpy(y.data(), d_y, y.size() * sizeof(half), cudaMemcpyDeviceToHost);
  double worst = 0;
  for (int r = 0; r < rows; ++r) {
    double sum = 0;
    for (int i = 0; i < dim; ++i) sum += std::pow((double)__half2float(x[r * dim + i]), 2);
    for (int i = 0; i < dim; ++i) {
      const double want = __half2float(x[r * dim + i]) / std::sqrt(sum / dim + 1e-6) * __half2float(w[i]);
      worst = std::fmax(worst, std::fabs(want - __half2float(y[r * dim + i])));
    }
  }
  std::printf("rms norm: worst error %g\n", worst);
  return worst > 5e-3;
}
