// SPDX-License-Identifier: Apache-2.0
// Cross entropy of logits: online softmax in a block, loss and gradient.
#include <cfloat>
#include <cmath>
#include <cstdio>
#include <vector>

struct __align__(8) MD {
  float m, d;
};

__device__ __forceinline__ MD combine(MD a, MD b) {
  const bool bigger = a.m > b.m;
  const MD hi = bigger ? a : b, lo = bigger ? b : a;
  MD r;
  r.d = hi.d + lo.d * __expf(lo.m - hi.m);
  r.m = hi.m;
  return r;
}

template <int THREADS>
__global__ void __launch_bounds__(THREADS)
    cross_entropy(const float* logits, const int* target, float* loss, float* grad, int classes) {
  __shared__ MD shared[THREADS];
  const float* row = logits + (size_t)blockIdx.x * classes;
  MD local{-FLT_MAX, 0.0f};
  for (int c = threadIdx.x; c < classes; c += THREADS) local = combine(local, MD{row[c], 1.0f});
  shared[threadIdx.x] = local;
  __syncthreads();
#pragma unroll
  for (int s = THREADS / 2; s > 0; s /= 2) {
    if (threadIdx.x < s) shared[threadIdx.x] = combine(shared[threadIdx.x], shared[threadIdx.x + s]);
    __syncthreads();
  }
  const MD total = shared[0];
  const int t = target[blockIdx.x];
  for (int c = threadIdx.x; c < classes; c += THREADS) {
    const float p = __expf(row[c] - total.m) / total.d;
    grad[(size_t)blockIdx.x * classes + c] = p - (c == t ? 1.0f : 0.0f);
  }
  if (threadIdx.x == 0) loss[blockIdx.x] = logf(total.d) + total.m - row[t];
}

int main() {
  const int rows = 11, classes = 130;
  std::vector<float> logits(rows * classes), loss(rows), grad(rows * classes);
  std::vector<int> target(rows);
  for (int i = 0; i < rows * classes; ++i) logits[i] = std::sin(i * 0.9f) * 8;
  for (int r = 0; r < rows; ++r) target[r] = (r * 37) % classes;
  float *d_logits, *d_loss, *d_grad;
  int* d_target;
  cudaMalloc(&d_logits, logits.size() * sizeof(float));
  cudaMalloc(&d_grad, logits.size() * sizeof(float));
  cudaMalloc(&d_loss, rows * sizeof(float));
  cudaMalloc(&d_target, rows * sizeof(int));
  cudaMemcpy(d_logits, logits.data(), logits.size() * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(d_target, target.data(), rows * sizeof(int), cudaMemcpyHostToDevice);
  cross_entropy<128><<<rows, 128>>>(d_logits, d_target, d_loss, d_grad, classes);
  cudaMemcpy(loss.data(), d_loss, rows * sizeof(float), cudaMemcpyDeviceToHost);
  cudaMemcpy(grad.data(), d_grad, grad.size() * sizeof(float), cudaMemcpyDeviceToHost);
  double worst = 0;
  for (int r = 0; r < rows; ++r) {
    double sum = 0;
    for (int c = 0; c < classes; ++c) sum += std::exp((double)logits[r * classes + c]);
    worst = std::fmax(worst, std::fabs(std::log(sum) - logits[r * classes + target[r]] - loss[r]));
    for (int c = 0; c < classes; ++c) {
      const double want = std::exp((double)logits[r * classes + c]) / sum - (c == target[r]);
      worst = std::fmax(worst, std::fabs(want - grad[r * classes + c]));
    }
  }
  std::printf("cross entropy: worst error %g\n", worst);
  return worst > 1e-3;
}
