// SPDX-License-Identifier: Apache-2.0
// N02: Warp matrix functions, and elements of fragments.
#include <cuda_fp16.h>
#include <mma.h>  // expect: N02 S2

using namespace nvcuda;  // expect: N02 S2
using Accumulator = wmma::fragment<wmma::accumulator, 16, 16, 16, float>;  // expect: N02 S2

__global__ void product(const half* a, const half* b, float* c, const float* bias) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;  // expect: N02 S2
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb;  // expect: N02 S2
  Accumulator acc;
  wmma::fill_fragment(acc, 0.0f);        // expect: N02 S2
  wmma::load_matrix_sync(fa, a, 16);     // expect: N02 S2
  wmma::load_matrix_sync(fb, b, 16);     // expect: N02 S2
  wmma::mma_sync(acc, fa, fb, acc);      // expect: N02 S2
  for (int i = 0; i < acc.num_elements; ++i) {
    acc.x[i] = 2.0f * acc.x[i];  // expect: N02 S2
  }
  for (int i = 0; i < acc.num_elements; ++i) {
    acc.x[i] += bias[(threadIdx.x % 4) * 2 + (i & 1)];  // expect: N02 S0
  }
  acc.x[0] = 1.0f;  // expect: N02 S0
  wmma::store_matrix_sync(c, acc, 16, wmma::mem_row_major);  // expect: N02 S2
}

template <class Fragment>
__device__ void add_row(Fragment& f, const float* row) {
  for (int i = 0; i < f.num_elements; i++) f.x[i] += row[i % 8];  // expect: N02 S0
}

#define FIRST(frag) (frag).x[0]
#define LOAD_A(f, p) nvcuda::wmma::load_matrix_sync(f, p, 16)  // expect: N02 S2

#ifdef NEVER
using namespace nvcuda::wmma;  // expect: N02 S2
__device__ void unqualified(float* c) {
  fragment<accumulator, 16, 16, 16, float> acc;  // expect: N02 S2
  fill_fragment(acc, 0.0f);  // expect: N02 S2
  acc.x[3] = c[3];           // expect: N02 S0
}
#endif
