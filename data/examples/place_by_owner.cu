// SPDX-License-Identifier: Apache-2.0
// A batch's ids are sorted by the device that owns their row: the place of every id among those of
// its owner in the warp, and how many each owner gets. It rests on a warp having 32 lanes.
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

constexpr int kOwners = 4;

__global__ void place_by_owner(const int* ids, int n, int* place, int* counts) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int lane = threadIdx.x & 31;
  const int owner = i < n ? ids[i] % kOwners : -1;
  for (int o = 0; o < kOwners; ++o) {
    const unsigned same = __ballot_sync(0xffffffff, owner == o);
    if (owner == o) place[i] = __popc(same & ((1u << lane) - 1));
    if (lane == 0) counts[i / 32 * kOwners + o] = __popc(same);
  }
}

int main() {
  constexpr int n = 1000, num_blocks = 4, num_threads = 256;
  constexpr int num_warps = num_blocks * num_threads / 32;
  std::vector<int> ids(n), place(n), counts(num_warps * kOwners);
  for (int i = 0; i < n; ++i) ids[i] = i * 7919 % 10007;
  int *device_ids, *device_place, *device_counts;
  cudaMalloc(&device_ids, n * sizeof(int));
  cudaMalloc(&device_place, n * sizeof(int));
  cudaMalloc(&device_counts, counts.size() * sizeof(int));
  cudaMemcpy(device_ids, ids.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  place_by_owner<<<num_blocks, num_threads>>>(device_ids, n, device_place, device_counts);
  cudaMemcpy(place.data(), device_place, n * sizeof(int), cudaMemcpyDeviceToHost);
  cudaMemcpy(counts.data(), device_counts, counts.size() * sizeof(int), cudaMemcpyDeviceToHost);

  int wrong = 0;
  std::vector<int> seen(counts.size());
  for (int i = 0; i < n; ++i) wrong += place[i] != seen[i / 32 * kOwners + ids[i] % kOwners]++;
  for (size_t i = 0; i < counts.size(); ++i) wrong += counts[i] != seen[i];
  std::printf("%d wrong\n", wrong);
  return wrong != 0;
}
