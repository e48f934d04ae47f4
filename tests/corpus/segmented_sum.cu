// SPDX-License-Identifier: Apache-2.0
// Sums of runs of equal keys in sorted order: a segmented scan in each warp, edges by atomics.
#include <cstdio>
#include <vector>

template <unsigned kMask = 0xffffffffu>
__device__ float segment_scan(float value, int key, int lane) {
  for (int d = 1; d < 32; d *= 2) {
    const float v = __shfl_up_sync(kMask, value, d);
    const int k = __shfl_up_sync(kMask, key, d);
    if (lane >= d && k == key) value += v;
  }
  return value;
}

__global__ void segmented_sum(const int* keys, const float* values, float* sums, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int lane = threadIdx.x & 31;
  const int key = i < n ? keys[i] : -1;
  const float sum = segment_scan(i < n ? values[i] : 0.0f, key, lane);
  const int next = __shfl_down_sync(0xffffffffu, key, 1);
  if (key >= 0 && (lane == 31 || next != key)) atomicAdd(&sums[key], sum);
}

int main() {
  const int n = 1111, segments = 90;
  std::vector<int> keys(n);
  std::vector<float> values(n), sums(segments), want(segments, 0);
  for (int i = 0; i < n; ++i) {
    keys[i] = (int)((long long)i * i * segments / ((long long)n * n));
    values[i] = (float)(i % 8) * 0.25f;
    want[keys[i]] += values[i];
  }
  int* d_keys;
  float *d_values, *d_sums;
  cudaMalloc(&d_keys, n * sizeof(int));
  cudaMalloc(&d_values, n * sizeof(float));
  cudaMalloc(&d_sums, segments * sizeof(float));
  cudaMemcpy(d_keys, keys.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpy(d_values, values.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemset(d_sums, 0, segments * sizeof(float));
  segmented_sum<<<(n + 127) / 128, 128>>>(d_keys, d_values, d_sums, n);
  cudaMemcpy(sums.data(), d_sums, segments * sizeof(float), cudaMemcpyDeviceToHost);
  std::printf("segmented sums %s\n", sums == want ? "right" : "WRONG");  // quarters: exact
  return sums != want;
}
