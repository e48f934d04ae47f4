// SPDX-License-Identifier: Apache-2.0
// Layer norm, one block per row, Welford statistics merged over warps.
#include <cmath>
#include <cstdio>
#include <vector>

struct Stats {
  float mean, m2, count;
};

__device__ Stats merge(Stats a, Stats b) {
  if (b.count == 0) return a;
  if (a.count == 0) return b;
  const float count = a.count + b.count;
  const float delta = b.mean - a.mean;
  return {a.mean + delta * b.count / count, a.m2 + b.m2 + delta * delta * a.count * b.count / count,
          count};
}

__device__ Stats warp_merge(Stats s) {
  for (int offset = 16; offset > 0; offset >>= 1) {
    Stats other;
    other.mean = __shfl_down_sync(0xffffffff, s.mean, offset);
    other.m2 = __shfl_down_sync(0xffffffff, s.m2, offset);
    other.count = __shfl_down_sync(0xffffffff, s.count, offset);
    s = merge(s, other);
  }
  return s;
}

__global__ void layer_norm(const float* __restrict__ x, const float* __restrict__ gamma,
                           const float* __restrict__ beta, float* __restrict__ y, int dim,
                           float eps) {
  __shared__ Stats partial[32];
  __shared__ float mean, rstd;
  x += (long long)blockIdx.x * dim;
  y += (long long)blockIdx.x * dim;
  Stats s{0, 0, 0};
  for (int i = threadIdx.x; i < dim; i += blockDim.x) s = merge(s, Stats{x[i], 0, 1});
  s = warp_merge(s);
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  if (lane == 0) partial[warp] = s;
  __syncthreads();
  if (warp == 0) {
    s = lane < (blockDim.x + 31) / 32 ? partial[lane] : Stats{0, 0, 0};
    s = warp_merge(s);
    if (lane == 0) {
      mean = s.mean;
      rstd = rsqrtf(s.m2 / s.count + eps);
    }
  }
  __syncthreads();
  for (int i = threadIdx.x; i < dim; i += blockDim.x) {
    y[i] = (x[i] - mean) * rstd * gamma[i] + beta[i];
  }
}

int main() {
  const int rows = 5, dim = 300;
  std::vector<float> x(rows * dim), y(rows * dim), gamma(dim), beta(dim);
  for (int i = 0; i < rows * dim; ++i) x[i] = std::cos(i * 0.37f) * 3 + 100.0f;
  for (int i = 0; i < dim; ++i) gamma[i] = 1.0f + i * 0.001f, beta[i] = i * 0.01f;
  float *d_x, *d_y, *d_g, *d_b;
  cudaMalloc(&d_x, x.size() * 4);
  cudaMalloc(&d_y, y.size() * 4);
  cudaMalloc(&d_g, dim * 4);
  cudaMalloc(&d_b, dim * 4);
  cudaMemcpy(d_x, x.data(), x.size() * 4, cudaMemcpyHostToDevice);
  cudaMemcpy(d_g, gamma.data(), dim * 4, cudaMemcpyHostToDevice);
  cudaMemcpy(d_b, beta.data(), dim * 4, cudaMemcpyHostToDevice);
  layer_norm<<<rows, 128>>>(d_x, d_g, d_b, d_y, dim, 1e-5f);
  cudaMemcpy(y.data(), d_y, y.size() * 4, cudaMemcpyDeviceToHost);
  double worst = 0;
  for (int r = 0; r < rows; ++r) {
    double mean = 0, var = 0;
    for (int i = 0; i < dim; ++i) mean += x[r * dim + i];
    mean /= dim;
    for (int i = 0; i < dim; ++i) var += (x[r * dim + i] - mean) * (x[r * dim + i] - mean);
    for (int i = 0; i < dim; ++i) {
      const double want =
          (x[r * dim + i] - mean) / std::sqrt(var / dim + 1e-5) * gamma[i] + beta[i];
      worst = std::fmax(worst, std::fabs(want - y[r * dim + i]));
    }
  }
  std::printf("layer norm: worst error %g\n", worst);
  return worst > 1e-3;
}
