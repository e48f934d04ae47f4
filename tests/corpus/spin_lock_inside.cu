// SPDX-License-Identifier: Apache-2.0
// A lock per bucket, taken and given back inside the loop, as works with and without independent
// thread scheduling.
#include <cstdio>
#include <vector>

__global__ void append(const int* keys, int n, int* lock, int* count, int* sum, int buckets) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int b = keys[i] % buckets;
  bool done = false;
  while (!done) {
    if (atomicCAS(&lock[b], 0, 1) == 0) {
      __threadfence();
      volatile int* c = count + b;
      volatile int* s = sum + b;
      *c = *c + 1;
      *s = *s + keys[i];
      __threadfence();
      atomicExch(&lock[b], 0);
      done = true;
    }
  }
}

int main() {
  const int n = 400, buckets = 7;
  std::vector<int> keys(n), count(buckets), sum(buckets), want_count(buckets, 0), want_sum(buckets, 0);
  for (int i = 0; i < n; ++i) {
    keys[i] = (i * 37) % 101;
    want_count[keys[i] % buckets]++;
    want_sum[keys[i] % buckets] += keys[i];
  }
  int *d_keys, *d_lock, *d_count, *d_sum;
  cudaMalloc(&d_keys, n * sizeof(int));
  cudaMalloc(&d_lock, buckets * sizeof(int));
  cudaMalloc(&d_count, buckets * sizeof(int));
  cudaMalloc(&d_sum, buckets * sizeof(int));
  cudaMemcpy(d_keys, keys.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemset(d_lock, 0, buckets * sizeof(int));
  cudaMemset(d_count, 0, buckets * sizeof(int));
  cudaMemset(d_sum, 0, buckets * sizeof(int));
  append<<<(n + 127) / 128, 128>>>(d_keys, n, d_lock, d_count, d_sum, buckets);
  cudaMemcpy(count.data(), d_count, buckets * sizeof(int), cudaMemcpyDeviceToHost);
  cudaMemcpy(sum.data(), d_sum, buckets * sizeof(int), cudaMemcpyDeviceToHost);
  std::printf("buckets %s\n", count == want_count && sum == want_sum ? "right" : "WRONG");
  return count != want_count || sum != want_sum;
}
