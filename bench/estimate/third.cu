// SPDX-License-Identifier: Apache-2.0
// Kernels that were timed once the model was done, and for which nothing was changed.
#include "timed.h"

__global__ void relu_backward(int n, const float* out, const float* gradient, float* in_gradient) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    in_gradient[i] = out[i] > 0 ? gradient[i] : 0.0f;
  }
}

__global__ void matrix_vector(int columns, const float* matrix, const float* x, float* y) {
  const int row = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
  float sum = 0;
  for (int c = lane; c < columns; c += 32) {
    sum += matrix[static_cast<size_t>(row) * columns + c] * x[c];
  }
  for (int d = 16; d > 0; d >>= 1) sum += __shfl_down_sync(~0u, sum, d);
  if (lane == 0) y[row] = sum;
}

__global__ void batch_norm_statistics(int rows, int columns, const float* in, float* mean,
                                      float* variance) {
  __shared__ float sums[2][8][32];
  const int column = blockIdx.x * 32 + threadIdx.x;
  float sum = 0, squares = 0;
  for (int r = threadIdx.y; r < rows; r += 8) {
    const float v = in[static_cast<size_t>(r) * columns + column];
    sum += v;
    squares += v * v;
  }
  sums[0][threadIdx.y][threadIdx.x] = sum;
  sums[1][threadIdx.y][threadIdx.x] = squares;
  __syncthreads();
  if (threadIdx.y != 0) return;
  for (int k = 1; k < 8; ++k) {
    sum += sums[0][k][threadIdx.x];
    squares += sums[1][k][threadIdx.x];
  }
  mean[column] = sum / rows;
  variance[column] = squares / rows - (sum / rows) * (sum / rows);
}

__global__ void rotate_positions(int heads, const float2* in, const float* angles, float2* out) {
  const int position = blockIdx.x, pair = threadIdx.x;
  float sine, cosine;
  sincosf(angles[pair] * position, &sine, &cosine);
  for (int h = 0; h < heads; ++h) {
    const size_t at = (static_cast<size_t>(position) * heads + h) * 64 + pair;
    const float2 v = in[at];
    out[at] = make_float2(v.x * cosine - v.y * sine, v.x * sine + v.y * cosine);
  }
}

// The largest four of a row of 1,024, one at a time.
__global__ void top_four(const float* in, int* out) {
  __shared__ float values[256];
  __shared__ int places[256];
  const float* row = in + static_cast<size_t>(blockIdx.x) * 1024;
  float mine[4];
  for (int i = 0; i < 4; ++i) mine[i] = row[i * 256 + threadIdx.x];
  for (int k = 0; k < 4; ++k) {
    float best = mine[0];
    int place = threadIdx.x;
    for (int i = 1; i < 4; ++i) {
      if (mine[i] > best) {
        best = mine[i];
        place = i * 256 + threadIdx.x;
      }
    }
    values[threadIdx.x] = best;
    places[threadIdx.x] = place;
    __syncthreads();
    for (int s = 128; s > 0; s >>= 1) {
      if (threadIdx.x < s && values[threadIdx.x + s] > values[threadIdx.x]) {
        values[threadIdx.x] = values[threadIdx.x + s];
        places[threadIdx.x] = places[threadIdx.x + s];
      }
      __syncthreads();
    }
    const int winner = places[0];
    if (threadIdx.x == winner % 256) mine[winner / 256] = -1e30f;
    if (threadIdx.x == 0) out[blockIdx.x * 4 + k] = winner;
    __syncthreads();
  }
}

__global__ void mandelbrot(int width, int rounds, int* out) {
  const int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  const float cx = -2.0f + 3.0f * x / width, cy = -1.5f + 3.0f * y / width;
  float a = 0, b = 0;
  int r = 0;
  while (r < rounds && a * a + b * b < 4) {
    const float next = a * a - b * b + cx;
    b = 2 * a * b + cy;
    a = next;
    ++r;
  }
  out[y * width + x] = r;
}

__global__ void dropout(int n, unsigned seed, float keep, const float* in, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned a = i, b = seed;
  for (int r = 0; r < 10; ++r) {
    const unsigned high = __umulhi(a, 0xd2511f53u), low = a * 0xd2511f53u;
    a = high ^ b ^ (seed + r * 0x9e3779b9u);
    b = low;
  }
  out[i] = (a >> 8) * (1.0f / 16777216.0f) < keep ? in[i] / keep : 0.0f;
}

__global__ void hash_probe(int n, unsigned mask, const int* keys, const int* slots, int* found) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int key = keys[i];
  unsigned at = (key * 2654435761u) & mask;
  int probes = 0;
  while (probes < 8 && slots[at] != key) {
    at = (at + 1) & mask;
    ++probes;
  }
  found[i] = probes;
}

__global__ void segment_maximum(const int* offsets, const float* values, float* out) {
  __shared__ float partial[4];
  const int begin = offsets[blockIdx.x], end = offsets[blockIdx.x + 1];
  float best = -1e30f;
  for (int i = begin + threadIdx.x; i < end; i += 128) best = fmaxf(best, values[i]);
  for (int d = 16; d > 0; d >>= 1) best = fmaxf(best, __shfl_xor_sync(~0u, best, d));
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = best;
  __syncthreads();
  if (threadIdx.x == 0) {
    out[blockIdx.x] = fmaxf(fmaxf(partial[0], partial[1]), fmaxf(partial[2], partial[3]));
  }
}

__global__ void life(int width, const unsigned char* in, unsigned char* out) {
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  int alive = 0;
  for (int dy = -1; dy <= 1; ++dy) {
    for (int dx = -1; dx <= 1; ++dx) {
      if (dx == 0 && dy == 0) continue;
      alive += in[((y + dy) & (width - 1)) * width + ((x + dx) & (width - 1))];
    }
  }
  out[y * width + x] = alive == 3 || (alive == 2 && in[y * width + x]);
}

int main() {
  const int n = 1 << 22;
  float* x = device_floats(n * 2);
  float* y = device_floats(n * 2);
  int* ids = device_ids(n, n);
  int* out = device_ids(n, 2);
  std::vector<int> starts(4097);
  for (int i = 0; i < 4097; ++i) starts[i] = i * 1000 + i % 7;
  int* offsets = device_copy(starts);
  std::vector<unsigned char> cells(n);
  for (int i = 0; i < n; ++i) cells[i] = pseudo_random(static_cast<unsigned>(i)) < 0.3f;
  unsigned char* before = device_copy(cells);
  unsigned char* after = device_copy(cells);
  timed("relu_backward", [&] { relu_backward<<<1056, 256>>>(n, x, y, x + n); });
  timed("matrix_vector", [&] { matrix_vector<<<512, 256>>>(2048, x, y, y + n); });
  timed("batch_norm_statistics", [&] {
    batch_norm_statistics<<<64, dim3(32, 8)>>>(2048, 2048, x, y, y + 2048);
  });
  timed("rotate_positions", [&] {
    rotate_positions<<<4096, 64>>>(16, reinterpret_cast<float2*>(x), y, reinterpret_cast<float2*>(y));
  });
  timed("top_four", [&] { top_four<<<4096, 256>>>(x, out); });
  timed("mandelbrot", [&] { mandelbrot<<<dim3(32, 32), dim3(16, 16)>>>(512, 200, out); });
  timed("dropout", [&] { dropout<<<n / 256, 256>>>(n, 7, 0.9f, x, y); });
  timed("hash_probe", [&] { hash_probe<<<n / 8 / 256, 256>>>(n / 8, n - 1, ids, ids, out); });
  timed("segment_maximum", [&] { segment_maximum<<<4096, 128>>>(offsets, x, y); });
  timed("life", [&] { life<<<dim3(64, 256), dim3(32, 8)>>>(2048, before, after); });
  return 0;
}
