// SPDX-License-Identifier: Apache-2.0
// HIP's runtime but for copies (api_hip_copy.cc), streams and graphs (api_hip_stream.cc).
#include "runner/api_hip.h"

#include <cstdio>

#include "runner/launch.h"

// As this file sees CUDA's: its own types are HIP's.
extern "C" {
int cudaGetLastError();
int cudaPeekAtLastError();
const char* cudaGetErrorString(int error);
const char* ambidex_hip_error_name(int error);
int cudaDriverGetVersion(int* version);
int cudaGetDevice(int* device);
int cudaGetDeviceCount(int* count);
int cudaSetDevice(int device);
int cudaDeviceSynchronize();
int cudaStreamQuery(void* stream);
int cudaDeviceGetStreamPriorityRange(int* least, int* greatest);
int cudaMalloc(void** pointer, size_t num_bytes);
int cudaMallocAsync(void** pointer, size_t num_bytes, void* stream);
int cudaFree(void* pointer);
int cudaFreeAsync(void* pointer, void* stream);
int cudaMallocPitch(void** pointer, size_t* pitch, size_t width, size_t height);
int cudaMallocManaged(void** pointer, size_t num_bytes, unsigned flags);
int cudaHostAlloc(void** pointer, size_t num_bytes, unsigned flags);
int cudaHostRegister(void* pointer, size_t num_bytes, unsigned flags);
int cudaHostUnregister(void* pointer);
int cudaHostGetDevicePointer(void** device, void* host, unsigned flags);
int cudaMemGetInfo(size_t* free_bytes, size_t* total_bytes);
int cudaLaunchKernel(const void* kernel, dim3 grid, dim3 block, void** arguments,
                     size_t dynamic_bytes, void* stream);
int cudaLaunchCooperativeKernel(const void* kernel, dim3 grid, dim3 block, void** arguments,
                                size_t dynamic_bytes, void* stream);
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t dynamic_bytes, void* stream);
int __cudaPopCallConfiguration(dim3* grid, dim3* block, size_t* dynamic_bytes, void* stream);
int cudaFuncSetAttribute(const void* kernel, int attribute, int value);
int cudaFuncSetCacheConfig(const void* kernel, int config);
int cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* num_blocks, const void* kernel,
                                                  int block_size, size_t dynamic_bytes);
}

using namespace ambidex::runner;  // functions of C, outside of any namespace

namespace {

// For calls that have nothing to do here: fails as every call does once a kernel has failed.
hipError_t nothing() { return hip(cudaStreamQuery(nullptr)); }

void fill_properties(const Runtime& state, hipDeviceProp_t& out) {
  const DeviceLimits& limits = state.limits;
  std::snprintf(out.name, sizeof out.name, "%s (executor)", limits.name.c_str());
  std::snprintf(out.gcnArchName, sizeof out.gcnArchName, "%s:sramecc+:xnack-", limits.isa.c_str());
  out.totalGlobalMem = static_cast<size_t>(state.request.limits.max_memory_bytes);
  out.sharedMemPerBlock = static_cast<size_t>(limits.shared_bytes_per_block);
  out.sharedMemPerBlockOptin = out.sharedMemPerBlock;
  out.sharedMemPerMultiprocessor = static_cast<size_t>(limits.shared_bytes_per_unit);
  out.maxSharedMemoryPerMultiProcessor = out.sharedMemPerMultiprocessor;
  out.regsPerBlock = out.regsPerMultiprocessor = static_cast<int>(limits.registers_per_unit);
  out.warpSize = state.request.options.wave_width;
  out.maxThreadsPerBlock = static_cast<int>(kMaxThreadsPerBlock);
  out.maxThreadsPerMultiProcessor = static_cast<int>(limits.max_threads_per_unit);
  out.maxBlocksPerMultiProcessor = static_cast<int>(limits.max_blocks_per_unit);
  for (int& extent : out.maxThreadsDim) extent = static_cast<int>(kMaxThreadsPerBlock);
  out.maxGridSize[0] = 0x7fffffff;
  out.maxGridSize[1] = out.maxGridSize[2] = 65536;
  out.multiProcessorCount = static_cast<int>(limits.num_units);
  out.clockRate = static_cast<int>(limits.clock_khz);
  out.l2CacheSize = static_cast<int>(limits.l2_bytes);
  out.major = limits.compute_major;
  out.minor = limits.compute_minor;
  out.totalConstMem = 0x7fffffff;
  out.memPitch = 0x7fffffff;
  out.concurrentKernels = out.unifiedAddressing = out.managedMemory = 1;
  out.canMapHostMemory = out.cooperativeLaunch = out.memoryPoolsSupported = 1;
}

int attribute_of(const hipDeviceProp_t& properties, hipDeviceAttribute_t attribute) {
  switch (attribute) {
    case hipDeviceAttributeWarpSize:
      return properties.warpSize;
    case hipDeviceAttributeMultiprocessorCount:
      return properties.multiProcessorCount;
    case hipDeviceAttributeMaxThreadsPerBlock:
      return properties.maxThreadsPerBlock;
    case hipDeviceAttributeMaxThreadsPerMultiProcessor:
      return properties.maxThreadsPerMultiProcessor;
    case hipDeviceAttributeMaxBlocksPerMultiProcessor:
      return properties.maxBlocksPerMultiProcessor;
    case hipDeviceAttributeMaxBlockDimX:
    case hipDeviceAttributeMaxBlockDimY:
    case hipDeviceAttributeMaxBlockDimZ:
      return properties.maxThreadsDim[0];
    case hipDeviceAttributeMaxGridDimX:
      return properties.maxGridSize[0];
    case hipDeviceAttributeMaxGridDimY:
    case hipDeviceAttributeMaxGridDimZ:
      return properties.maxGridSize[1];
    case hipDeviceAttributeMaxSharedMemoryPerBlock:
    case hipDeviceAttributeSharedMemPerBlockOptin:
      return static_cast<int>(properties.sharedMemPerBlock);
    case hipDeviceAttributeMaxSharedMemoryPerMultiprocessor:
      return static_cast<int>(properties.sharedMemPerMultiprocessor);
    case hipDeviceAttributeMaxRegistersPerBlock:
    case hipDeviceAttributeMaxRegistersPerMultiprocessor:
      return properties.regsPerBlock;
    case hipDeviceAttributeClockRate:
      return properties.clockRate;
    case hipDeviceAttributeMaxPitch:
      return static_cast<int>(properties.memPitch);
    case hipDeviceAttributeTotalConstantMemory:
      return static_cast<int>(properties.totalConstMem);
    case hipDeviceAttributeL2CacheSize:
      return properties.l2CacheSize;
    case hipDeviceAttributeComputeCapabilityMajor:
      return properties.major;
    case hipDeviceAttributeComputeCapabilityMinor:
      return properties.minor;
    case hipDeviceAttributeCooperativeLaunch:
    case hipDeviceAttributeConcurrentKernels:
    case hipDeviceAttributeManagedMemory:
    case hipDeviceAttributeUnifiedAddressing:
    case hipDeviceAttributeCanMapHostMemory:
    case hipDeviceAttributeMemoryPoolsSupported:
    case hipDeviceAttributeHostRegisterSupported:
      return 1;
    default:
      return 0;  // features that the executor does not have
  }
}

}  // namespace

extern "C" {

const char* hipGetErrorName(hipError_t error) { return ambidex_hip_error_name(error); }
const char* hipGetErrorString(hipError_t error) { return cudaGetErrorString(error); }
hipError_t hipGetLastError() { return hip(cudaGetLastError()); }
hipError_t hipPeekAtLastError() { return hip(cudaPeekAtLastError()); }

hipError_t hipInit(unsigned) { return nothing(); }
hipError_t hipDriverGetVersion(int* version) {
  *version = 70000000;
  return nothing();
}
hipError_t hipRuntimeGetVersion(int* version) { return hipDriverGetVersion(version); }
hipError_t hipGetDevice(int* device) { return hip(cudaGetDevice(device)); }
hipError_t hipGetDeviceCount(int* count) { return hip(cudaGetDeviceCount(count)); }
hipError_t hipSetDevice(int device) { return hip(cudaSetDevice(device)); }
hipError_t hipSetDeviceFlags(unsigned) { return nothing(); }
hipError_t hipDeviceReset() { return nothing(); }
hipError_t hipDeviceSynchronize() { return hip(cudaDeviceSynchronize()); }
hipError_t hipDeviceSetCacheConfig(hipFuncCache_t) { return nothing(); }
hipError_t hipDeviceSetLimit(hipLimit_t, size_t) { return nothing(); }
hipError_t hipDeviceGetLimit(size_t* value, hipLimit_t limit) {
  *value = limit == hipLimitStackSize ? size_t{1} << 18 : size_t{8} << 20;
  return nothing();
}
hipError_t hipDeviceCanAccessPeer(int* can, int, int) {
  *can = 0;
  return nothing();
}
hipError_t hipDeviceGetStreamPriorityRange(int* least, int* greatest) {
  return hip(cudaDeviceGetStreamPriorityRange(least, greatest));
}
hipError_t hipGetDeviceProperties(hipDeviceProp_t* properties, int device) {
  if (const int status = cudaSetDevice(device); status != 0) return hip(status);
  *properties = {};
  fill_properties(runtime(), *properties);
  return hipSuccess;
}
hipError_t hipChooseDevice(int* device, const hipDeviceProp_t*) { return hipGetDevice(device); }
hipError_t hipDeviceGetAttribute(int* value, hipDeviceAttribute_t attribute, int device) {
  hipDeviceProp_t properties;
  const hipError_t status = hipGetDeviceProperties(&properties, device);
  if (status == hipSuccess) *value = attribute_of(properties, attribute);
  return status;
}

hipError_t hipMalloc(void** pointer, size_t num_bytes) {
  return hip(cudaMalloc(pointer, num_bytes));
}
hipError_t hipMallocAsync(void** pointer, size_t num_bytes, hipStream_t stream) {
  return hip(cudaMallocAsync(pointer, num_bytes, stream));
}
hipError_t hipFree(void* pointer) { return hip(cudaFree(pointer)); }
hipError_t hipFreeAsync(void* pointer, hipStream_t stream) {
  return hip(cudaFreeAsync(pointer, stream));
}
hipError_t hipMallocPitch(void** pointer, size_t* pitch, size_t width, size_t height) {
  return hip(cudaMallocPitch(pointer, pitch, width, height));
}
hipError_t hipMallocManaged(void** pointer, size_t num_bytes, unsigned flags) {
  return hip(cudaMallocManaged(pointer, num_bytes, flags));
}
hipError_t hipHostMalloc(void** pointer, size_t num_bytes, unsigned flags) {
  return hip(cudaHostAlloc(pointer, num_bytes, flags));
}
hipError_t hipHostFree(void* pointer) { return hip(cudaFree(pointer)); }
hipError_t hipHostRegister(void* pointer, size_t num_bytes, unsigned flags) {
  return hip(cudaHostRegister(pointer, num_bytes, flags));
}
hipError_t hipHostUnregister(void* pointer) { return hip(cudaHostUnregister(pointer)); }
hipError_t hipHostGetDevicePointer(void** device, void* host, unsigned flags) {
  return hip(cudaHostGetDevicePointer(device, host, flags));
}
hipError_t hipMemGetInfo(size_t* free_bytes, size_t* total_bytes) {
  return hip(cudaMemGetInfo(free_bytes, total_bytes));
}
hipError_t hipMemAdvise(const void*, size_t, hipMemoryAdvise, int) { return nothing(); }
hipError_t hipMemPrefetchAsync(const void*, size_t, int, hipStream_t) { return nothing(); }

hipError_t hipLaunchKernel(const void* kernel, dim3 grid, dim3 block, void** arguments,
                           size_t dynamic_bytes, hipStream_t stream) {
  return hip(cudaLaunchKernel(kernel, grid, block, arguments, dynamic_bytes, stream));
}
hipError_t hipLaunchCooperativeKernel(const void* kernel, dim3 grid, dim3 block, void** arguments,
                                      unsigned dynamic_bytes, hipStream_t stream) {
  return hip(cudaLaunchCooperativeKernel(kernel, grid, block, arguments, dynamic_bytes, stream));
}
hipError_t __hipPushCallConfiguration(dim3 grid, dim3 block, size_t dynamic_bytes,
                                      hipStream_t stream) {
  return hip(static_cast<int>(__cudaPushCallConfiguration(grid, block, dynamic_bytes, stream)));
}
hipError_t __hipPopCallConfiguration(dim3* grid, dim3* block, size_t* dynamic_bytes,
                                     hipStream_t* stream) {
  return hip(__cudaPopCallConfiguration(grid, block, dynamic_bytes, stream));
}
hipError_t hipFuncSetAttribute(const void* kernel, hipFuncAttribute attribute, int value) {
  return hip(cudaFuncSetAttribute(kernel, attribute, value));
}
hipError_t hipFuncSetCacheConfig(const void* kernel, hipFuncCache_t config) {
  return hip(cudaFuncSetCacheConfig(kernel, config));
}
hipError_t hipFuncGetAttributes(hipFuncAttributes* attributes, const void* function) {
  const auto found = runtime().handles.find(function);
  if (found == runtime().handles.end()) return hipErrorInvalidDeviceFunction;
  const Kernel& kernel = *found->second;
  *attributes = {};
  attributes->sharedSizeBytes = static_cast<size_t>(kernel.shared_bytes);
  attributes->maxThreadsPerBlock =
      static_cast<int>(kernel.max_threads != 0 ? kernel.max_threads : kMaxThreadsPerBlock);
  attributes->maxDynamicSharedSizeBytes =
      static_cast<int>(runtime().limits.shared_bytes_per_block - kernel.shared_bytes);
  attributes->numRegs = 32;  // not known here: the code is not compiled for the device
  return hipSuccess;
}
hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessor(int* num_blocks, const void* kernel,
                                                        int block_size, size_t dynamic_bytes) {
  return hip(
      cudaOccupancyMaxActiveBlocksPerMultiprocessor(num_blocks, kernel, block_size, dynamic_bytes));
}
// The largest block of those with most threads on a unit.
hipError_t hipOccupancyMaxPotentialBlockSize(int* grid_size, int* block_size, const void* kernel,
                                             size_t dynamic_bytes, int limit) {
  hipFuncAttributes attributes;
  const hipError_t status = hipFuncGetAttributes(&attributes, kernel);
  if (status != hipSuccess) return status;
  const DeviceLimits& limits = runtime().limits;
  int most = attributes.maxThreadsPerBlock;
  if (limit > 0 && limit < most) most = limit;
  int best_threads = 0;
  for (int size = most; size > 0; size -= static_cast<int>(limits.wave_width)) {
    int blocks = 0;
    hipOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, size, dynamic_bytes);
    if (blocks * size <= best_threads) continue;
    best_threads = blocks * size;
    *block_size = size;
    *grid_size = blocks * static_cast<int>(limits.num_units);
  }
  return best_threads > 0 ? hipSuccess : hipErrorInvalidConfiguration;
}
hipError_t hipPointerGetAttributes(hipPointerAttribute_t* attributes, const void* pointer) {
  const Where where = where_is(runtime(), pointer, 1);
  *attributes = {};
  if (!where.known) return hipErrorInvalidValue;
  attributes->devicePointer = const_cast<void*>(pointer);
  attributes->type = hipMemoryTypeDevice;
  if (where.kind == MemoryKind::device) return hipSuccess;
  const bool managed = where.kind == MemoryKind::managed;
  attributes->isManaged = managed ? 1 : 0;
  attributes->type = managed ? hipMemoryTypeManaged : hipMemoryTypeHost;
  attributes->hostPointer = attributes->devicePointer;
  return hipSuccess;
}
hipError_t hipProfilerStart() { return nothing(); }
hipError_t hipProfilerStop() { return nothing(); }

}  // extern "C"
