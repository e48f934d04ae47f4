// SPDX-License-Identifier: Apache-2.0
// N04: Products that only one architecture has.
#include <mma.h>
#include <cublas_v2.h>

using namespace nvcuda;

__global__ void tf32_product(const float* a, float* c) {
  wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> fa;  // expect: N04 S2
  wmma::load_matrix_sync(fa, a, 8);
  for (int i = 0; i < fa.num_elements; ++i) {
    fa.x[i] = wmma::__float_to_tf32(fa.x[i]);  // expect: N04 S2
  }
  c[0] = fa.x[0];
}

template <typename T>
__device__ unsigned rounded(T x) {
  unsigned r;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(r) : "f"(x));  // expect: N04 S2
  return r;
}

__device__ void product(float* c, const unsigned* a, const unsigned* b) {
  asm volatile(  // expect: N04 S2
      "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
      "{%0,%1,%2,%3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

void library_mode(cublasHandle_t handle) {
  cublasSetMathMode(handle, CUBLAS_TF32_TENSOR_OP_MATH);  // expect: N04 S2
}

#define COMPUTE CUBLAS_COMPUTE_32F_FAST_TF32  // expect: N04 S2

#ifdef CDNA
__device__ void mfma(float a, float b) {
  acc = __builtin_amdgcn_mfma_f32_16x16x8_xf32(a2, b2, acc, 0, 0, 0);    // expect: N04 S2
  acc = __builtin_amdgcn_mfma_f32_16x16x32_bf16(a8, b8, acc, 0, 0, 0);  // expect: N04 S2
}
#endif
