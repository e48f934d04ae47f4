// SPDX-License-Identifier: Apache-2.0
// Histogram in which lanes of a warp with the same bin elect one to add for all.
#include <cstdio>
#include <vector>

__global__ void histogram(const int* bins_of, int n, int* count) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i - (int)(threadIdx.x & 31) < n;
       i += gridDim.x * blockDim.x) {
    const int bin = i < n ? bins_of[i] : -1;
    const unsigned peers = __match_any_sync(0xffffffff, bin);
    const int leader = __ffs(peers) - 1;
    if (bin >= 0 && (int)(threadIdx.x & 31) == leader) atomicAdd(&count[bin], __popc(peers));
  }
}

int main() {
  const int n = 2222, bins = 19;
  std::vector<int> data(n), want(bins, 0), got(bins);
  for (int i = 0; i < n; ++i) want[data[i] = (i * i + i / 7) % bins]++;
  int *d_data, *d_count;
  cudaMalloc(&d_data, n * sizeof(int));
  cudaMalloc(&d_count, bins * sizeof(int));
  cudaMemcpy(d_data, data.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemset(d_count, 0, bins * sizeof(int));
  histogram<<<3, 160>>>(d_data, n, d_count);
  cudaMemcpy(got.data(), d_count, bins * sizeof(int), cudaMemcpyDeviceToHost);
  std::printf("histogram by match: %s\n", got == want ? "right" : "WRONG");
  return got != want;
}
