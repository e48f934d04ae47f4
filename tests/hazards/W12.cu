// SPDX-License-Identifier: Apache-2.0
// W12: matches and reductions of a warp.
#include <cuda_runtime.h>

#define PEERS(key) __match_any_sync(0xffffffffu, (key))  // expect: W12 S0

__global__ void matches(const int* keys, unsigned long long* out) {
  const int key = keys[threadIdx.x];
  int same;
  const unsigned long long all = __match_all_sync(0xffffffffu, key, &same);  // expect: W12 S0
  out[threadIdx.x] = all + PEERS(key);
}

template <typename T>
__device__ T total(T value) {
  return __reduce_add_sync(__activemask(), value);  // expect: W12 S0
}

__global__ void reductions(const unsigned* in, unsigned* out) {
  const unsigned v = in[threadIdx.x];
  auto most = [](unsigned x) { return __reduce_max_sync(0xffffffffu, x); };  // expect: W12 S0
  out[threadIdx.x] = most(v) + __reduce_or_sync(0xffffffffu, v) + total(v);  // expect: W12 S0
}
