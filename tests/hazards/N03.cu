// SPDX-License-Identifier: Apache-2.0
// N03: Tensor-core PTX, CUTLASS and CuTe.
#include <cuda_runtime.h>
#include <cutlass/cutlass.h>  // expect: N03 S2
#include "cute/tensor.hpp"  // expect: N03 S2

using Gemm = cutlass::gemm::device::Gemm<float, int, float, int, float, int>;  // expect: N03 S2

__device__ void mma(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
  asm volatile(  // expect: N03 S2
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};\n"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

template <bool kTranspose>
__device__ void load_matrix(unsigned* r, unsigned address) {
  if (kTranspose) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%0}, [%1];"  // expect: N03 S2
                 : "=r"(r[0]) : "r"(address));
  } else {
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(r[0]) : "r"(address));  // expect: N03 S2
  }
}

#define WGMMA_FENCE() asm volatile("wgmma.fence.sync.aligned;" ::: "memory")  // expect: N03 S2

#ifdef BLACKWELL
__device__ void allocate(unsigned address) {
  asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], 64;" ::"r"(address));  // expect: N03 S2
}
using namespace cute;  // expect: N03 S2
#endif
