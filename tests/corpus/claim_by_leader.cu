// SPDX-License-Identifier: Apache-2.0
// Each warp writes a run of another length, at a place that its first lane claims: the others hand
// the shuffle a variable that nobody has set.
#include <cstdio>
#include <vector>

__global__ void write_runs(const int* lengths, int* owners, int* cursor, int num_runs) {
  const int run = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (run >= num_runs) return;
  int start;
  if (lane == 0) start = atomicAdd(cursor, lengths[run]);
  start = __shfl_sync(0xffffffff, start, 0);
  for (int i = lane; i < lengths[run]; i += 32) owners[start + i] = run;
}

int main() {
  const int num_runs = 60;
  std::vector<int> lengths(num_runs), counts(num_runs, 0);
  int total = 0;
  for (int i = 0; i < num_runs; ++i) total += lengths[i] = i * 7 % 50;
  int *d_lengths, *d_owners, *d_cursor;
  cudaMalloc(&d_lengths, num_runs * sizeof(int));
  cudaMalloc(&d_owners, total * sizeof(int));
  cudaMalloc(&d_cursor, sizeof(int));
  cudaMemset(d_cursor, 0, sizeof(int));
  cudaMemcpy(d_lengths, lengths.data(), num_runs * sizeof(int), cudaMemcpyHostToDevice);
  write_runs<<<(num_runs * 32 + 127) / 128, 128>>>(d_lengths, d_owners, d_cursor, num_runs);
  std::vector<int> owners(total);
  cudaMemcpy(owners.data(), d_owners, total * sizeof(int), cudaMemcpyDeviceToHost);
  for (const int owner : owners) ++counts[owner];
  printf("%s\n", counts == lengths ? "right" : "wrong");
  return counts != lengths;
}
