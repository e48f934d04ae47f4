// SPDX-License-Identifier: Apache-2.0
// Kernels as recommenders and others have them, at sizes that matter. The model was corrected once
// with their times in view.
#include <cuda_fp16.h>

#include "timed.h"

// A warp a row of 256.
__global__ void layer_norm(int rows, const float* in, const float* scale, const float* shift,
                           float* out) {
  const int row = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  float v[8], sum = 0, squares = 0;
  for (int i = 0; i < 8; ++i) {
    v[i] = in[static_cast<size_t>(row) * 256 + i * 32 + lane];
    sum += v[i];
    squares += v[i] * v[i];
  }
  for (int d = 16; d > 0; d >>= 1) {
    sum += __shfl_xor_sync(~0u, sum, d);
    squares += __shfl_xor_sync(~0u, squares, d);
  }
  const float mean = sum / 256, inverse = rsqrtf(squares / 256 - mean * mean + 1e-5f);
  for (int i = 0; i < 8; ++i) {
    const int at = i * 32 + lane;
    out[static_cast<size_t>(row) * 256 + at] = (v[i] - mean) * inverse * scale[at] + shift[at];
  }
}

// A warp a bag, rows of 128 floats as float4.
__global__ void bag_of_float4(int bags, const int* offsets, const int* ids, const float4* table,
                              float4* out) {
  const int bag = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (bag >= bags) return;
  float4 sum = make_float4(0, 0, 0, 0);
  for (int i = offsets[bag]; i < offsets[bag + 1]; ++i) {
    const float4 row = table[static_cast<size_t>(ids[i]) * 32 + lane];
    sum.x += row.x;
    sum.y += row.y;
    sum.z += row.z;
    sum.w += row.w;
  }
  out[static_cast<size_t>(bag) * 32 + lane] = sum;
}

__global__ void sparse_sgd(int updates, float rate, const int* ids, const float* gradients,
                           float* table) {
  const int update = blockIdx.x * 4 + threadIdx.y;
  if (update >= updates) return;
  const int column = threadIdx.x;
  atomicAdd(&table[static_cast<size_t>(ids[update]) * 64 + column],
            -rate * gradients[static_cast<size_t>(update) * 64 + column]);
}

// All products of 27 vectors of 64, a block a sample.
__global__ void dot_interaction(const float* in, float* out) {
  __shared__ float rows[27][65];
  const float* sample = in + static_cast<size_t>(blockIdx.x) * 27 * 64;
  for (int i = threadIdx.x; i < 27 * 64; i += blockDim.x) rows[i / 64][i % 64] = sample[i];
  __syncthreads();
  for (int pair = threadIdx.x; pair < 351; pair += blockDim.x) {
    int a = 1, b = pair;
    while (b >= a) b -= a++;
    float sum = 0;
    for (int k = 0; k < 64; ++k) sum += rows[a][k] * rows[b][k];
    out[static_cast<size_t>(blockIdx.x) * 351 + pair] = sum;
  }
}

__global__ void spmv(int rows, const int* offsets, const int* columns, const float* values,
                     const float* x, float* y) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0;
  for (int i = offsets[row]; i < offsets[row + 1]; ++i) sum += values[i] * x[columns[i]];
  y[row] = sum;
}

__global__ void block_scan(const int* in, int* out) {
  __shared__ int cells[2][512];
  const int i = blockIdx.x * 512 + threadIdx.x;
  int now = 0;
  cells[0][threadIdx.x] = in[i];
  __syncthreads();
  for (int d = 1; d < 512; d *= 2) {
    int v = cells[now][threadIdx.x];
    if (threadIdx.x >= d) v += cells[now][threadIdx.x - d];
    now = 1 - now;
    cells[now][threadIdx.x] = v;
    __syncthreads();
  }
  out[i] = cells[now][threadIdx.x];
}

// 64x64 of c a block, 4x4 a thread.
__global__ void gemm_registers(int n, const float* a, const float* b, float* c) {
  __shared__ float as[16][68], bs[16][64];
  const int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
  const int row0 = blockIdx.y * 64, col0 = blockIdx.x * 64;
  float sum[4][4] = {};
  for (int t = 0; t < n; t += 16) {
    for (int i = threadIdx.x; i < 1024; i += 256) {
      as[i % 16][i / 16] = a[(row0 + i / 16) * n + t + i % 16];
      bs[i / 64][i % 64] = b[(t + i / 64) * n + col0 + i % 64];
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 16; ++k) {
      float x[4], y[4];
      for (int i = 0; i < 4; ++i) x[i] = as[k][ty * 4 + i];
      for (int j = 0; j < 4; ++j) y[j] = bs[k][tx * 4 + j];
      for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < 4; ++j) sum[i][j] += x[i] * y[j];
      }
    }
    __syncthreads();
  }
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j) c[(row0 + ty * 4 + i) * n + col0 + tx * 4 + j] = sum[i][j];
  }
}

__global__ void n_body(int n, const float4* bodies, float4* forces) {
  __shared__ float4 tile[128];
  const int i = blockIdx.x * 128 + threadIdx.x;
  const float4 me = bodies[i];
  float fx = 0, fy = 0, fz = 0;
  for (int t = 0; t < n; t += 128) {
    tile[threadIdx.x] = bodies[t + threadIdx.x];
    __syncthreads();
    for (int j = 0; j < 128; ++j) {
      const float dx = tile[j].x - me.x, dy = tile[j].y - me.y, dz = tile[j].z - me.z;
      const float r = rsqrtf(dx * dx + dy * dy + dz * dz + 1e-3f);
      const float f = tile[j].w * r * r * r;
      fx += dx * f;
      fy += dy * f;
      fz += dz * f;
    }
    __syncthreads();
  }
  forces[i] = make_float4(fx, fy, fz, 0);
}

// A block a row of 512: its largest magnitude, then bytes.
__global__ void quantise_rows(const float* in, signed char* out, float* scales) {
  __shared__ float largest[4];
  const size_t row = static_cast<size_t>(blockIdx.x) * 512;
  float v[4], most = 0;
  for (int i = 0; i < 4; ++i) {
    v[i] = in[row + i * 128 + threadIdx.x];
    most = fmaxf(most, fabsf(v[i]));
  }
  for (int d = 16; d > 0; d >>= 1) most = fmaxf(most, __shfl_down_sync(~0u, most, d));
  if (threadIdx.x % 32 == 0) largest[threadIdx.x / 32] = most;
  __syncthreads();
  most = fmaxf(fmaxf(largest[0], largest[1]), fmaxf(largest[2], largest[3]));
  const float scale = most / 127;
  for (int i = 0; i < 4; ++i) {
    out[row + i * 128 + threadIdx.x] = static_cast<signed char>(rintf(v[i] / scale));
  }
  if (threadIdx.x == 0) scales[blockIdx.x] = scale;
}

__global__ void gelu_half2(int n, const __half2* in, __half2* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float2 v = __half22float2(in[i]);
  const float a = 0.5f * v.x * (1 + tanhf(0.79788456f * (v.x + 0.044715f * v.x * v.x * v.x)));
  const float b = 0.5f * v.y * (1 + tanhf(0.79788456f * (v.y + 0.044715f * v.y * v.y * v.y)));
  out[i] = __floats2half2_rn(a, b);
}

// Each thread follows its own chain.
__global__ void pointer_chase(int steps, const int* next, int* out) {
  int at = blockIdx.x * blockDim.x + threadIdx.x;
  for (int s = 0; s < steps; ++s) at = next[at];
  out[blockIdx.x * blockDim.x + threadIdx.x] = at;
}

__global__ void compact(int n, const int* keys, int limit, int* count, int* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  const bool keep = i < n && keys[i] < limit;
  const unsigned kept = __ballot_sync(~0u, keep);
  int base = 0;
  if (lane == 0) base = atomicAdd(count, __popc(kept));
  base = __shfl_sync(~0u, base, 0);
  if (keep) out[base + __popc(kept & ((1u << lane) - 1))] = i;
}

__global__ void adam(int n, float rate, const float* gradient, float* weight, float* mean,
                     float* square) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float g = gradient[i];
  const float m = mean[i] = 0.9f * mean[i] + 0.1f * g;
  const float v = square[i] = 0.999f * square[i] + 0.001f * g * g;
  weight[i] -= rate * m / (sqrtf(v) + 1e-8f);
}

__global__ void column_sums(int rows, int columns, const float* in, float* out) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int r = 0; r < rows; ++r) sum += in[static_cast<size_t>(r) * columns + column];
  out[column] = sum;
}

__global__ void sort_in_block(const int* in, int* out) {
  __shared__ int cells[256];
  const int i = threadIdx.x;
  cells[i] = in[blockIdx.x * 256 + i];
  __syncthreads();
  for (int size = 2; size <= 256; size *= 2) {
    for (int d = size / 2; d > 0; d /= 2) {
      const int other = i ^ d;
      if (other > i) {
        const bool up = (i & size) == 0;
        const int a = cells[i], b = cells[other];
        if ((a > b) == up) {
          cells[i] = b;
          cells[other] = a;
        }
      }
      __syncthreads();
    }
  }
  out[blockIdx.x * 256 + i] = cells[i];
}

__constant__ float taps[17];

__global__ void convolve_row(int width, const float* in, float* out) {
  __shared__ float cells[256 + 16];
  const int x = blockIdx.x * 256 + threadIdx.x;
  const float* row = in + static_cast<size_t>(blockIdx.y) * width;
  for (int i = threadIdx.x; i < 272; i += 256) {
    const int at = static_cast<int>(blockIdx.x) * 256 + i - 8;
    cells[i] = at >= 0 && at < width ? row[at] : 0.0f;
  }
  __syncthreads();
  float sum = 0;
  for (int t = 0; t < 17; ++t) sum += cells[threadIdx.x + t] * taps[t];
  out[static_cast<size_t>(blockIdx.y) * width + x] = sum;
}

int main() {
  const int n = 1 << 22;
  float* x = device_floats(n * 2);
  float* y = device_floats(n * 2);
  float* z = device_floats(n);
  int* ids = device_ids(n, n);
  int* rows = device_ids(n, 65536);
  int* out = device_ids(n, 2);
  std::vector<int> starts(65537);
  for (int i = 0; i < 65537; ++i) starts[i] = i * 16;
  int* offsets = device_copy(starts);
  float tap[17];
  for (int i = 0; i < 17; ++i) tap[i] = 1.0f / 17;
  CHECK(cudaMemcpyToSymbol(taps, tap, sizeof(tap)));
  timed("layer_norm", [&] { layer_norm<<<2048, 256>>>(16384, x, z, z + 256, y); });
  timed("bag_of_float4", [&] {
    bag_of_float4<<<512, 256>>>(4096, offsets, rows, reinterpret_cast<float4*>(x),
                                reinterpret_cast<float4*>(y));
  });
  timed("sparse_sgd", [&] { sparse_sgd<<<8192, dim3(64, 4)>>>(32768, 0.1f, rows, x, y); });
  timed("dot_interaction", [&] { dot_interaction<<<2048, 128>>>(x, y); });
  timed("spmv", [&] { spmv<<<256, 256>>>(65536, offsets, ids, x, y, z); });
  timed("block_scan", [&] { block_scan<<<4096, 512>>>(ids, out); });
  timed("gemm_registers", [&] { gemm_registers<<<dim3(16, 16), 256>>>(1024, x, y, z); });
  timed("n_body", [&] {
    n_body<<<64, 128>>>(8192, reinterpret_cast<float4*>(x), reinterpret_cast<float4*>(y));
  });
  timed("quantise_rows", [&] { quantise_rows<<<8192, 128>>>(x, reinterpret_cast<signed char*>(y), z); });
  timed("gelu_half2", [&] {
    gelu_half2<<<n / 256, 256>>>(n, reinterpret_cast<__half2*>(x), reinterpret_cast<__half2*>(y));
  });
  timed("pointer_chase", [&] { pointer_chase<<<264, 128>>>(64, ids, out); });
  CHECK(cudaMemset(out, 0, 4));
  timed("compact", [&] {
    compact<<<n / 256, 256>>>(n, ids, n / 64, out, reinterpret_cast<int*>(y));
  });
  timed("adam", [&] { adam<<<n / 256, 256>>>(n, 0.001f, x, y, z, x + n); });
  timed("column_sums", [&] { column_sums<<<32, 128>>>(2048, 4096, x, y); });
  timed("sort_in_block", [&] { sort_in_block<<<4096, 256>>>(ids, out); });
  timed("convolve_row", [&] { convolve_row<<<dim3(8, 1024), 256>>>(2048, x, y); });
  return 0;
}
