// SPDX-License-Identifier: Apache-2.0
// N20: CUB and Thrust.
#include <cub/cub.cuh>  // expect: N20 S2
#include <thrust/device_vector.h>  // expect: N20 S3

void sum(void* temp, size_t bytes, const float* in, float* out, int n) {
  cub::DeviceReduce::Sum(temp, bytes, in, out, n);  // expect: N20 S2
}

template <int kThreads>
__global__ void block_sum(const float* x, float* y) {
  using Reduce = cub::BlockReduce<float, kThreads>;  // expect: N20 S2
  __shared__ typename Reduce::TempStorage temp;
  const float total = Reduce(temp).Sum(x[threadIdx.x]);
  if (threadIdx.x == 0) *y = total;
}

#define CHECK_CUB(call) CubDebugExit(call)  // expect: N20 S2

void sort(thrust::device_vector<int>& v) {  // expect: N20 S3
  thrust::sort(v.begin(), v.end());         // expect: N20 S3
}

#ifdef NEVER
__device__ void internals() { CTA_SYNC(); }  // expect: N20 S2
#endif
