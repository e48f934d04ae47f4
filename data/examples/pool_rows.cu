// SPDX-License-Identifier: Apache-2.0
// The sum of the rows of a bag of ids, a warp for each bag: lanes share the ids by shuffles, and a
// butterfly gives all of them the norm by which the sum is scaled.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <vector>

constexpr int kDim = 64;  // floats of a row, two for each lane

__global__ void pool_rows(const float* table, const int* offsets, const int* ids, int num_bags,
                          float* out) {
  const int bag = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  const int lane = threadIdx.x % 32;
  if (bag >= num_bags) return;
  const int begin = offsets[bag], end = offsets[bag + 1];
  float x = 0.0f, y = 0.0f;
  for (int first = begin; first < end; first += 32) {
    const int mine = first + lane < end ? ids[first + lane] : -1;
    const int many = min(32, end - first);
    for (int i = 0; i < many; ++i) {
      const int id = __shfl_sync(0xffffffff, mine, i);
      x += table[id * kDim + lane];
      y += table[id * kDim + 32 + lane];
    }
  }
  float squares = x * x + y * y;
  for (int step = 16; step > 0; step /= 2) squares += __shfl_xor_sync(0xffffffff, squares, step);
  const float scale = squares > 0.0f ? 1.0f / sqrtf(squares) : 0.0f;
  out[bag * kDim + lane] = x * scale;
  out[bag * kDim + 32 + lane] = y * scale;
}

int main() {
  constexpr int num_rows = 100, num_bags = 37;
  std::vector<float> table(num_rows * kDim), out(num_bags * kDim);
  std::vector<int> offsets(num_bags + 1), ids;
  for (size_t i = 0; i < table.size(); ++i) table[i] = static_cast<float>(i * 37 % 101) / 101 - 0.4f;
  for (int bag = 0; bag < num_bags; ++bag) {
    for (int i = 0; i < bag * 13 % 47; ++i) ids.push_back((bag * 31 + i * 17) % num_rows);
    offsets[bag + 1] = static_cast<int>(ids.size());
  }
  float *device_table, *device_out;
  int *device_offsets, *device_ids;
  cudaMalloc(&device_table, table.size() * sizeof(float));
  cudaMalloc(&device_out, out.size() * sizeof(float));
  cudaMalloc(&device_offsets, offsets.size() * sizeof(int));
  cudaMalloc(&device_ids, ids.size() * sizeof(int));
  cudaMemcpy(device_table, table.data(), table.size() * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(device_offsets, offsets.data(), offsets.size() * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpy(device_ids, ids.data(), ids.size() * sizeof(int), cudaMemcpyHostToDevice);
  pool_rows<<<(num_bags + 3) / 4, 128>>>(device_table, device_offsets, device_ids, num_bags,
                                         device_out);
  cudaMemcpy(out.data(), device_out, out.size() * sizeof(float), cudaMemcpyDeviceToHost);

  double worst = 0.0;
  for (int bag = 0; bag < num_bags; ++bag) {
    std::vector<double> sum(kDim);
    double squares = 0.0;
    for (int i = offsets[bag]; i < offsets[bag + 1]; ++i) {
      for (int d = 0; d < kDim; ++d) sum[d] += table[ids[i] * kDim + d];
    }
    for (const double s : sum) squares += s * s;
    const double scale = squares > 0.0 ? 1.0 / std::sqrt(squares) : 0.0;
    for (int d = 0; d < kDim; ++d) {
      worst = std::fmax(worst, std::fabs(out[bag * kDim + d] - sum[d] * scale));
    }
  }
  std::printf("worst error %s\n", worst < 1e-5 ? "below 1e-5" : "too large");
  return worst < 1e-5 ? 0 : 1;
}
