// SPDX-License-Identifier: Apache-2.0
// Two streams with pinned memory, asynchronous copies and events.
#include <cstdio>

#define CUDA_CHECK(x)                                                                      \
  if (cudaError_t e = (x); e != cudaSuccess) {                                             \
    std::printf("%s failed: %s (%s)\n", #x, cudaGetErrorName(e), cudaGetErrorString(e));   \
    return 1;                                                                              \
  }

__global__ void square(const double* in, double* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] * in[i];
}

int main() {
  const int n = 600, half = n / 2;
  double *h_in, *h_out, *d_in, *d_out;
  CUDA_CHECK(cudaMallocHost(&h_in, n * sizeof(double)));
  CUDA_CHECK(cudaHostAlloc((void**)&h_out, n * sizeof(double), cudaHostAllocDefault));
  CUDA_CHECK(cudaMalloc(&d_in, n * sizeof(double)));
  CUDA_CHECK(cudaMalloc(&d_out, n * sizeof(double)));
  for (int i = 0; i < n; ++i) h_in[i] = 0.25 * i;
  cudaStream_t streams[2];
  cudaEvent_t begin, end;
  for (auto& s : streams) CUDA_CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
  CUDA_CHECK(cudaEventCreate(&begin));
  CUDA_CHECK(cudaEventCreate(&end));
  CUDA_CHECK(cudaEventRecord(begin, streams[0]));
  for (int s = 0; s < 2; ++s) {
    const int at = s * half;
    CUDA_CHECK(cudaMemcpyAsync(d_in + at, h_in + at, half * sizeof(double), cudaMemcpyHostToDevice, streams[s]));
    square<<<(half + 63) / 64, 64, 0, streams[s]>>>(d_in + at, d_out + at, half);
    CUDA_CHECK(cudaMemcpyAsync(h_out + at, d_out + at, half * sizeof(double), cudaMemcpyDeviceToHost, streams[s]));
  }
  for (auto& s : streams) CUDA_CHECK(cudaStreamSynchronize(s));
  CUDA_CHECK(cudaEventRecord(end, streams[0]));
  CUDA_CHECK(cudaEventSynchronize(end));
  float ms = -1;
  CUDA_CHECK(cudaEventElapsedTime(&ms, begin, end));
  int bad = ms < 0;
  for (int i = 0; i < n; ++i) bad += h_out[i] != 0.0625 * i * i;
  for (auto& s : streams) CUDA_CHECK(cudaStreamDestroy(s));
  CUDA_CHECK(cudaFreeHost(h_in));
  CUDA_CHECK(cudaFreeHost(h_out));
  CUDA_CHECK(cudaFree(d_in));
  CUDA_CHECK(cudaFree(d_out));
  std::printf("streams: %d wrong\n", bad);
  return bad != 0;
}
