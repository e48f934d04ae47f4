// SPDX-License-Identifier: Apache-2.0
// Attention of one query per block over all keys: scores in dynamic shared memory.
#include <cfloat>
#include <cmath>
#include <cstdio>
#include <vector>

template <int D>
__global__ void attention(const float* q, const float* k, const float* v, float* out, int keys,
                          float scale) {
  extern __shared__ __align__(16) unsigned char raw[];
  float* query = reinterpret_cast<float*>(raw);
  float* score = query + D;
  __shared__ float red[64];
  const int tid = threadIdx.x, warp = tid >> 5, lane = tid & 31, warps = blockDim.x >> 5;
  for (int d = tid; d < D; d += blockDim.x) query[d] = q[blockIdx.x * D + d] * scale;
  __syncthreads();
  float biggest = -FLT_MAX;
  for (int j = warp; j < keys; j += warps) {
    float sum = 0;
    for (int d = lane; d < D; d += 32) sum += query[d] * k[j * D + d];
    for (int o = 16; o > 0; o >>= 1) sum += __shfl_xor_sync(0xffffffff, sum, o);
    if (lane == 0) score[j] = sum;
    biggest = fmaxf(biggest, sum);
  }
  if (lane == 0) red[warp] = biggest;
  __syncthreads();
  biggest = lane < warps ? red[lane] : -FLT_MAX;
  for (int o = 16; o > 0; o >>= 1) biggest = fmaxf(biggest, __shfl_xor_sync(0xffffffff, biggest, o));
  float total = 0;
  for (int j = tid; j < keys; j += blockDim.x) {
    score[j] = expf(score[j] - biggest);
    total += score[j];
  }
  for (int o = 16; o > 0; o >>= 1) total += __shfl_xor_sync(0xffffffff, total, o);
  if (lane == 0) red[32 + warp] = total;
  __syncthreads();
  total = lane < warps ? red[32 + lane] : 0.0f;
  for (int o = 16; o > 0; o >>= 1) total += __shfl_xor_sync(0xffffffff, total, o);
  for (int d = tid; d < D; d += blockDim.x) {
    float sum = 0;
    for (int j = 0; j < keys; ++j) sum += score[j] * v[j * D + d];
    out[blockIdx.x * D + d] = sum / total;
  }
}

int main() {
  constexpr int D = 40;
  const int queries = 5, keys = 70;
  std::vector<float> q(queries * D), k(keys * D), v(keys * D), out(queries * D);
  for (size_t i = 0; i < q.size(); ++i) q[i] = std::sin(i * 0.3f);
  for (size_t i = 0; i < k.size(); ++i) k[i] = std::cos(i * 0.17f), v[i] = std::sin(i * 0.05f + 1);
  float *d_q, *d_k, *d_v, *d_o;
  cudaMalloc(&d_q, q.size() * 4);
  cudaMalloc(&d_k, k.size() * 4);
  cudaMalloc(&d_v, v.size() * 4);
  cudaMalloc(&d_o, out.size() * 4);
  cudaMemcpy(d_q, q.data(), q.size() * 4, cudaMemcpyHostToDevice);
  cudaMemcpy(d_k, k.data(), k.size() * 4, cudaMemcpyHostToDevice);
  cudaMemcpy(d_v, v.data(), v.size() * 4, cudaMemcpyHostToDevice);
  attention<D><<<queries, 128, (D + keys) * sizeof(float)>>>(d_q, d_k, d_v, d_o, keys, 0.158f);
  cudaMemcpy(out.data(), d_o, out.size() * 4, cudaMemcpyDeviceToHost);
  double worst = 0;
  for (int i = 0; i < queries; ++i) {
    std::vector<double> s(keys);
    double total = 0;
    for (int j = 0; j < keys; ++j) {
      for (int d = 0; d < D; ++d) s[j] += 0.158 * q[i * D + d] * k[j * D + d];
      total += s[j] = std::exp(s[j]);
    }
    for (int d = 0; d < D; ++d) {
      double want = 0;
      for (int j = 0; j < keys; ++j) want += s[j] / total * v[j * D + d];
      worst = std::fmax(worst, std::fabs(want - out[i * D + d]));
    }
  }
  std::printf("attention: worst error %g\n", worst);
  return worst > 1e-4;
}
