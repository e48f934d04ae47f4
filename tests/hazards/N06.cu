// SPDX-License-Identifier: Apache-2.0
// N06: Tensor memory accelerator, mbarrier, clusters.
#include <cooperative_groups.h>
#include <cuda.h>
#include <cuda/barrier>  // expect: N06 S2

namespace cg = cooperative_groups;

__global__ void by_map(const __grid_constant__ CUtensorMap map, float* x) {  // expect: N06 S2
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;  // expect: N06 S2
  x[threadIdx.x] = 0;
}

__device__ void init(unsigned bar, int count) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(bar), "r"(count));  // expect: N06 S2
}

template <int kDims>
__device__ void load(unsigned to, const void* map, unsigned bar, int x, int y) {
  asm volatile(  // expect: N06 S2
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
      " [%0], [%1, {%3, %4}], [%2];"
      :
      : "r"(to), "l"(map), "r"(bar), "r"(x), "r"(y)
      : "memory");
}

#define FENCE() asm volatile("fence.proxy.async.shared::cta;" ::: "memory")  // expect: N06 S2
#define CLUSTER_SYNC() asm volatile("barrier.cluster.arrive;\nbarrier.cluster.wait;" ::: "memory")  // expect: N06 S2

#ifdef HOPPER
__global__ void __cluster_dims__(2, 1, 1) cluster(float* x) {  // expect: N06 S2
  auto group = cg::this_cluster();                             // expect: N06 S2
  __shared__ float tile[64];
  float* other = group.map_shared_rank(tile, 1);               // expect: N06 S2
  x[threadIdx.x] = other[threadIdx.x];
}
void encode(CUtensorMap* map) {  // expect: N06 S2
  cuTensorMapEncodeTiled(map, 0, 2, nullptr, nullptr, nullptr, nullptr, nullptr, 0, 0, 0, 0);  // expect: N06 S2
}
#endif
