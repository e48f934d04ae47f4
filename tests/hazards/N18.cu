// SPDX-License-Identifier: Apache-2.0
// N18: cuda::std and libcu++.
#include <cuda/atomic>  // expect: N18 S2
#include <cuda/std/array>  // expect: N18 S2
#include <nv/target>  // expect: N18 S2

__global__ void count(int* p) {
  cuda::atomic_ref<int, cuda::thread_scope_device> counter(*p);  // expect: N18 S2
  counter.fetch_add(1, cuda::std::memory_order_relaxed);         // expect: N18 S2
}

template <typename T>
struct Packed {
  cuda::std::array<T, 4> values;  // expect: N18 S2
};

#define SCOPED(T) cuda::atomic<T, cuda::thread_scope_block>  // expect: N18 S2

__host__ __device__ int where() {
  NV_IF_TARGET(NV_IS_DEVICE, (return 1;))  // expect: N18 S2
  return 0;
}

#ifdef NEVER
namespace ext = cuda::std;  // expect: N18 S2
#endif
