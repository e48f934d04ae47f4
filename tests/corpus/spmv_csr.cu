// SPDX-License-Identifier: Apache-2.0
// Sparse matrix times vector, CSR: one thread per row, and one warp per row.
#include <cmath>
#include <cstdio>
#include <vector>

__global__ void spmv_scalar(int rows, const int* ptr, const int* col, const float* val,
                            const float* x, float* y) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows) {
    float sum = 0;
    for (int j = ptr[row]; j < ptr[row + 1]; j++) sum += val[j] * x[col[j]];
    y[row] = sum;
  }
}

__global__ void spmv_vector(int rows, const int* ptr, const int* col, const float* val,
                            const float* x, float* y) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = thread / 32, lane = thread % 32;
  if (row >= rows) return;
  float sum = 0;
  for (int j = ptr[row] + lane; j < ptr[row + 1]; j += 32) sum += val[j] * x[col[j]];
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffff, sum, offset);
  if (lane == 0) y[row] = sum;
}

int main() {
  const int rows = 203, cols = 150;
  std::vector<int> ptr{0}, col;
  std::vector<float> val, x(cols), y1(rows), y2(rows);
  for (int r = 0; r < rows; ++r) {
    for (int k = 0; k < (r * 7) % 90; ++k) {
      col.push_back((r * 31 + k * 17) % cols);
      val.push_back(0.01f * ((r + k) % 19) - 0.05f);
    }
    ptr.push_back((int)col.size());
  }
  for (int c = 0; c < cols; ++c) x[c] = std::sin((float)c);
  int *d_ptr, *d_col;
  float *d_val, *d_x, *d_y;
  cudaMalloc(&d_ptr, ptr.size() * sizeof(int));
  cudaMalloc(&d_col, col.size() * sizeof(int));
  cudaMalloc(&d_val, val.size() * sizeof(float));
  cudaMalloc(&d_x, cols * sizeof(float));
  cudaMalloc(&d_y, rows * sizeof(float));
  cudaMemcpy(d_ptr, ptr.data(), ptr.size() * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpy(d_col, col.data(), col.size() * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpy(d_val, val.data(), val.size() * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(d_x, x.data(), cols * sizeof(float), cudaMemcpyHostToDevice);
  spmv_scalar<<<(rows + 63) / 64, 64>>>(rows, d_ptr, d_col, d_val, d_x, d_y);
  cudaMemcpy(y1.data(), d_y, rows * sizeof(float), cudaMemcpyDeviceToHost);
  const int block = 128;
  spmv_vector<<<(rows * 32 + block - 1) / block, block>>>(rows, d_ptr, d_col, d_val, d_x, d_y);
  cudaMemcpy(y2.data(), d_y, rows * sizeof(float), cudaMemcpyDeviceToHost);
  int bad = 0;
  for (int r = 0; r < rows; ++r) {
    double want = 0;
    for (int j = ptr[r]; j < ptr[r + 1]; ++j) want += (double)val[j] * x[col[j]];
    bad += std::fabs(want - y1[r]) > 1e-4 || std::fabs(want - y2[r]) > 1e-4;
  }
  std::printf("spmv: %d rows wrong\n", bad);
  return bad != 0;
}
