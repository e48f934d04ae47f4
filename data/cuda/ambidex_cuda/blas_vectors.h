// SPDX-License-Identifier: Apache-2.0
// cuBLAS's vector functions for float and double.
#pragma once
#pragma GCC system_header

#include "sequential.h"

namespace ambidex_cuda {

// alpha, read where the pointer mode says it lies: a copy if that is the host.
template <class T>
struct BlasScalar {
  const T* on_device;
  T value;
  BlasScalar(cublasHandle_t handle, const T* at)
      : on_device(handle->pointer_mode == CUBLAS_POINTER_MODE_DEVICE ? at : nullptr),
        value(on_device == nullptr && at != nullptr ? *at : T()) {}
  AMBIDEX_MEMBER_D T get() const { return on_device != nullptr ? *on_device : value; }
};
inline cublasStatus_t blas_status(cudaError_t error) {
  return error == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
}
// Runs `body`, which returns a number, and puts that where the pointer mode says.
template <class T, class Body>
inline cublasStatus_t blas_result(cublasHandle_t handle, T* result, Body body) {
  if (handle->pointer_mode == CUBLAS_POINTER_MODE_DEVICE) {
    return blas_status(run_on_device(
        [=] __attribute__((device)) () { *result = body(); }, handle->stream));
  }
  T* out = nullptr;
  if (cudaMalloc(&out, sizeof(T)) != cudaSuccess) return CUBLAS_STATUS_ALLOC_FAILED;
  run_on_device(
      [=] __attribute__((device)) () { *out = body(); }, handle->stream);
  const cudaError_t error = cudaMemcpy(result, out, sizeof(T), cudaMemcpyDeviceToHost);
  cudaFree(out);
  return blas_status(error);
}
// Place of element i; a negative step goes from the end.
AMBIDEX_D ptrdiff_t blas_place(int i, int num, int step) {
  return step > 0 ? ptrdiff_t(i) * step : ptrdiff_t(i - num + 1) * step;
}

}  // namespace ambidex_cuda

#define AMBIDEX_BLAS_VECTORS(P, I, T)                                                           \
  static inline cublasStatus_t cublas##P##axpy_v2(cublasHandle_t handle, int n, const T* alpha, \
                                                  const T* x, int incx, T* y, int incy) {       \
    const ambidex_cuda::BlasScalar<T> a(handle, alpha);                                         \
    return ambidex_cuda::blas_status(ambidex_cuda::run_on_device(                               \
        [=] __attribute__((device)) () {                                                        \
          for (int i = 0; i < n; ++i) {                                                         \
            y[ambidex_cuda::blas_place(i, n, incy)] +=                                          \
                a.get() * x[ambidex_cuda::blas_place(i, n, incx)];                              \
          }                                                                                     \
        },                                                                                      \
        handle->stream));                                                                       \
  }                                                                                             \
  static inline cublasStatus_t cublas##P##scal_v2(cublasHandle_t handle, int n, const T* alpha, \
                                                  T* x, int incx) {                             \
    const ambidex_cuda::BlasScalar<T> a(handle, alpha);                                         \
    return ambidex_cuda::blas_status(ambidex_cuda::run_on_device(                               \
        [=] __attribute__((device)) () {                                                        \
          for (int i = 0; i < n; ++i) x[ptrdiff_t(i) * incx] *= a.get();                        \
        },                                                                                      \
        handle->stream));                                                                       \
  }                                                                                             \
  static inline cublasStatus_t cublas##P##copy_v2(cublasHandle_t handle, int n, const T* x,     \
                                                  int incx, T* y, int incy) {                   \
    return ambidex_cuda::blas_status(ambidex_cuda::run_on_device(                               \
        [=] __attribute__((device)) () {                                                        \
          for (int i = 0; i < n; ++i) {                                                         \
            y[ambidex_cuda::blas_place(i, n, incy)] = x[ambidex_cuda::blas_place(i, n, incx)];  \
          }                                                                                     \
        },                                                                                      \
        handle->stream));                                                                       \
  }                                                                                             \
  static inline cublasStatus_t cublas##P##dot_v2(cublasHandle_t handle, int n, const T* x,      \
                                                 int incx, const T* y, int incy, T* result) {   \
    return ambidex_cuda::blas_result(                                                           \
        handle, result, [=] __attribute__((device)) () {                                        \
          double sum = 0.0;                                                                     \
          for (int i = 0; i < n; ++i) {                                                         \
            sum += double(x[ambidex_cuda::blas_place(i, n, incx)]) *                            \
                   double(y[ambidex_cuda::blas_place(i, n, incy)]);                             \
          }                                                                                     \
          return T(sum);                                                                        \
        });                                                                                     \
  }                                                                                             \
  static inline cublasStatus_t cublas##P##nrm2_v2(cublasHandle_t handle, int n, const T* x,     \
                                                  int incx, T* result) {                        \
    return ambidex_cuda::blas_result(                                                           \
        handle, result, [=] __attribute__((device)) () {                                        \
          double sum = 0.0;                                                                     \
          for (int i = 0; i < n; ++i) {                                                         \
            sum += double(x[ptrdiff_t(i) * incx]) * double(x[ptrdiff_t(i) * incx]);             \
          }                                                                                     \
          return T(__builtin_sqrt(sum));                                                        \
        });                                                                                     \
  }                                                                                             \
  static inline cublasStatus_t cublas##P##asum_v2(cublasHandle_t handle, int n, const T* x,     \
                                                  int incx, T* result) {                        \
    return ambidex_cuda::blas_result(                                                           \
        handle, result, [=] __attribute__((device)) () {                                        \
          double sum = 0.0;                                                                     \
          for (int i = 0; i < n; ++i) sum += __builtin_fabs(double(x[ptrdiff_t(i) * incx]));    \
          return T(sum);                                                                        \
        });                                                                                     \
  }                                                                                             \
  /* Counts from 1. */                                                                          \
  static inline cublasStatus_t cublasI##I##amax_v2(cublasHandle_t handle, int n, const T* x,    \
                                                   int incx, int* result) {                     \
    return ambidex_cuda::blas_result(                                                           \
        handle, result, [=] __attribute__((device)) () {                                        \
          int best = 0;                                                                         \
          for (int i = 1; i < n; ++i) {                                                         \
            const double most = __builtin_fabs(double(x[ptrdiff_t(best) * incx]));              \
            if (__builtin_fabs(double(x[ptrdiff_t(i) * incx])) > most) best = i;                \
          }                                                                                     \
          return n > 0 ? best + 1 : 0;                                                          \
        });                                                                                     \
  }
AMBIDEX_BLAS_VECTORS(S, s, float)
AMBIDEX_BLAS_VECTORS(D, d, double)
#undef AMBIDEX_BLAS_VECTORS
#define cublasSaxpy cublasSaxpy_v2
#define cublasDaxpy cublasDaxpy_v2
#define cublasSscal cublasSscal_v2
#define cublasDscal cublasDscal_v2
#define cublasScopy cublasScopy_v2
#define cublasDcopy cublasDcopy_v2
#define cublasSdot cublasSdot_v2
#define cublasDdot cublasDdot_v2
#define cublasSnrm2 cublasSnrm2_v2
#define cublasDnrm2 cublasDnrm2_v2
#define cublasSasum cublasSasum_v2
#define cublasDasum cublasDasum_v2
#define cublasIsamax cublasIsamax_v2
#define cublasIdamax cublasIdamax_v2
