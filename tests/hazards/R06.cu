// SPDX-License-Identifier: Apache-2.0
// R06: Limits of grid and block.
#include <cstdint>

#include <cuda_runtime.h>

__global__ void __launch_bounds__(256) bounded(float* x) { x[threadIdx.x] = 0; }
__global__ void plain(float* x);
constexpr int kThreads = 2048;
#define ROWS 100000

void launch(float* x, int64_t rows) {
  bounded<<<64, 512>>>(x);                    // expect: R06 S1
  plain<<<64, kThreads>>>(x);                 // expect: R06 S1
  plain<<<dim3(32, ROWS), 128>>>(x);          // expect: R06 S1
  plain<<<64, dim3(2, 2, 128)>>>(x);          // expect: R06 S1
  plain<<<dim3(8, unsigned(rows)), 64>>>(x);  // expect: R06 S1
  bounded<<<64, 256>>>(x);
}

template <int kRows>
void templated(float* x, int cols) {
  dim3 grid(cols, 70000, 1);
  plain<<<grid, 64>>>(x);  // expect: R06 S1
}

#define LAUNCH(p) plain<<<1, dim3(64, 32)>>>(p)  // expect: R06 S1

#ifdef WIDE
void wide(float* x) {
  bounded<<<1, 1024>>>(x);  // expect: R06 S1
}
#endif
