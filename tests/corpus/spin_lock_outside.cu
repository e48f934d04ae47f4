// SPDX-License-Identifier: Apache-2.0
// A lock whose critical section lies behind the loop: threads of one warp wait for each other.
// Needs independent thread scheduling.
#include <cstdio>

__device__ int mutex = 0;

__global__ void count_up(int* counter) {
  while (atomicCAS(&mutex, 0, 1) != 0) {
  }
  __threadfence();
  volatile int* c = counter;
  *c = *c + 1;
  __threadfence();
  atomicExch(&mutex, 0);
}

int main() {
  int *d_counter, counter = 0;
  cudaMalloc(&d_counter, sizeof(int));
  cudaMemset(d_counter, 0, sizeof(int));
  count_up<<<2, 64>>>(d_counter);
  cudaMemcpy(&counter, d_counter, sizeof(int), cudaMemcpyDeviceToHost);
  std::printf("counter %d, expected 128\n", counter);
  return counter != 128;
}
