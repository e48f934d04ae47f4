// SPDX-License-Identifier: Apache-2.0
// W05: votes over what is one warp in CUDA and two here.
#include <cuda_runtime.h>

#define WARP_ANY(p) __any_sync(0xffffffffu, (p))  // expect: W05 S0
#define ALL_OF __all_sync

__global__ void votes(const float* in, int* out) {
  const float v = in[blockIdx.x * blockDim.x + threadIdx.x];
  if (__any_sync(0xffffffffu, v > 1.0f)) out[threadIdx.x / 32] = 1;  // expect: W05 S0
  if (__all_sync(__activemask(), v > 0.0f)) out[0] = 2;              // expect: W05 S0
  if (WARP_ANY(v < 0.0f)) out[1] = 3;
  if (ALL_OF(__activemask(), v < 9.0f)) out[2] = 4;  // expect: W05 S0
}

template <typename Predicate>
__device__ bool converged(Predicate done) {
  while (!__all_sync(__activemask(), done())) {  // expect: W05 S0
  }
  return __ballot_sync(__activemask(), done()) == 0xffffffffu;  // expect: W05 S0
}

__global__ void in_lambda(const int* in, int* out) {
  auto some = [=](int x) { return __any_sync(0xffffffffu, x != 0); };  // expect: W05 S0
  out[threadIdx.x] = some(in[threadIdx.x]);
}
