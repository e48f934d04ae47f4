// SPDX-License-Identifier: Apache-2.0
// Kernels that each lean on one resource, at sizes that matter. The model was made with their times
// in view.
#include "timed.h"

__global__ void empty_kernel() {}

__global__ void saxpy(int n, float a, const float* x, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}

__global__ void copy_float4(int n, const float4* in, float4* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i];
}

__global__ void strided_read(int n, int stride, const float* in, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[static_cast<size_t>(i) * stride];
}

__global__ void random_gather(int n, const int* ids, const float* in, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[ids[i]];
}

// A block of 64 threads a bag: rows of 64 floats.
__global__ void embedding_bag(int rows_per_bag, const int* ids, const float* table, float* out) {
  float sum = 0;
  for (int r = 0; r < rows_per_bag; ++r) {
    const int id = ids[blockIdx.x * rows_per_bag + r];
    sum += table[static_cast<size_t>(id) * 64 + threadIdx.x];
  }
  out[blockIdx.x * 64 + threadIdx.x] = sum;
}

__global__ void reduce_blocks(int n, const float* in, float* out) {
  __shared__ float partial[256];
  float sum = 0;
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) sum += in[i];
  partial[threadIdx.x] = sum;
  __syncthreads();
  for (int s = 128; s > 0; s >>= 1) {
    if (threadIdx.x < s) partial[threadIdx.x] += partial[threadIdx.x + s];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = partial[0];
}

__global__ void shuffle_heavy(const float* in, float* out, int rounds) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = in[i];
  for (int r = 0; r < rounds; ++r) {
    for (int d = 16; d > 0; d >>= 1) v += __shfl_xor_sync(0xffffffffu, v, d);
    v *= 0.03125f;
  }
  out[i] = v;
}

__global__ void histogram_shared(int n, const int* keys, unsigned* counts) {
  __shared__ unsigned bins[256];
  bins[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) {
    atomicAdd(&bins[keys[i] & 255], 1u);
  }
  __syncthreads();
  atomicAdd(&counts[threadIdx.x], bins[threadIdx.x]);
}

__global__ void one_counter(int n, const int* keys, unsigned* count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && keys[i] % 3 == 0) atomicAdd(count, 1u);
}

__global__ void scatter_add(int n, const int* ids, const float* in, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&out[ids[i]], in[i]);
}

__global__ void transpose_naive(int n, const float* in, float* out) {
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  out[x * n + y] = in[y * n + x];
}

template <int kPad>
__global__ void transpose_tiled(int n, const float* in, float* out) {
  __shared__ float tile[32][32 + kPad];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}

__global__ void gemm_naive(int n, const float* a, const float* b, float* c) {
  const int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + col];
  c[row * n + col] = sum;
}

__global__ void gemm_tiled(int n, const float* a, const float* b, float* c) {
  __shared__ float as[16][16], bs[16][16];
  const int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
  float sum = 0;
  for (int t = 0; t < n; t += 16) {
    as[threadIdx.y][threadIdx.x] = a[row * n + t + threadIdx.x];
    bs[threadIdx.y][threadIdx.x] = b[(t + threadIdx.y) * n + col];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 16; ++k) sum += as[threadIdx.y][k] * bs[k][threadIdx.x];
    __syncthreads();
  }
  c[row * n + col] = sum;
}

// A block a row of 1,024.
__global__ void softmax_row(const float* in, float* out) {
  __shared__ float partial[8];
  const float* row = in + static_cast<size_t>(blockIdx.x) * 1024;
  float v[4], largest = -1e30f;
  for (int i = 0; i < 4; ++i) {
    v[i] = row[i * 256 + threadIdx.x];
    largest = fmaxf(largest, v[i]);
  }
  for (int d = 16; d > 0; d >>= 1) largest = fmaxf(largest, __shfl_xor_sync(~0u, largest, d));
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = largest;
  __syncthreads();
  for (int i = 0; i < 8; ++i) largest = fmaxf(largest, partial[i]);
  __syncthreads();
  float sum = 0;
  for (int i = 0; i < 4; ++i) sum += v[i] = __expf(v[i] - largest);
  for (int d = 16; d > 0; d >>= 1) sum += __shfl_xor_sync(~0u, sum, d);
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = sum;
  __syncthreads();
  sum = 0;
  for (int i = 0; i < 8; ++i) sum += partial[i];
  for (int i = 0; i < 4; ++i) {
    out[static_cast<size_t>(blockIdx.x) * 1024 + i * 256 + threadIdx.x] = v[i] / sum;
  }
}

__global__ void multiply_adds(const float* in, float* out, int rounds) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float a = in[i], b = a + 1, c = a + 2, d = a + 3;
  for (int r = 0; r < rounds; ++r) {
    a = a * 0.999f + 0.5f;
    b = b * 0.998f + 0.25f;
    c = c * 0.997f + 0.125f;
    d = d * 0.996f + 0.0625f;
  }
  out[i] = a + b + c + d;
}

__global__ void doubles(const float* in, float* out, int rounds) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  double a = in[i], b = a + 1;
  for (int r = 0; r < rounds; ++r) {
    a = a * 0.999 + 0.5;
    b = b * 0.998 + 0.25;
  }
  out[i] = static_cast<float>(a + b);
}

__global__ void hashes(unsigned* out, int rounds) {
  unsigned h = blockIdx.x * blockDim.x + threadIdx.x;
  for (int r = 0; r < rounds; ++r) {
    h ^= h >> 16;
    h *= 0x85ebca6bu;
    h ^= h >> 13;
    h *= 0xc2b2ae35u;
    h ^= h >> 15;
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = h;
}

__global__ void exponentials(const float* in, float* out, int rounds) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = in[i];
  for (int r = 0; r < rounds; ++r) v = __expf(-v);
  out[i] = v;
}

__global__ void conflicts(float* out, int stride, int rounds) {
  __shared__ float cells[32 * 32];
  for (int i = threadIdx.x; i < 1024; i += 256) cells[i] = static_cast<float>(i);
  __syncthreads();
  float sum = 0;
  int at = threadIdx.x * stride;
  for (int r = 0; r < rounds; ++r) {
    sum += cells[at & 1023];
    at += 1;
  }
  out[blockIdx.x * 256 + threadIdx.x] = sum;
}

__global__ void stencil_2d(int width, int height, const float* in, float* out) {
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1) return;
  const int at = y * width + x;
  out[at] = 0.2f * (in[at] + in[at - 1] + in[at + 1] + in[at - width] + in[at + width]);
}

__global__ void divergent(const int* keys, float* out, int rounds) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int times = keys[i] % rounds;
  float v = static_cast<float>(i);
  for (int r = 0; r < times; ++r) v = v * 0.999f + 0.5f;
  out[i] = v;
}

int main() {
  const int n = 1 << 22;
  float* x = device_floats(n * 2);
  float* y = device_floats(n * 2);
  int* ids = device_ids(n, n);
  int* rows = device_ids(4096 * 20, n * 2 / 64);
  unsigned* counts = nullptr;
  CHECK(cudaMalloc(&counts, n * sizeof(unsigned)));
  CHECK(cudaMemset(counts, 0, n * sizeof(unsigned)));
  timed("empty_kernel", [&] { empty_kernel<<<1, 32>>>(); });
  timed("saxpy", [&] { saxpy<<<n / 256, 256>>>(n, 2.0f, x, y); });
  timed("copy_float4", [&] {
    copy_float4<<<n * 2 / 1024, 256>>>(n / 2, reinterpret_cast<float4*>(x), reinterpret_cast<float4*>(y));
  });
  timed("strided_read", [&] { strided_read<<<n / 8 / 256, 256>>>(n / 8, 16, x, y); });
  timed("random_gather", [&] { random_gather<<<n / 4 / 256, 256>>>(n / 4, ids, x, y); });
  timed("embedding_bag", [&] { embedding_bag<<<4096, 64>>>(20, rows, x, y); });
  timed("reduce_blocks", [&] { reduce_blocks<<<528, 256>>>(n * 2, x, y); });
  timed("shuffle_heavy", [&] { shuffle_heavy<<<1056, 256>>>(x, y, 40); });
  timed("histogram_shared", [&] { histogram_shared<<<528, 256>>>(n, ids, counts); });
  timed("one_counter", [&] { one_counter<<<n / 4 / 256, 256>>>(n / 4, ids, counts); });
  timed("scatter_add", [&] { scatter_add<<<n / 4 / 256, 256>>>(n / 4, ids, x, y); });
  timed("transpose_naive", [&] { transpose_naive<<<dim3(32, 128), dim3(32, 8)>>>(1024, x, y); });
  timed("transpose_tiled<0>", [&] { transpose_tiled<0><<<dim3(64, 64), dim3(32, 8)>>>(2048, x, y); });
  timed("transpose_tiled<1>", [&] { transpose_tiled<1><<<dim3(64, 64), dim3(32, 8)>>>(2048, x, y); });
  timed("gemm_naive", [&] { gemm_naive<<<dim3(32, 32), dim3(16, 16)>>>(512, x, x + 262144, y); });
  timed("gemm_tiled", [&] { gemm_tiled<<<dim3(32, 32), dim3(16, 16)>>>(512, x, x + 262144, y); });
  timed("softmax_row", [&] { softmax_row<<<8192, 256>>>(x, y); });
  timed("multiply_adds", [&] { multiply_adds<<<1056, 256>>>(x, y, 256); });
  timed("doubles", [&] { doubles<<<1056, 256>>>(x, y, 256); });
  timed("hashes", [&] { hashes<<<1056, 256>>>(counts, 128); });
  timed("exponentials", [&] { exponentials<<<1056, 256>>>(x, y, 256); });
  timed("conflicts", [&] { conflicts<<<1056, 256>>>(y, 32, 64); });
  timed("stencil_2d", [&] { stencil_2d<<<dim3(64, 256), dim3(32, 8)>>>(2048, 2048, x, y); });
  timed("divergent", [&] { divergent<<<1056, 256>>>(ids, y, 512); });
  return 0;
}
