// SPDX-License-Identifier: Apache-2.0
// N19: Traps, asserts, printf and the heap in device code.
#include <cassert>
#include <cstdio>
#include <cstdlib>

#include <cuda_runtime.h>

struct Node {
  int value;
};

__global__ void checked(const int* index, float* x, int n) {
  const int i = index[threadIdx.x];
  assert(i >= 0);                          // expect: N19 S3
  if (i >= n) {
    printf("bad index %d of %d\n", i, n);  // expect: N19 S3
    __trap();                              // expect: N19 S2
  }
  x[i] = 1;
}

template <typename T>
__device__ T* make() {
  return new T;  // expect: N19 S2
}

__device__ void heap() {
  void* p = malloc(64);  // expect: N19 S2
  free(p);               // expect: N19 S2
}

#define DEVICE __device__ __forceinline__
DEVICE void stop() { __brkpt(); }  // expect: N19 S2

#define DIE() do { __trap(); } while (0)  // expect: N19 S2

__device__ void by_ptx() { asm volatile("trap;"); }  // expect: N19 S2

#ifdef NEVER
__device__ void fail() { __trap(); }  // expect: N19 S2
#endif

// Not these: the host's.
int main() {
  int* p = static_cast<int*>(malloc(64));
  assert(p != nullptr);
  printf("%d\n", *p);
  free(p);
  delete new Node;
}
