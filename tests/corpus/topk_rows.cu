// SPDX-License-Identifier: Apache-2.0
// The k largest of every row: a warp repeats argmax and takes the winner out.
#include <algorithm>
#include <cfloat>
#include <cstdio>
#include <vector>

__global__ void topk(const float* scores, float* best, int* where, int cols, int k) {
  extern __shared__ float row[];
  const int lane = threadIdx.x;
  for (int c = lane; c < cols; c += 32) row[c] = scores[blockIdx.x * cols + c];
  __syncwarp();
  for (int round = 0; round < k; ++round) {
    float value = -FLT_MAX;
    int index = cols;
    for (int c = lane; c < cols; c += 32) {
      if (row[c] > value) {
        value = row[c];
        index = c;
      }
    }
    for (int offset = 16; offset > 0; offset /= 2) {
      const float other = __shfl_xor_sync(0xffffffff, value, offset);
      const int other_index = __shfl_xor_sync(0xffffffff, index, offset);
      if (other > value || (other == value && other_index < index)) {
        value = other;
        index = other_index;
      }
    }
    __syncwarp();  // all have read the row; shuffles order no memory
    if (lane == 0) {
      best[blockIdx.x * k + round] = value;
      where[blockIdx.x * k + round] = index;
      row[index] = -FLT_MAX;
    }
    __syncwarp();
  }
}

int main() {
  const int rows = 9, cols = 75, k = 5;
  std::vector<float> scores(rows * cols), best(rows * k);
  std::vector<int> where(rows * k);
  for (int i = 0; i < rows * cols; ++i) scores[i] = (float)((i * 48271) % 9973);
  float *d_scores, *d_best;
  int* d_where;
  cudaMalloc(&d_scores, scores.size() * sizeof(float));
  cudaMalloc(&d_best, best.size() * sizeof(float));
  cudaMalloc(&d_where, where.size() * sizeof(int));
  cudaMemcpy(d_scores, scores.data(), scores.size() * sizeof(float), cudaMemcpyHostToDevice);
  topk<<<rows, 32, cols * sizeof(float)>>>(d_scores, d_best, d_where, cols, k);
  cudaMemcpy(best.data(), d_best, best.size() * sizeof(float), cudaMemcpyDeviceToHost);
  cudaMemcpy(where.data(), d_where, where.size() * sizeof(int), cudaMemcpyDeviceToHost);
  int bad = 0;
  for (int r = 0; r < rows; ++r) {
    std::vector<float> row(scores.begin() + r * cols, scores.begin() + (r + 1) * cols);
    std::sort(row.rbegin(), row.rend());
    for (int i = 0; i < k; ++i) {
      bad += best[r * k + i] != row[i] || scores[r * cols + where[r * k + i]] != row[i];
    }
  }
  std::printf("top-k: %d wrong\n", bad);
  return bad != 0;
}
