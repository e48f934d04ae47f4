// SPDX-License-Identifier: Apache-2.0
// Jacobi iterations in one cooperative launch: the grid meets after each sweep.
#include <cooperative_groups.h>

#include <cmath>
#include <cstdio>
#include <vector>

namespace cg = cooperative_groups;

__global__ void jacobi(float* a, float* b, int n, int sweeps) {
  cg::grid_group grid = cg::this_grid();
  for (int s = 0; s < sweeps; ++s) {
    const float* from = s % 2 == 0 ? a : b;
    float* to = s % 2 == 0 ? b : a;
    for (int i = grid.thread_rank(); i < n; i += grid.size()) {
      to[i] = i == 0 || i == n - 1 ? from[i] : 0.5f * (from[i - 1] + from[i + 1]);
    }
    grid.sync();
  }
}

int main() {
  int n = 500, sweeps = 8;
  std::vector<float> x(n, 0.0f), y(n), next(n);
  x[0] = 1.0f;
  x[n / 2] = 10.0f;
  float *a, *b;
  cudaMalloc(&a, n * sizeof(float));
  cudaMalloc(&b, n * sizeof(float));
  cudaMemcpy(a, x.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  int device = 0, supported = 0, per_sm = 0;
  cudaDeviceGetAttribute(&supported, cudaDevAttrCooperativeLaunch, device);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, jacobi, 128, 0);
  if (!supported || per_sm < 1) return 2;
  void* args[] = {&a, &b, &n, &sweeps};
  cudaLaunchCooperativeKernel((void*)jacobi, dim3(3), dim3(128), args, 0, 0);
  cudaMemcpy(y.data(), a, n * sizeof(float), cudaMemcpyDeviceToHost);
  for (int s = 0; s < sweeps; ++s) {
    next = x;
    for (int i = 1; i < n - 1; ++i) next[i] = 0.5f * (x[i - 1] + x[i + 1]);
    x.swap(next);
  }
  int bad = 0;
  for (int i = 0; i < n; ++i) bad += x[i] != y[i];
  std::printf("jacobi: %d wrong\n", bad);
  return bad != 0;
}
