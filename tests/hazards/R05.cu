// SPDX-License-Identifier: Apache-2.0
// R05: Grids of more than 2^32 work items.
#include <algorithm>
#include <cstdint>

#include <cuda_runtime.h>

__global__ void scale(float* x, int64_t n);
__global__ void rows_of_64(float* x, int n);

static int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }
constexpr int kThreads = 256;

void direct(float* x, int64_t n) {
  scale<<<(n + 255) / 256, 256>>>(x, n);  // expect: R05 S0
}

void by_variable(float* x, size_t n, cudaStream_t stream) {
  const auto blocks = ceil_div(n, kThreads);
  scale<<<blocks, kThreads, 0, stream>>>(x, n);  // expect: R05 S0
}

void by_dim3(float* x, int64_t rows, int64_t dim) {
  dim3 grid(static_cast<unsigned>((rows * dim + kThreads - 1) / kThreads));
  dim3 block(kThreads);
  scale<<<grid, block>>>(x, rows * dim);  // expect: R05 S0
}

#define DIV_UP(a, b) (((a) + (b)-1) / (b))
void by_macro(float* x, size_t numel) {
  dim3 grid(DIV_UP(numel, 256)), block(256);
  scale<<<grid, block>>>(x, numel);  // expect: R05 S0
}

template <typename T>
void templated(T* x, long long count) {
  scale<<<unsigned((count + 127) / 128), 128>>>(x, count);  // expect: R05 S0
}

void several_threads_each(float* x, int n) {
  rows_of_64<<<ceil_div(n, 16), dim3(64, 16)>>>(x, n);  // expect: R05 S1
}

void by_function(float* x, int64_t n, void** args) {
  cudaLaunchKernel((void*)scale, dim3((n + 255) / 256), dim3(256), args, 0, 0);  // expect: R05 S0
}

void constant_overflow(float* x) {
  scale<<<1 << 22, 1024 * 2>>>(x, 0);  // expect: R05 S0
}

#define LAUNCH(n) scale<<<((int64_t)(n) + 255) / 256, 256>>>(nullptr, n)  // expect: R05 S0

// Not these: 32-bit counts of single elements, caps, constants.
void harmless(float* x, int n, int64_t m) {
  scale<<<(n + 255) / 256, 256>>>(x, n);
  scale<<<std::min<int64_t>((m + 255) / 256, 65535), 256>>>(x, m);
  int64_t blocks = (m + 255) / 256;
  if (blocks > 1048576) blocks = 1048576;
  scale<<<blocks, 256>>>(x, m);
  const size_t fixed = 1 << 20;
  scale<<<(fixed + 255) / 256, 256>>>(x, fixed);
}
