// SPDX-License-Identifier: Apache-2.0
// What devices, streams and kernels are asked and told beside what every program does. Included by
// hip_runtime_api.h.
#pragma once

#define hipDeviceScheduleMask 0x7
#define hipDeviceLmemResizeToMax 0x10
#define hipOccupancyDefault 0x0
#define hipOccupancyDisableCachingOverride 0x1
#define hipCooperativeLaunchMultiDeviceNoPostSync 0x2
#define hipEventRecordDefault 0x0
#define hipEventRecordExternal 0x1
#define hipEventWaitDefault 0x0
#define hipEventWaitExternal 0x1

typedef enum hipSharedMemConfig {
  hipSharedMemBankSizeDefault,
  hipSharedMemBankSizeFourByte,
  hipSharedMemBankSizeEightByte,
} hipSharedMemConfig;
enum hipComputeMode {
  hipComputeModeDefault = 0,
  hipComputeModeExclusive = 1,
  hipComputeModeProhibited = 2,
  hipComputeModeExclusiveProcess = 3,
};
typedef enum hipDeviceP2PAttr {
  hipDevP2PAttrPerformanceRank = 0,
  hipDevP2PAttrAccessSupported,
  hipDevP2PAttrNativeAtomicSupported,
  hipDevP2PAttrHipArrayAccessSupported,
} hipDeviceP2PAttr;
typedef struct hipUUID_t {
  char bytes[16];
} hipUUID;
typedef struct ihipModuleSymbol_t* hipFunction_t;

extern "C" {
hipError_t hipSetValidDevices(int* devices, int num_devices);
hipError_t hipGetDeviceFlags(unsigned* flags);
hipError_t hipDeviceGetCacheConfig(hipFuncCache_t* config);
hipError_t hipDeviceGetSharedMemConfig(hipSharedMemConfig* config);
hipError_t hipDeviceSetSharedMemConfig(hipSharedMemConfig config);
hipError_t hipDeviceGetByPCIBusId(int* device, const char* bus_id);
hipError_t hipDeviceGetPCIBusId(char* bus_id, int num_bytes, int device);
hipError_t hipDeviceGetP2PAttribute(int* value, hipDeviceP2PAttr attribute, int device, int peer);
hipError_t hipStreamGetFlags(hipStream_t stream, unsigned* flags);
hipError_t hipStreamGetPriority(hipStream_t stream, int* priority);
hipError_t hipEventRecordWithFlags(hipEvent_t event, hipStream_t stream = nullptr,
                                   unsigned flags = 0);
hipError_t hipFuncSetSharedMemConfig(const void* kernel, hipSharedMemConfig config);
hipError_t hipGetFuncBySymbol(hipFunction_t* function, const void* kernel);
hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* num_blocks,
                                                                 const void* kernel, int block_size,
                                                                 size_t dynamic_bytes,
                                                                 unsigned flags);
}

template <class... A>
hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int* num_blocks, void (*kernel)(A...), int block_size, size_t dynamic_bytes, unsigned flags) {
  return hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
      num_blocks, reinterpret_cast<const void*>(kernel), block_size, dynamic_bytes, flags);
}
template <class... A>
hipError_t hipOccupancyMaxPotentialBlockSizeWithFlags(int* grid_size, int* block_size,
                                                      void (*kernel)(A...),
                                                      size_t dynamic_bytes = 0, int limit = 0,
                                                      unsigned = 0) {
  return hipOccupancyMaxPotentialBlockSize(
      grid_size, block_size, reinterpret_cast<const void*>(kernel), dynamic_bytes, limit);
}
