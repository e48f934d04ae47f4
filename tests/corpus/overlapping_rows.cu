// SPDX-License-Identifier: Apache-2.0
// Rows are scattered to places of their own. At other sizes than the program's they overlap, and
// what is left depends on which thread comes last: the original is no measure there.
#include <cstdio>
#include <vector>

__global__ void scatter_rows(const float* in, const int* to, float* out, int rows, int pitch) {
  const int row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= rows) return;
  for (int i = threadIdx.x; i < 24; i += blockDim.x) out[to[row] * pitch + i] = in[row * 24 + i];
}

int main() {
  const int rows = 90, pitch = 32;
  std::vector<float> in(rows * 24), out(rows * pitch);
  std::vector<int> to(rows);
  for (int r = 0; r < rows; ++r) to[r] = r * 7 % rows;
  for (int i = 0; i < rows * 24; ++i) in[i] = static_cast<float>(i);
  float *d_in, *d_out;
  int* d_to;
  cudaMalloc(&d_in, in.size() * sizeof(float));
  cudaMalloc(&d_out, out.size() * sizeof(float));
  cudaMalloc(&d_to, rows * sizeof(int));
  cudaMemcpy(d_in, in.data(), in.size() * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(d_to, to.data(), rows * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemset(d_out, 0, out.size() * sizeof(float));
  scatter_rows<<<(rows + 3) / 4, dim3(32, 4)>>>(d_in, d_to, d_out, rows, pitch);
  cudaMemcpy(out.data(), d_out, out.size() * sizeof(float), cudaMemcpyDeviceToHost);
  int num_wrong = 0;
  for (int r = 0; r < rows; ++r) {
    for (int i = 0; i < pitch; ++i) {
      num_wrong += out[to[r] * pitch + i] != (i < 24 ? in[r * 24 + i] : 0.0f);
    }
  }
  printf("%d wrong\n", num_wrong);
  return num_wrong != 0;
}
