// SPDX-License-Identifier: Apache-2.0
// C = A B on tensor cores, half inputs and float sums, one warp per 16 x 16 tile.
#include <cuda_fp16.h>
#include <mma.h>

#include <cmath>
#include <cstdio>
#include <vector>

using namespace nvcuda;

__global__ void wmma_gemm(const half* a, const half* b, float* c, int m, int n, int k) {
  const int warp_m = (blockIdx.x * blockDim.x + threadIdx.x) / warpSize;
  const int warp_n = blockIdx.y * blockDim.y + threadIdx.y;
  if (warp_m * 16 + 16 > m || warp_n * 16 + 16 > n) return;  // whole tiles only
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc;
  wmma::fill_fragment(acc, 0.0f);
  for (int i = 0; i < k; i += 16) {
    wmma::load_matrix_sync(fa, a + warp_m * 16 * k + i, k);
    wmma::load_matrix_sync(fb, b + warp_n * 16 * k + i, k);
    wmma::mma_sync(acc, fa, fb, acc);
  }
  wmma::store_matrix_sync(c + warp_m * 16 * n + warp_n * 16, acc, n, wmma::mem_row_major);
}

int main() {
  const int m = 64, n = 48, k = 32;
  std::vector<half> a(m * k), b(n * k);
  std::vector<float> fa(m * k), fb(n * k), c(m * n);
  for (int i = 0; i < m * k; ++i) a[i] = __float2half(fa[i] = (i % 9 - 4) * 0.25f);
  for (int i = 0; i < n * k; ++i) b[i] = __float2half(fb[i] = (i % 5 - 2) * 0.5f);
  half *d_a, *d_b;
  float* d_c;
  cudaMalloc(&d_a, a.size() * sizeof(half));
  cudaMalloc(&d_b, b.size() * sizeof(half));
  cudaMalloc(&d_c, c.size() * sizeof(float));
  cudaMemcpy(d_a, a.data(), a.size() * sizeof(half), cudaMemcpyHostToDevice);
  cudaMemcpy(d_b, b.data(), b.size() * sizeof(half), cudaMemcpyHostToDevice);
  wmma_gemm<<<dim3(2, 3), dim3(64, 1)>>>(d_a, d_b, d_c, m, n, k);
  cudaMemcpy(c.data(), d_c, c.size() * sizeof(float), cudaMemcpyDeviceToHost);
  int bad = 0;
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < n; ++j) {
      float want = 0;
      for (int l = 0; l < k; ++l) want += fa[i * k + l] * fb[j * k + l];
      bad += want != c[i * n + j];  // all products and sums are exact
    }
  }
  std::printf("wmma: %d wrong\n", bad);
  return bad != 0;
}
