// SPDX-License-Identifier: Apache-2.0
// Typed forms of HIP's host functions: those that ROCm 6.2 has. Included by hip_runtime_api.h.
#pragma once

template <class T>
hipError_t hipMalloc(T** pointer, size_t num_bytes) {
  return hipMalloc(reinterpret_cast<void**>(pointer), num_bytes);
}
template <class T>
hipError_t hipMallocAsync(T** pointer, size_t num_bytes, hipStream_t stream) {
  return hipMallocAsync(reinterpret_cast<void**>(pointer), num_bytes, stream);
}
template <class T>
hipError_t hipMallocFromPoolAsync(T** pointer, size_t num_bytes, hipMemPool_t pool,
                                  hipStream_t stream) {
  return hipMallocFromPoolAsync(reinterpret_cast<void**>(pointer), num_bytes, pool, stream);
}
template <class T>
hipError_t hipMallocManaged(T** pointer, size_t num_bytes, unsigned flags = hipMemAttachGlobal) {
  return hipMallocManaged(reinterpret_cast<void**>(pointer), num_bytes, flags);
}
template <class T>
hipError_t hipHostMalloc(T** pointer, size_t num_bytes, unsigned flags = hipHostMallocDefault) {
  return hipHostMalloc(reinterpret_cast<void**>(pointer), num_bytes, flags);
}
template <class T>
hipError_t hipMemcpyToSymbol(const T& symbol, const void* from, size_t num_bytes, size_t offset = 0,
                             hipMemcpyKind kind = hipMemcpyHostToDevice) {
  return hipMemcpyToSymbol(static_cast<const void*>(&symbol), from, num_bytes, offset, kind);
}
template <class T>
hipError_t hipMemcpyFromSymbol(void* to, const T& symbol, size_t num_bytes, size_t offset = 0,
                               hipMemcpyKind kind = hipMemcpyDeviceToHost) {
  return hipMemcpyFromSymbol(to, static_cast<const void*>(&symbol), num_bytes, offset, kind);
}
template <class T>
hipError_t hipGetSymbolAddress(void** pointer, const T& symbol) {
  return hipGetSymbolAddress(pointer, static_cast<const void*>(&symbol));
}
template <class T>
hipError_t hipGetSymbolSize(size_t* num_bytes, const T& symbol) {
  return hipGetSymbolSize(num_bytes, static_cast<const void*>(&symbol));
}
template <class... A>
hipError_t hipFuncGetAttributes(hipFuncAttributes* attributes, void (*kernel)(A...)) {
  return hipFuncGetAttributes(attributes, reinterpret_cast<const void*>(kernel));
}
template <class... A>
hipError_t hipFuncSetAttribute(void (*kernel)(A...), hipFuncAttribute attribute, int value) {
  return hipFuncSetAttribute(reinterpret_cast<const void*>(kernel), attribute, value);
}
template <class... A>
hipError_t hipLaunchCooperativeKernel(void (*kernel)(A...), dim3 grid, dim3 block, void** arguments,
                                      unsigned dynamic_bytes, hipStream_t stream) {
  return hipLaunchCooperativeKernel(reinterpret_cast<const void*>(kernel), grid, block, arguments,
                                    dynamic_bytes, stream);
}
template <class... A>
hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessor(int* num_blocks, void (*kernel)(A...),
                                                        int block_size, size_t dynamic_bytes) {
  return hipOccupancyMaxActiveBlocksPerMultiprocessor(
      num_blocks, reinterpret_cast<const void*>(kernel), block_size, dynamic_bytes);
}
template <class... A>
hipError_t hipOccupancyMaxPotentialBlockSize(int* grid_size, int* block_size, void (*kernel)(A...),
                                             size_t dynamic_bytes = 0, int limit = 0) {
  return hipOccupancyMaxPotentialBlockSize(
      grid_size, block_size, reinterpret_cast<const void*>(kernel), dynamic_bytes, limit);
}

#if defined(__HIP__)
#define HIP_KERNEL_NAME(...) __VA_ARGS__
#define hipLaunchKernelGGL(kernel, grid, block, dynamic_bytes, stream, ...) \
  kernel<<<dim3(grid), dim3(block), dynamic_bytes, stream>>>(__VA_ARGS__)
#define hipLaunchKernelGGLInternal hipLaunchKernelGGL
#define HIP_SYMBOL(x) x
#define HIP_DYNAMIC_SHARED(type, name) extern __shared__ type name[];
#endif
