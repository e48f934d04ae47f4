// SPDX-License-Identifier: Apache-2.0
// Libraries of whole devices (thrust, hipCUB's Device..., hipBLAS, hipRAND) are those of data/cuda,
// whose names of the runtime are HIP's from here to library_end.h. So a port calls what its
// original does, with the same loops behind it.
#include <hip/hip_runtime.h>

#if !defined(AMBIDEX_HD)
#define AMBIDEX_D static __inline__ __attribute__((device, always_inline, nodebug))
#define AMBIDEX_HD static __inline__ __attribute__((host, device, always_inline, nodebug))
#define AMBIDEX_MEMBER_D __inline__ __attribute__((device, always_inline, nodebug))
#define AMBIDEX_MEMBER_HD __inline__ __attribute__((host, device, always_inline, nodebug))
namespace ambidex_cuda {
template <class T>
__attribute__((host, device)) T&& some() noexcept;
}  // namespace ambidex_cuda
#endif

#define CUDA_R_16BF HIP_R_16BF
#define CUDA_R_16F HIP_R_16F
#define CUDA_R_32F HIP_R_32F
#define CUDA_R_32I HIP_R_32I
#define CUDA_R_64F HIP_R_64F
#define CUDA_R_8I HIP_R_8I
#define __nv_bfloat16 __hip_bfloat16
#define cub hipcub
#define cuda hip
#define cudaDataType hipDataType
#define cudaErrorInvalidValue hipErrorInvalidValue
#define cudaError_t hipError_t
#define cudaFree hipFree
#define cudaGetLastError hipGetLastError
#define cudaMalloc hipMalloc
#define cudaMemcpy hipMemcpy
#define cudaMemcpyDeviceToDevice hipMemcpyDeviceToDevice
#define cudaMemcpyDeviceToHost hipMemcpyDeviceToHost
#define cudaMemcpyHostToDevice hipMemcpyHostToDevice
#define cudaStreamSynchronize hipStreamSynchronize
#define cudaStream_t hipStream_t
#define cudaSuccess hipSuccess
