// SPDX-License-Identifier: Apache-2.0
// cuBLAS's matrix products. Matrices are stored by columns: element (r, c) is at r + c * ld.
#pragma once
#pragma GCC system_header

#include "blas_vectors.h"

namespace ambidex_cuda {

// A matrix of one of several types, known at run time.
struct BlasMatrix {
  const void* data;
  cudaDataType type;
  int ld;
  bool turned;  // transposed
};
AMBIDEX_D double blas_number(const BlasMatrix& m, long long at) {
  switch (m.type) {
    case CUDA_R_64F:
      return static_cast<const double*>(m.data)[at];
    case CUDA_R_16F:
      return value_of(static_cast<const __half*>(m.data)[at]);
    case CUDA_R_16BF:
      return value_of(static_cast<const __nv_bfloat16*>(m.data)[at]);
    case CUDA_R_8I:
      return static_cast<const signed char*>(m.data)[at];
    case CUDA_R_32I:
      return static_cast<const int*>(m.data)[at];
    default:
      return static_cast<const float*>(m.data)[at];
  }
}
AMBIDEX_D double blas_element(const BlasMatrix& m, int row, int column) {
  const long long at = m.turned ? (long long)row * m.ld + column : (long long)column * m.ld + row;
  return blas_number(m, at);
}
AMBIDEX_D void blas_store(void* data, cudaDataType type, long long at, double value) {
  switch (type) {
    case CUDA_R_64F:
      static_cast<double*>(data)[at] = value;
      return;
    case CUDA_R_16F:
      static_cast<__half*>(data)[at] = __half(value);
      return;
    case CUDA_R_16BF:
      static_cast<__nv_bfloat16*>(data)[at] = __nv_bfloat16(value);
      return;
    case CUDA_R_32I:
      static_cast<int*>(data)[at] = int((long long)value);
      return;
    default:
      static_cast<float*>(data)[at] = float(value);
  }
}
inline bool blas_knows(cudaDataType type) {
  return type == CUDA_R_32F || type == CUDA_R_64F || type == CUDA_R_16F || type == CUDA_R_16BF ||
         type == CUDA_R_8I || type == CUDA_R_32I;
}
inline size_t blas_bytes(cudaDataType type) {
  return type == CUDA_R_64F                          ? 8
         : type == CUDA_R_16F || type == CUDA_R_16BF ? 2
         : type == CUDA_R_8I                         ? 1
                                                     : 4;
}

// C = alpha op(A) op(B) + beta C, m x n, summed over k in double.
struct BlasProduct {
  int m, n, k;
  BlasMatrix a, b;
  void* c;
  cudaDataType c_type;
  int ldc;
  const void* alpha;  // on the device, or null: then the value
  const void* beta;
  double alpha_value, beta_value;
  cudaDataType scale_type;
  AMBIDEX_MEMBER_D void operator()() const {
    const double scale = alpha ? blas_number({alpha, scale_type, 0, false}, 0) : alpha_value;
    const double keep = beta ? blas_number({beta, scale_type, 0, false}, 0) : beta_value;
    for (int column = 0; column < n; ++column) {
      for (int row = 0; row < m; ++row) {
        double sum = 0.0;
        for (int i = 0; i < k; ++i) sum += blas_element(a, row, i) * blas_element(b, i, column);
        const long long at = (long long)column * ldc + row;
        sum *= scale;
        if (keep != 0.0) sum += keep * blas_number({c, c_type, ldc, false}, at);
        blas_store(c, c_type, at, sum);
      }
    }
  }
};
inline double blas_scalar(const void* at, cudaDataType type) {
  if (type == CUDA_R_64F) return *static_cast<const double*>(at);
  if (type == CUDA_R_16F) return value_of(*static_cast<const __half*>(at));
  if (type == CUDA_R_32I) return *static_cast<const int*>(at);
  return *static_cast<const float*>(at);
}
inline cudaDataType blas_scale_type(cublasComputeType_t compute) {
  if (compute == CUBLAS_COMPUTE_64F || compute == CUBLAS_COMPUTE_64F_PEDANTIC) return CUDA_R_64F;
  if (compute == CUBLAS_COMPUTE_16F || compute == CUBLAS_COMPUTE_16F_PEDANTIC) return CUDA_R_16F;
  return compute == CUBLAS_COMPUTE_32I || compute == CUBLAS_COMPUTE_32I_PEDANTIC ? CUDA_R_32I
                                                                                 : CUDA_R_32F;
}
inline cublasStatus_t blas_multiply(cublasHandle_t handle, cublasOperation_t ta,
                                    cublasOperation_t tb, int m, int n, int k, const void* alpha,
                                    BlasMatrix a, BlasMatrix b, const void* beta, void* c,
                                    cudaDataType c_type, int ldc, cudaDataType scale_type) {
  if (m < 0 || n < 0 || k < 0) return CUBLAS_STATUS_INVALID_VALUE;
  if (!blas_knows(a.type) || !blas_knows(b.type) || !blas_knows(c_type)) {
    return CUBLAS_STATUS_NOT_SUPPORTED;
  }
  a.turned = ta != CUBLAS_OP_N;
  b.turned = tb != CUBLAS_OP_N;
  const bool on_device = handle->pointer_mode == CUBLAS_POINTER_MODE_DEVICE;
  const BlasProduct product{m,
                            n,
                            k,
                            a,
                            b,
                            c,
                            c_type,
                            ldc,
                            on_device ? alpha : nullptr,
                            on_device ? beta : nullptr,
                            on_device ? 0.0 : blas_scalar(alpha, scale_type),
                            on_device ? 0.0 : blas_scalar(beta, scale_type),
                            scale_type};
  return blas_status(run_on_device(product, handle->stream));
}

}  // namespace ambidex_cuda

static inline cublasStatus_t cublasGemmStridedBatchedEx(
    cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k,
    const void* alpha, const void* a, cudaDataType a_type, int lda, long long stride_a,
    const void* b, cudaDataType b_type, int ldb, long long stride_b, const void* beta, void* c,
    cudaDataType c_type, int ldc, long long stride_c, int batch, cublasComputeType_t compute,
    cublasGemmAlgo_t) {
  for (int i = 0; i < batch; ++i) {
    const char* const a_at =
        static_cast<const char*>(a) + stride_a * i * (long long)ambidex_cuda::blas_bytes(a_type);
    const char* const b_at =
        static_cast<const char*>(b) + stride_b * i * (long long)ambidex_cuda::blas_bytes(b_type);
    char* const c_at =
        static_cast<char*>(c) + stride_c * i * (long long)ambidex_cuda::blas_bytes(c_type);
    const cublasStatus_t status = ambidex_cuda::blas_multiply(
        handle, ta, tb, m, n, k, alpha, {a_at, a_type, lda, false}, {b_at, b_type, ldb, false},
        beta, c_at, c_type, ldc, ambidex_cuda::blas_scale_type(compute));
    if (status != CUBLAS_STATUS_SUCCESS) return status;
  }
  return CUBLAS_STATUS_SUCCESS;
}
static inline cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t ta,
                                          cublasOperation_t tb, int m, int n, int k,
                                          const void* alpha, const void* a, cudaDataType a_type,
                                          int lda, const void* b, cudaDataType b_type, int ldb,
                                          const void* beta, void* c, cudaDataType c_type, int ldc,
                                          cublasComputeType_t compute, cublasGemmAlgo_t algorithm) {
  return cublasGemmStridedBatchedEx(handle, ta, tb, m, n, k, alpha, a, a_type, lda, 0, b, b_type,
                                    ldb, 0, beta, c, c_type, ldc, 0, 1, compute, algorithm);
}

#define AMBIDEX_BLAS_GEMM(P, T, type, compute)                                                   \
  static inline cublasStatus_t cublas##P##gemmStridedBatched(                                    \
      cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k,    \
      const T* alpha, const T* a, int lda, long long stride_a, const T* b, int ldb,              \
      long long stride_b, const T* beta, T* c, int ldc, long long stride_c, int batch) {         \
    return cublasGemmStridedBatchedEx(handle, ta, tb, m, n, k, alpha, a, type, lda, stride_a, b, \
                                      type, ldb, stride_b, beta, c, type, ldc, stride_c, batch,  \
                                      compute, CUBLAS_GEMM_DEFAULT);                             \
  }                                                                                              \
  static inline cublasStatus_t cublas##P##gemm_v2(                                               \
      cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k,    \
      const T* alpha, const T* a, int lda, const T* b, int ldb, const T* beta, T* c, int ldc) {  \
    return cublas##P##gemmStridedBatched(handle, ta, tb, m, n, k, alpha, a, lda, 0, b, ldb, 0,   \
                                         beta, c, ldc, 0, 1);                                    \
  }
AMBIDEX_BLAS_GEMM(S, float, CUDA_R_32F, CUBLAS_COMPUTE_32F)
AMBIDEX_BLAS_GEMM(D, double, CUDA_R_64F, CUBLAS_COMPUTE_64F)
AMBIDEX_BLAS_GEMM(H, __half, CUDA_R_16F, CUBLAS_COMPUTE_16F)
#undef AMBIDEX_BLAS_GEMM
#define cublasSgemm cublasSgemm_v2
#define cublasDgemm cublasDgemm_v2
#define cublasHgemm cublasHgemm_v2

// y = alpha op(A) x + beta y: a product with a matrix of one column, where x and y are dense.
#define AMBIDEX_BLAS_GEMV(P, T)                                                                 \
  static inline cublasStatus_t cublas##P##gemv_v2(                                              \
      cublasHandle_t handle, cublasOperation_t trans, int m, int n, const T* alpha, const T* a, \
      int lda, const T* x, int incx, const T* beta, T* y, int incy) {                           \
    const ambidex_cuda::BlasScalar<T> scale(handle, alpha), keep(handle, beta);                 \
    const bool turned = trans != CUBLAS_OP_N;                                                   \
    const int rows = turned ? n : m, columns = turned ? m : n;                                  \
    return ambidex_cuda::blas_status(ambidex_cuda::run_on_device(                               \
        [=] __attribute__((device)) () {                                                        \
          for (int r = 0; r < rows; ++r) {                                                      \
            double sum = 0.0;                                                                   \
            for (int c = 0; c < columns; ++c) {                                                 \
              const ptrdiff_t at = turned ? c + ptrdiff_t(r) * lda : r + ptrdiff_t(c) * lda;    \
              sum += double(a[at]) * double(x[ambidex_cuda::blas_place(c, columns, incx)]);     \
            }                                                                                   \
            T& out = y[ambidex_cuda::blas_place(r, rows, incy)];                                \
            const double old = keep.get() == T(0) ? 0.0 : double(keep.get()) * double(out);     \
            out = T(double(scale.get()) * sum + old);                                           \
          }                                                                                     \
        },                                                                                      \
        handle->stream));                                                                       \
  }
AMBIDEX_BLAS_GEMV(S, float)
AMBIDEX_BLAS_GEMV(D, double)
#undef AMBIDEX_BLAS_GEMV
#define cublasSgemv cublasSgemv_v2
#define cublasDgemv cublasDgemv_v2
