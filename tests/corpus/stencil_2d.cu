// SPDX-License-Identifier: Apache-2.0
// Heat equation, five points, several steps with swapped buffers.
#include <cmath>
#include <cstdio>
#include <utility>
#include <vector>

__global__ void step(const float* __restrict__ u, float* __restrict__ v, int nx, int ny, float c) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= nx || y >= ny) return;
  const int i = y * nx + x;
  if (x == 0 || y == 0 || x == nx - 1 || y == ny - 1) {
    v[i] = u[i];
  } else {
    v[i] = u[i] + c * (u[i - 1] + u[i + 1] + u[i - nx] + u[i + nx] - 4.0f * u[i]);
  }
}

int main() {
  const int nx = 70, ny = 45, steps = 6;
  std::vector<float> host(nx * ny), want, next(nx * ny);
  for (int i = 0; i < nx * ny; ++i) host[i] = (i % nx == 30 && i / nx > 10) ? 100.0f : 1.0f;
  want = host;
  float *a, *b;
  cudaMalloc(&a, host.size() * sizeof(float));
  cudaMalloc(&b, host.size() * sizeof(float));
  cudaMemcpy(a, host.data(), host.size() * sizeof(float), cudaMemcpyHostToDevice);
  const dim3 block(16, 16);
  const dim3 grid((nx + block.x - 1) / block.x, (ny + block.y - 1) / block.y);
  for (int s = 0; s < steps; ++s) {
    step<<<grid, block>>>(a, b, nx, ny, 0.2f);
    std::swap(a, b);
  }
  cudaMemcpy(host.data(), a, host.size() * sizeof(float), cudaMemcpyDeviceToHost);
  for (int s = 0; s < steps; ++s) {
    next = want;
    for (int y = 1; y < ny - 1; ++y) {
      for (int x = 1; x < nx - 1; ++x) {
        const int i = y * nx + x;
        next[i] = want[i] + 0.2f * (want[i - 1] + want[i + 1] + want[i - nx] + want[i + nx] - 4 * want[i]);
      }
    }
    want.swap(next);
  }
  double worst = 0;
  for (int i = 0; i < nx * ny; ++i) worst = std::fmax(worst, std::fabs(want[i] - host[i]));
  std::printf("heat: worst error %g\n", worst);
  return worst > 1e-3;
}
