// SPDX-License-Identifier: Apache-2.0
// All-pairs gravity with tiles of bodies in shared memory.
#include <cmath>
#include <cstdio>
#include <vector>

#define TILE 64
#define SOFTENING 1e-2f

__device__ float3 interact(float3 acc, float4 me, float4 other) {
  const float dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
  const float d2 = dx * dx + dy * dy + dz * dz + SOFTENING;
  const float inv = rsqrtf(d2);
  const float s = other.w * inv * inv * inv;
  acc.x += dx * s;
  acc.y += dy * s;
  acc.z += dz * s;
  return acc;
}

__global__ void forces(const float4* bodies, float3* acc, int n) {
  __shared__ float4 tile[TILE];
  const int i = blockIdx.x * TILE + threadIdx.x;
  const float4 me = i < n ? bodies[i] : make_float4(0, 0, 0, 0);
  float3 a = make_float3(0, 0, 0);
  for (int base = 0; base < n; base += TILE) {
    const int j = base + threadIdx.x;
    tile[threadIdx.x] = j < n ? bodies[j] : make_float4(0, 0, 0, 0);
    __syncthreads();
    for (int k = 0; k < TILE; ++k) a = interact(a, me, tile[k]);
    __syncthreads();
  }
  if (i < n) acc[i] = a;
}

int main() {
  const int n = 150;
  std::vector<float4> bodies(n);
  std::vector<float3> acc(n);
  for (int i = 0; i < n; ++i) {
    bodies[i] = make_float4(std::sin(i * 1.1f), std::cos(i * 0.7f), std::sin(i * 0.3f), 1.0f / n);
  }
  float4* d_bodies;
  float3* d_acc;
  cudaMalloc(&d_bodies, n * sizeof(float4));
  cudaMalloc(&d_acc, n * sizeof(float3));
  cudaMemcpy(d_bodies, bodies.data(), n * sizeof(float4), cudaMemcpyHostToDevice);
  forces<<<(n + TILE - 1) / TILE, TILE>>>(d_bodies, d_acc, n);
  cudaMemcpy(acc.data(), d_acc, n * sizeof(float3), cudaMemcpyDeviceToHost);
  double worst = 0;
  for (int i = 0; i < n; ++i) {
    double x = 0;
    for (int j = 0; j < n; ++j) {
      const double dx = bodies[j].x - bodies[i].x, dy = bodies[j].y - bodies[i].y, dz = bodies[j].z - bodies[i].z;
      x += dx * bodies[j].w / std::pow(dx * dx + dy * dy + dz * dz + 1e-2, 1.5);
    }
    worst = std::fmax(worst, std::fabs(x - acc[i].x));
  }
  std::printf("n-body: worst error %g\n", worst);
  return worst > 1e-3;
}
