// SPDX-License-Identifier: Apache-2.0
// Rows gathered by index, then scattered with addition.
#include <cstdio>
#include <vector>

__global__ void gather_rows(float* dst, const float* src, const int* index, int count, int dim) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int total = count * dim;
  if (i >= total) return;
  dst[i] = src[index[i / dim] * dim + i % dim];
}

__global__ void scatter_add_rows(float* dst, const float* src, const int* index, int count,
                                 int dim) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count * dim) atomicAdd(dst + index[i / dim] * dim + i % dim, src[i]);
}

int main() {
  const int rows = 50, dim = 12, count = 133;
  std::vector<float> src(rows * dim), picked(count * dim), sums(rows * dim, 0), want(rows * dim, 0);
  std::vector<int> index(count);
  for (int i = 0; i < rows * dim; ++i) src[i] = (float)(i % 23);
  for (int i = 0; i < count; ++i) index[i] = (i * 29) % rows;
  float *d_src, *d_picked, *d_sums;
  int* d_index;
  cudaMalloc(&d_src, src.size() * 4);
  cudaMalloc(&d_picked, picked.size() * 4);
  cudaMalloc(&d_sums, sums.size() * 4);
  cudaMalloc(&d_index, index.size() * 4);
  cudaMemcpy(d_src, src.data(), src.size() * 4, cudaMemcpyHostToDevice);
  cudaMemcpy(d_index, index.data(), index.size() * 4, cudaMemcpyHostToDevice);
  cudaMemset(d_sums, 0, sums.size() * 4);
  const int threads = 96, blocks = (count * dim + threads - 1) / threads;
  gather_rows<<<blocks, threads>>>(d_picked, d_src, d_index, count, dim);
  scatter_add_rows<<<blocks, threads>>>(d_sums, d_picked, d_index, count, dim);
  cudaMemcpy(sums.data(), d_sums, sums.size() * 4, cudaMemcpyDeviceToHost);
  int bad = 0;
  for (int i = 0; i < count * dim; ++i) want[index[i / dim] * dim + i % dim] += src[index[i / dim] * dim + i % dim];
  for (int i = 0; i < rows * dim; ++i) bad += want[i] != sums[i];  // small integers: exact
  std::printf("gather, scatter: %d wrong\n", bad);
  return bad != 0;
}
