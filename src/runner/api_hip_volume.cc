// SPDX-License-Identifier: Apache-2.0
// HIP's side of api_volume.cc, and of copies of volumes. Structures and values are those of CUDA's,
// which static_assert holds.
#include "runner/api_hip.h"

static_assert(sizeof(hipPitchedPtr) == 4 * sizeof(size_t) && sizeof(hipExtent) == 24);
static_assert(sizeof(hipMemcpy3DParms) == 160 && hipMemPoolAttrUsedMemHigh == 8);

// As this file sees CUDA's: its own types are HIP's.
extern "C" {
int cudaMallocPitch(void** pointer, size_t* pitch, size_t width, size_t height);
int cudaMallocFromPoolAsync(void** pointer, size_t num_bytes, void* pool, void* stream);
int cudaMemcpy3DAsync(const hipMemcpy3DParms* parameters, void* stream);
int cudaMemset2DAsync(void* pointer, size_t pitch, int value, size_t width, size_t height,
                      void* stream);
int cudaMemset3DAsync(hipPitchedPtr pitched, int value, hipExtent extent, void* stream);
int cudaHostGetFlags(unsigned* flags, void* pointer);
int cudaSetValidDevices(int* devices, int num_devices);
int cudaGetDeviceFlags(unsigned* flags);
int cudaDeviceGetCacheConfig(int* config);
int cudaDeviceGetSharedMemConfig(int* config);
int cudaDeviceSetSharedMemConfig(int config);
int cudaDeviceGetPCIBusId(char* text, int num_bytes, int device);
int cudaDeviceGetByPCIBusId(int* device, const char* text);
int cudaDeviceGetDefaultMemPool(void** pool, int device);
int cudaDeviceGetMemPool(void** pool, int device);
int cudaDeviceSetMemPool(int device, void* pool);
int cudaMemPoolCreate(void** pool, const void* properties);
int cudaMemPoolDestroy(void* pool);
int cudaMemPoolTrimTo(void* pool, size_t num_bytes);
int cudaMemPoolSetAttribute(void* pool, int attribute, void* value);
int cudaMemPoolGetAttribute(void* pool, int attribute, void* value);
int cudaMemPoolSetAccess(void* pool, const void* access, size_t count);
int cudaStreamAttachMemAsync(void* stream, void* pointer, size_t num_bytes, unsigned flags);
int cudaStreamGetFlags(void* stream, unsigned* flags);
int cudaStreamGetPriority(void* stream, int* priority);
int cudaEventRecord(void* event, void* stream);
int cudaFuncSetCacheConfig(const void* kernel, int config);
int cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* num_blocks, const void* kernel,
                                                  int block_size, size_t dynamic_bytes);
}

extern "C" {

hipError_t hipMalloc3D(hipPitchedPtr* pitched, hipExtent extent) {
  if (pitched == nullptr) return hipErrorInvalidValue;
  pitched->xsize = extent.width;
  pitched->ysize = extent.height;
  return hip(
      cudaMallocPitch(&pitched->ptr, &pitched->pitch, extent.width, extent.height * extent.depth));
}
hipError_t hipMemcpy3DAsync(const hipMemcpy3DParms* parameters, hipStream_t stream) {
  return hip(cudaMemcpy3DAsync(parameters, stream));
}
hipError_t hipMemcpy3D(const hipMemcpy3DParms* parameters) {
  return hipMemcpy3DAsync(parameters, nullptr);
}
hipError_t hipMemset2DAsync(void* pointer, size_t pitch, int value, size_t width_bytes,
                            size_t height, hipStream_t stream) {
  return hip(cudaMemset2DAsync(pointer, pitch, value, width_bytes, height, stream));
}
hipError_t hipMemset3DAsync(hipPitchedPtr pitched, int value, hipExtent extent,
                            hipStream_t stream) {
  return hip(cudaMemset3DAsync(pitched, value, extent, stream));
}
hipError_t hipMemset3D(hipPitchedPtr pitched, int value, hipExtent extent) {
  return hipMemset3DAsync(pitched, value, extent, nullptr);
}
hipError_t hipHostGetFlags(unsigned* flags, void* pointer) {
  return hip(cudaHostGetFlags(flags, pointer));
}
hipError_t hipStreamAttachMemAsync(hipStream_t stream, void* pointer, size_t num_bytes,
                                   unsigned flags) {
  return hip(cudaStreamAttachMemAsync(stream, pointer, num_bytes, flags));
}

hipError_t hipSetValidDevices(int* devices, int num_devices) {
  return hip(cudaSetValidDevices(devices, num_devices));
}
hipError_t hipGetDeviceFlags(unsigned* flags) { return hip(cudaGetDeviceFlags(flags)); }
hipError_t hipDeviceGetCacheConfig(hipFuncCache_t* config) {
  return hip(cudaDeviceGetCacheConfig(reinterpret_cast<int*>(config)));
}
hipError_t hipDeviceGetSharedMemConfig(hipSharedMemConfig* config) {
  return hip(cudaDeviceGetSharedMemConfig(reinterpret_cast<int*>(config)));
}
hipError_t hipDeviceSetSharedMemConfig(hipSharedMemConfig config) {
  return hip(cudaDeviceSetSharedMemConfig(config));
}
hipError_t hipDeviceGetPCIBusId(char* bus_id, int num_bytes, int device) {
  return hip(cudaDeviceGetPCIBusId(bus_id, num_bytes, device));
}
hipError_t hipDeviceGetByPCIBusId(int* device, const char* bus_id) {
  return hip(cudaDeviceGetByPCIBusId(device, bus_id));
}
hipError_t hipStreamGetFlags(hipStream_t stream, unsigned* flags) {
  return hip(cudaStreamGetFlags(stream, flags));
}
hipError_t hipStreamGetPriority(hipStream_t stream, int* priority) {
  return hip(cudaStreamGetPriority(stream, priority));
}
hipError_t hipEventRecordWithFlags(hipEvent_t event, hipStream_t stream, unsigned) {
  return hip(cudaEventRecord(event, stream));
}
hipError_t hipFuncSetSharedMemConfig(const void* kernel, hipSharedMemConfig) {
  return hip(cudaFuncSetCacheConfig(kernel, 0));
}
hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* num_blocks,
                                                                 const void* kernel, int block_size,
                                                                 size_t dynamic_bytes, unsigned) {
  return hip(
      cudaOccupancyMaxActiveBlocksPerMultiprocessor(num_blocks, kernel, block_size, dynamic_bytes));
}

hipError_t hipMallocFromPoolAsync(void** pointer, size_t num_bytes, hipMemPool_t pool,
                                  hipStream_t stream) {
  return hip(cudaMallocFromPoolAsync(pointer, num_bytes, pool, stream));
}
hipError_t hipDeviceGetDefaultMemPool(hipMemPool_t* pool, int device) {
  return hip(cudaDeviceGetDefaultMemPool(reinterpret_cast<void**>(pool), device));
}
hipError_t hipDeviceGetMemPool(hipMemPool_t* pool, int device) {
  return hip(cudaDeviceGetMemPool(reinterpret_cast<void**>(pool), device));
}
hipError_t hipDeviceSetMemPool(int device, hipMemPool_t pool) {
  return hip(cudaDeviceSetMemPool(device, pool));
}
hipError_t hipMemPoolCreate(hipMemPool_t* pool, const hipMemPoolProps* properties) {
  return hip(cudaMemPoolCreate(reinterpret_cast<void**>(pool), properties));
}
hipError_t hipMemPoolDestroy(hipMemPool_t pool) { return hip(cudaMemPoolDestroy(pool)); }
hipError_t hipMemPoolTrimTo(hipMemPool_t pool, size_t kept_bytes) {
  return hip(cudaMemPoolTrimTo(pool, kept_bytes));
}
hipError_t hipMemPoolSetAttribute(hipMemPool_t pool, hipMemPoolAttr attribute, void* value) {
  return hip(cudaMemPoolSetAttribute(pool, attribute, value));
}
hipError_t hipMemPoolGetAttribute(hipMemPool_t pool, hipMemPoolAttr attribute, void* value) {
  return hip(cudaMemPoolGetAttribute(pool, attribute, value));
}
hipError_t hipMemPoolSetAccess(hipMemPool_t pool, const hipMemAccessDesc* access, size_t count) {
  return hip(cudaMemPoolSetAccess(pool, access, count));
}

}  // extern "C"
