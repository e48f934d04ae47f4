// SPDX-License-Identifier: Apache-2.0
// Block sum: a shuffle tree in each warp, partial sums in shared[32], the first warp adds them.
#include <cstdio>
#include <vector>

__inline__ __device__ float warpReduceSum(float val) {
  for (int offset = 16; offset > 0; offset /= 2) val += __shfl_down_sync(0xffffffff, val, offset);
  return val;
}

__inline__ __device__ float blockReduceSum(float val) {
  static __shared__ float shared[32];
  int lane = threadIdx.x % 32;
  int wid = threadIdx.x / 32;
  val = warpReduceSum(val);
  if (lane == 0) shared[wid] = val;
  __syncthreads();
  val = (threadIdx.x < blockDim.x / 32) ? shared[lane] : 0;
  if (wid == 0) val = warpReduceSum(val);
  return val;
}

__global__ void sum_rows(const float* in, float* out, int cols) {
  float sum = 0;
  for (int c = threadIdx.x; c < cols; c += blockDim.x) sum += in[blockIdx.x * cols + c];
  sum = blockReduceSum(sum);
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

int main() {
  const int rows = 6, cols = 777;
  std::vector<float> in(rows * cols), out(rows);
  for (size_t i = 0; i < in.size(); ++i) in[i] = static_cast<float>((i * 7919) % 1000) * 0.001f;
  float *d_in, *d_out;
  cudaMalloc(&d_in, in.size() * sizeof(float));
  cudaMalloc(&d_out, out.size() * sizeof(float));
  cudaMemcpy(d_in, in.data(), in.size() * sizeof(float), cudaMemcpyHostToDevice);
  sum_rows<<<rows, 256>>>(d_in, d_out, cols);
  cudaMemcpy(out.data(), d_out, out.size() * sizeof(float), cudaMemcpyDeviceToHost);
  int bad = 0;
  for (int r = 0; r < rows; ++r) {
    double want = 0;
    for (int c = 0; c < cols; ++c) want += in[r * cols + c];
    if (want - out[r] > 1e-2 || out[r] - want > 1e-2) bad++;
  }
  std::printf("%d of %d rows wrong\n", bad, rows);
  return bad;
}
