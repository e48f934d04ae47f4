// SPDX-License-Identifier: Apache-2.0
// Steps of a heat equation as a graph that is captured from two streams and launched again and
// again, and a graph made node by node that sums up what is left.
#include <cstdio>
#include <vector>

#define CUDA_CHECK(x)                                                      \
  if (cudaError_t e = (x); e != cudaSuccess) {                             \
    std::printf("%s failed: %s\n", #x, cudaGetErrorString(e));             \
    return 1;                                                              \
  }

__global__ void spread(const int* from, int* to, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int left = i > 0 ? from[i - 1] : 0, right = i + 1 < n ? from[i + 1] : 0;
  to[i] = (left + 2 * from[i] + right) / 4;
}
__global__ void warmest(const int* values, int n, int* most) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicMax(most, values[i]);
}
__global__ void total(const int* values, int n, int* sum) {
  int mine = 0;
  for (int i = threadIdx.x; i < n; i += 64) mine += values[i];
  for (int d = 16; d > 0; d /= 2) mine += __shfl_down_sync(0xffffffffu, mine, d);
  if (threadIdx.x % 32 == 0) atomicAdd(sum, mine);
}

int main() {
  const int n = 500, steps = 4;
  std::vector<int> host(n), got(n);
  for (int i = 0; i < n; ++i) host[i] = i * 7919 % 10007;
  int *a, *b, *most, *sum;
  CUDA_CHECK(cudaMalloc(&a, n * sizeof(int)));
  CUDA_CHECK(cudaMalloc(&b, n * sizeof(int)));
  CUDA_CHECK(cudaMalloc(&most, sizeof(int)));
  CUDA_CHECK(cudaMalloc(&sum, sizeof(int)));
  CUDA_CHECK(cudaMemcpy(a, host.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemset(most, 0, sizeof(int)));
  cudaStream_t stream, side;
  cudaEvent_t fork, join;
  CUDA_CHECK(cudaStreamCreate(&stream));
  CUDA_CHECK(cudaStreamCreate(&side));
  CUDA_CHECK(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
  CUDA_CHECK(cudaEventCreateWithFlags(&join, cudaEventDisableTiming));

  cudaGraph_t graph;
  cudaGraphExec_t executable;
  CUDA_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  spread<<<(n + 127) / 128, 128, 0, stream>>>(a, b, n);
  CUDA_CHECK(cudaEventRecord(fork, stream));
  CUDA_CHECK(cudaStreamWaitEvent(side, fork, 0));
  warmest<<<(n + 127) / 128, 128, 0, side>>>(b, n, most);
  CUDA_CHECK(cudaEventRecord(join, side));
  CUDA_CHECK(cudaMemcpyAsync(a, b, n * sizeof(int), cudaMemcpyDeviceToDevice, stream));
  CUDA_CHECK(cudaStreamWaitEvent(stream, join, 0));
  CUDA_CHECK(cudaStreamEndCapture(stream, &graph));
  CUDA_CHECK(cudaGraphInstantiate(&executable, graph, 0));
  for (int s = 0; s < steps; ++s) CUDA_CHECK(cudaGraphLaunch(executable, stream));
  CUDA_CHECK(cudaStreamSynchronize(stream));
  CUDA_CHECK(cudaGraphExecDestroy(executable));
  CUDA_CHECK(cudaGraphDestroy(graph));

  cudaGraphNode_t clear, add;
  CUDA_CHECK(cudaGraphCreate(&graph, 0));
  cudaMemsetParams zero = {};
  zero.dst = sum;
  zero.elementSize = 4;
  zero.width = 1;
  zero.height = 1;
  CUDA_CHECK(cudaGraphAddMemsetNode(&clear, graph, nullptr, 0, &zero));
  int count = n;
  void* arguments[] = {&a, &count, &sum};
  cudaKernelNodeParams kernel = {};
  kernel.func = reinterpret_cast<void*>(total);
  kernel.gridDim = dim3(1);
  kernel.blockDim = dim3(64);
  kernel.kernelParams = arguments;
  CUDA_CHECK(cudaGraphAddKernelNode(&add, graph, &clear, 1, &kernel));
  CUDA_CHECK(cudaGraphInstantiate(&executable, graph, nullptr, nullptr, 0));
  count = 0;  // the node has kept what it was
  CUDA_CHECK(cudaGraphLaunch(executable, stream));
  CUDA_CHECK(cudaGraphLaunch(executable, stream));
  CUDA_CHECK(cudaStreamSynchronize(stream));

  int got_most = 0, got_sum = 0, most_wanted = 0, sum_wanted = 0, wrong = 0;
  CUDA_CHECK(cudaMemcpy(got.data(), a, n * sizeof(int), cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaMemcpy(&got_most, most, sizeof(int), cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaMemcpy(&got_sum, sum, sizeof(int), cudaMemcpyDeviceToHost));
  for (int s = 0; s < steps; ++s) {
    std::vector<int> next(n);
    for (int i = 0; i < n; ++i) {
      next[i] = ((i > 0 ? host[i - 1] : 0) + 2 * host[i] + (i + 1 < n ? host[i + 1] : 0)) / 4;
      if (next[i] > most_wanted) most_wanted = next[i];
    }
    host = next;
  }
  for (int i = 0; i < n; ++i) {
    wrong += got[i] != host[i];
    sum_wanted += host[i];
  }
  wrong += got_most != most_wanted;
  wrong += got_sum != sum_wanted;
  std::printf("graph: %d wrong\n", wrong);
  return wrong != 0;
}
