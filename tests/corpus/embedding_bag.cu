// SPDX-License-Identifier: Apache-2.0
// Pooled embedding lookup and its gradient.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

// One warp per bag; each lane owns dim / 32 columns, ids are broadcast from the lane that read them.
template <typename scalar_t>
__global__ void embedding_bag_forward(const scalar_t* __restrict__ table,
                                      const int64_t* __restrict__ ids,
                                      const int64_t* __restrict__ offsets,
                                      scalar_t* __restrict__ out, int bags, int dim) {
  const int bag = blockIdx.x * blockDim.y + threadIdx.y;
  if (bag >= bags) return;
  const int64_t begin = offsets[bag], end = offsets[bag + 1];
  for (int d = threadIdx.x; d < dim; d += 32) out[(int64_t)bag * dim + d] = 0;
  for (int64_t base = begin; base < end; base += 32) {
    const int64_t mine = base + threadIdx.x < end ? ids[base + threadIdx.x] : 0;
    const int count = end - base < 32 ? (int)(end - base) : 32;
    for (int k = 0; k < count; ++k) {
      const int64_t row = __shfl_sync(0xffffffff, mine, k);
      for (int d = threadIdx.x; d < dim; d += 32) {
        out[(int64_t)bag * dim + d] += table[row * dim + d];
      }
    }
  }
}

__global__ void embedding_bag_backward(const float* grad, const int64_t* ids,
                                       const int64_t* offsets, float* table_grad, int bags,
                                       int dim) {
  const int bag = blockIdx.x;
  for (int64_t j = offsets[bag]; j < offsets[bag + 1]; ++j) {
    for (int d = threadIdx.x; d < dim; d += blockDim.x) {
      atomicAdd(&table_grad[ids[j] * dim + d], grad[(int64_t)bag * dim + d]);
    }
  }
}

template <typename T>
T* upload(const std::vector<T>& host) {
  T* device = nullptr;
  cudaMalloc(&device, host.size() * sizeof(T));
  cudaMemcpy(device, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice);
  return device;
}

int main() {
  const int rows = 64, dim = 48, bags = 37;
  std::vector<float> table(rows * dim), out(bags * dim), grads(rows * dim, 0.0f);
  for (size_t i = 0; i < table.size(); ++i) table[i] = std::sin(0.1f * i);
  std::vector<int64_t> ids, offsets{0};
  for (int b = 0; b < bags; ++b) {
    for (int k = 0; k < (b * 5) % 41; ++k) ids.push_back((b * 13 + k * k) % rows);
    offsets.push_back((int64_t)ids.size());
  }
  float *d_table = upload(table), *d_out = upload(out), *d_grads = upload(grads);
  int64_t *d_ids = upload(ids), *d_offsets = upload(offsets);
  embedding_bag_forward<float>
      <<<(bags + 3) / 4, dim3(32, 4)>>>(d_table, d_ids, d_offsets, d_out, bags, dim);
  embedding_bag_backward<<<bags, 64>>>(d_out, d_ids, d_offsets, d_grads, bags, dim);
  cudaMemcpy(out.data(), d_out, out.size() * sizeof(float), cudaMemcpyDeviceToHost);
  cudaMemcpy(grads.data(), d_grads, grads.size() * sizeof(float), cudaMemcpyDeviceToHost);
  std::vector<double> want(rows * dim, 0.0);
  double worst = 0;
  for (int b = 0; b < bags; ++b) {
    for (int d = 0; d < dim; ++d) {
      double sum = 0;
      for (int64_t j = offsets[b]; j < offsets[b + 1]; ++j) sum += table[ids[j] * dim + d];
      worst = std::fmax(worst, std::fabs(sum - out[b * dim + d]));
      for (int64_t j = offsets[b]; j < offsets[b + 1]; ++j) want[ids[j] * dim + d] += sum;
    }
  }
  for (size_t i = 0; i < want.size(); ++i) worst = std::fmax(worst, std::fabs(want[i] - grads[i]));
  std::printf("embedding bag: worst error %g\n", worst);
  return worst > 1e-3;
}
