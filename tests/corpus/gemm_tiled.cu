// SPDX-License-Identifier: Apache-2.0
// C = alpha A B + beta C with shared tiles; sizes need not divide the tile.
#include <cmath>
#include <cstdio>
#include <vector>

template <int TILE>
__global__ void __launch_bounds__(TILE* TILE, 2)
    sgemm(int m, int n, int k, float alpha, const float* A, const float* B, float beta, float* C) {
  __shared__ float As[TILE][TILE];
  __shared__ float Bs[TILE][TILE];
  const int row = blockIdx.y * TILE + threadIdx.y;
  const int col = blockIdx.x * TILE + threadIdx.x;
  float acc = 0.0f;
  for (int t = 0; t < (k + TILE - 1) / TILE; ++t) {
    const int ka = t * TILE + threadIdx.x, kb = t * TILE + threadIdx.y;
    As[threadIdx.y][threadIdx.x] = row < m && ka < k ? A[row * k + ka] : 0.0f;
    Bs[threadIdx.y][threadIdx.x] = kb < k && col < n ? B[kb * n + col] : 0.0f;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < TILE; ++i) acc += As[threadIdx.y][i] * Bs[i][threadIdx.x];
    __syncthreads();
  }
  if (row < m && col < n) C[row * n + col] = alpha * acc + beta * C[row * n + col];
}

int main() {
  const int m = 37, n = 45, k = 29;
  std::vector<float> a(m * k), b(k * n), c(m * n), out(m * n);
  for (int i = 0; i < m * k; ++i) a[i] = std::sin(i * 1.3f);
  for (int i = 0; i < k * n; ++i) b[i] = std::cos(i * 0.7f);
  for (int i = 0; i < m * n; ++i) c[i] = (float)(i % 3);
  float *d_a, *d_b, *d_c;
  cudaMalloc(&d_a, a.size() * sizeof(float));
  cudaMalloc(&d_b, b.size() * sizeof(float));
  cudaMalloc(&d_c, c.size() * sizeof(float));
  cudaMemcpy(d_a, a.data(), a.size() * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(d_b, b.data(), b.size() * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(d_c, c.data(), c.size() * sizeof(float), cudaMemcpyHostToDevice);
  constexpr int kTile = 16;
  dim3 block(kTile, kTile), grid((n + kTile - 1) / kTile, (m + kTile - 1) / kTile);
  sgemm<kTile><<<grid, block>>>(m, n, k, 0.5f, d_a, d_b, 2.0f, d_c);
  cudaMemcpy(out.data(), d_c, out.size() * sizeof(float), cudaMemcpyDeviceToHost);
  double worst = 0;
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < n; ++j) {
      double sum = 0;
      for (int l = 0; l < k; ++l) sum += (double)a[i * k + l] * b[l * n + j];
      worst = std::fmax(worst, std::fabs(0.5 * sum + 2.0 * c[i * n + j] - out[i * n + j]));
    }
  }
  std::printf("sgemm: worst error %g\n", worst);
  return worst > 1e-4;
}
