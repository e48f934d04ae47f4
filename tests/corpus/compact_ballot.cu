// SPDX-License-Identifier: Apache-2.0
// Stream compaction: a warp counts its survivors with a ballot and takes room by one atomic.
#include <algorithm>
#include <cstdio>
#include <vector>

__global__ void compact(const int* in, int n, int* out, int* count, int threshold) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int lane = threadIdx.x & 31;
  const int value = i < n ? in[i] : 0;
  const bool keep = i < n && value > threshold;
  const unsigned mask = __ballot_sync(0xffffffff, keep);
  int base = 0;
  if (lane == 0 && mask != 0) base = atomicAdd(count, __popc(mask));
  base = __shfl_sync(0xffffffff, base, 0);
  if (keep) out[base + __popc(mask & ((1u << lane) - 1))] = value;
}

int main() {
  const int n = 3001;
  std::vector<int> in(n), out(n), want;
  for (int i = 0; i < n; ++i) {
    in[i] = (i * 7901) % 1009;
    if (in[i] > 400) want.push_back(in[i]);
  }
  int *d_in, *d_out, *d_count, count = 0;
  cudaMalloc(&d_in, n * sizeof(int));
  cudaMalloc(&d_out, n * sizeof(int));
  cudaMalloc(&d_count, sizeof(int));
  cudaMemcpy(d_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemset(d_count, 0, sizeof(int));
  compact<<<(n + 255) / 256, 256>>>(d_in, n, d_out, d_count, 400);
  cudaMemcpy(&count, d_count, sizeof(int), cudaMemcpyDeviceToHost);
  cudaMemcpy(out.data(), d_out, n * sizeof(int), cudaMemcpyDeviceToHost);
  out.resize(count);
  std::sort(out.begin(), out.end());
  std::sort(want.begin(), want.end());
  const bool right = out == want;
  std::printf("kept %d of %d: %s\n", count, n, right ? "right" : "WRONG");
  return !right;
}
