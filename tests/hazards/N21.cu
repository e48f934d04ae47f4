// SPDX-License-Identifier: Apache-2.0
// N21: cuBLAS, cuDNN, NCCL and kin.
#include <cublas_v2.h>  // expect: N21 S1
#include <cublasLt.h>  // expect: N21 S1
#include <cudnn.h>  // expect: N21 S1
#include <nccl.h>  // expect: N21 S1

#define CHECK(call) (void)(call)

template <typename T>
void product(cublasHandle_t handle, const T* a, const T* b, T* c, int n) {
  const float one = 1, zero = 0;
  CHECK(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, a, n, b, n, &zero, c, n));  // expect: N21 S1
}

void fused(cublasLtHandle_t handle) {
  cublasLtMatmul(handle, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);  // expect: N21 S1
}

void convolve(cudnnHandle_t handle) {
  cudnnCreate(&handle);  // expect: N21 S1
}

#define REDUCE(p, n, comm, s) ncclAllReduce(p, p, n, ncclFloat, ncclSum, comm, s)  // expect: N21 S1

#ifdef NEVER
void transform(cufftHandle plan, cufftComplex* x) {
  cufftExecC2C(plan, x, x, CUFFT_FORWARD);  // expect: N21 S1
  cusparseSpMV(0, 0, 0, 0, 0, 0, 0, 0, 0);  // expect: N21 S1
}
#endif
