// SPDX-License-Identifier: Apache-2.0
// Takes back what library_begin.h has defined.
#undef CUDA_R_16BF
#undef CUDA_R_16F
#undef CUDA_R_32F
#undef CUDA_R_32I
#undef CUDA_R_64F
#undef CUDA_R_8I
#undef __nv_bfloat16
#undef cub
#undef cuda
#undef cudaDataType
#undef cudaErrorInvalidValue
#undef cudaError_t
#undef cudaFree
#undef cudaGetLastError
#undef cudaMalloc
#undef cudaMemcpy
#undef cudaMemcpyDeviceToDevice
#undef cudaMemcpyDeviceToHost
#undef cudaMemcpyHostToDevice
#undef cudaStreamSynchronize
#undef cudaStream_t
#undef cudaSuccess
