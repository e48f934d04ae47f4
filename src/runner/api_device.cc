// SPDX-License-Identifier: Apache-2.0
// The one device, as its data has it; what the data does not have is zero.
#include <algorithm>
#include <cstdio>

#include "runner/graph.h"

using namespace ambidex::runner;  // functions of C, outside of any namespace

namespace {

void fill_limits(const Runtime& state, cudaDeviceProp& out) {
  const DeviceLimits& limits = state.limits;
  out.totalGlobalMem = static_cast<size_t>(state.request.limits.max_memory_bytes);
  out.sharedMemPerBlock = static_cast<size_t>(limits.shared_bytes_per_block);
  out.sharedMemPerBlockOptin = static_cast<size_t>(limits.shared_bytes_per_block_opt_in);
  out.sharedMemPerMultiprocessor = static_cast<size_t>(limits.shared_bytes_per_unit);
  out.reservedSharedMemPerBlock = static_cast<size_t>(limits.shared_bytes_reserved);
  out.regsPerBlock = out.regsPerMultiprocessor = static_cast<int>(limits.registers_per_unit);
  out.warpSize = state.request.options.wave_width;
  out.maxThreadsPerBlock = static_cast<int>(kMaxThreadsPerBlock);
  out.maxThreadsPerMultiProcessor = static_cast<int>(limits.max_threads_per_unit);
  out.maxBlocksPerMultiProcessor = static_cast<int>(limits.max_blocks_per_unit);
  out.multiProcessorCount = static_cast<int>(limits.num_units);
  out.clockRate = static_cast<int>(limits.clock_khz);
  out.l2CacheSize = static_cast<int>(limits.l2_bytes);
  out.major = limits.compute_major;
  out.minor = limits.compute_minor;
}

void fill_constants(const Runtime& state, cudaDeviceProp& out) {
  const int deep = state.limits.amd ? 1024 : 64;
  const int wide = state.limits.amd ? 0x7fffffff : 65535;
  const int block[3] = {1024, 1024, deep}, grid[3] = {0x7fffffff, wide, wide};
  std::copy(block, block + 3, out.maxThreadsDim);
  std::copy(grid, grid + 3, out.maxGridSize);
  out.totalConstMem = 65536;
  out.memPitch = 0x7fffffff;
  out.textureAlignment = 512;
  out.concurrentKernels = out.unifiedAddressing = out.managedMemory = 1;
  out.canMapHostMemory = out.cooperativeLaunch = out.concurrentManagedAccess = 1;
  out.asyncEngineCount = 1;
  out.memoryPoolsSupported = out.streamPrioritiesSupported = 1;
}

int attribute_of(const cudaDeviceProp& properties, cudaDeviceAttr attribute, int* value) {
  switch (attribute) {
    case cudaDevAttrMaxThreadsPerBlock:
      *value = properties.maxThreadsPerBlock;
      return kSuccess;
    case cudaDevAttrMaxBlockDimX:
    case cudaDevAttrMaxBlockDimY:
    case cudaDevAttrMaxBlockDimZ:
      *value = properties.maxThreadsDim[attribute - cudaDevAttrMaxBlockDimX];
      return kSuccess;
    case cudaDevAttrMaxGridDimX:
    case cudaDevAttrMaxGridDimY:
    case cudaDevAttrMaxGridDimZ:
      *value = properties.maxGridSize[attribute - cudaDevAttrMaxGridDimX];
      return kSuccess;
    case cudaDevAttrMaxSharedMemoryPerBlock:
      *value = static_cast<int>(properties.sharedMemPerBlock);
      return kSuccess;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
      *value = static_cast<int>(properties.sharedMemPerBlockOptin);
      return kSuccess;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
      *value = static_cast<int>(properties.sharedMemPerMultiprocessor);
      return kSuccess;
    case cudaDevAttrReservedSharedMemoryPerBlock:
      *value = static_cast<int>(properties.reservedSharedMemPerBlock);
      return kSuccess;
    case cudaDevAttrMaxPitch:
      *value = static_cast<int>(properties.memPitch);
      return kSuccess;
    case cudaDevAttrTotalConstantMemory:
      *value = static_cast<int>(properties.totalConstMem);
      return kSuccess;
    case cudaDevAttrWarpSize:
      *value = properties.warpSize;
      return kSuccess;
    case cudaDevAttrMaxRegistersPerBlock:
    case cudaDevAttrMaxRegistersPerMultiprocessor:
      *value = properties.regsPerBlock;
      return kSuccess;
    case cudaDevAttrClockRate:
      *value = properties.clockRate;
      return kSuccess;
    case cudaDevAttrMultiProcessorCount:
      *value = properties.multiProcessorCount;
      return kSuccess;
    case cudaDevAttrMaxThreadsPerMultiProcessor:
      *value = properties.maxThreadsPerMultiProcessor;
      return kSuccess;
    case cudaDevAttrMaxBlocksPerMultiprocessor:
      *value = properties.maxBlocksPerMultiProcessor;
      return kSuccess;
    case cudaDevAttrL2CacheSize:
      *value = properties.l2CacheSize;
      return kSuccess;
    case cudaDevAttrComputeCapabilityMajor:
      *value = properties.major;
      return kSuccess;
    case cudaDevAttrComputeCapabilityMinor:
      *value = properties.minor;
      return kSuccess;
    case cudaDevAttrConcurrentKernels:
    case cudaDevAttrUnifiedAddressing:
    case cudaDevAttrManagedMemory:
    case cudaDevAttrCanMapHostMemory:
    case cudaDevAttrCooperativeLaunch:
    case cudaDevAttrConcurrentManagedAccess:
    case cudaDevAttrMemoryPoolsSupported:
    case cudaDevAttrStreamPrioritiesSupported:
    case cudaDevAttrAsyncEngineCount:
    case cudaDevAttrGpuOverlap:
    case cudaDevAttrHostRegisterSupported:
      *value = 1;
      return kSuccess;
    default:
      *value = 0;  // features that the executor does not have
      return kSuccess;
  }
}

int only_device(int device) { return device == 0 ? kSuccess : kInvalidDevice; }

}  // namespace

extern "C" {

cudaError_t cudaGetDeviceCount(int* count) {
  return api([&](Runtime&) -> int {
    *count = 1;
    return kSuccess;
  });
}
cudaError_t cudaGetDevice(int* device) {
  return api([&](Runtime&) -> int {
    *device = 0;
    return kSuccess;
  });
}
cudaError_t cudaSetDevice(int device) {
  return api([&](Runtime&) { return only_device(device); });
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  return api([&](Runtime& state) -> int {
    if (properties == nullptr) return kInvalidValue;
    if (device != 0) return kInvalidDevice;
    *properties = {};
    std::snprintf(properties->name, sizeof properties->name, "%s (executor)",
                  state.limits.name.c_str());
    fill_limits(state, *properties);
    fill_constants(state, *properties);
    return kSuccess;
  });
}
cudaError_t cudaGetDeviceProperties_v2(cudaDeviceProp* properties, int device) {
  return cudaGetDeviceProperties(properties, device);
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  cudaDeviceProp properties;
  const cudaError_t status = cudaGetDeviceProperties(&properties, device);
  if (status != cudaSuccess) return status;
  return api([&](Runtime&) -> int {
    return value != nullptr ? attribute_of(properties, attribute, value) : kInvalidValue;
  });
}
cudaError_t cudaChooseDevice(int* device, const cudaDeviceProp*) { return cudaGetDevice(device); }
cudaError_t cudaDriverGetVersion(int* version) {
  return api([&](Runtime&) -> int {
    *version = CUDART_VERSION;
    return kSuccess;
  });
}
cudaError_t cudaRuntimeGetVersion(int* version) { return cudaDriverGetVersion(version); }
cudaError_t cudaSetDeviceFlags(unsigned) {
  return api([](Runtime&) { return kSuccess; });
}
cudaError_t cudaInitDevice(int device, unsigned, unsigned) { return cudaSetDevice(device); }
cudaError_t cudaDeviceReset() {
  return api([](Runtime&) { return kSuccess; });
}
cudaError_t cudaDeviceSynchronize() {
  return api([](Runtime& state) {
    note_order(state, "wait for the device");
    return forbid_in_capture(kAnyStream);
  });
}
cudaError_t cudaThreadSynchronize() { return cudaDeviceSynchronize(); }
cudaError_t cudaDeviceSetLimit(cudaLimit, size_t) {
  return api([](Runtime&) { return kSuccess; });
}
cudaError_t cudaDeviceGetLimit(size_t* value, cudaLimit limit) {
  return api([&](Runtime&) -> int {
    if (value == nullptr) return kInvalidValue;
    *value = limit == cudaLimitStackSize ? size_t{1} << 18 : size_t{8} << 20;
    return kSuccess;
  });
}
cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache) {
  return api([](Runtime&) { return kSuccess; });
}
cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig) {
  return api([](Runtime&) { return kSuccess; });
}
cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  return api([&](Runtime&) -> int {
    if (least != nullptr) *least = 0;
    if (greatest != nullptr) *greatest = -5;
    return kSuccess;
  });
}
cudaError_t cudaDeviceCanAccessPeer(int* can, int, int) {
  return api([&](Runtime&) -> int {
    *can = 0;
    return kSuccess;
  });
}
cudaError_t cudaDeviceEnablePeerAccess(int, unsigned) {
  return api([](Runtime&) { return kInvalidDevice; });
}
cudaError_t cudaProfilerStart() {
  return api([](Runtime&) { return kSuccess; });
}
cudaError_t cudaProfilerStop() {
  return api([](Runtime&) { return kSuccess; });
}

}  // extern "C"
