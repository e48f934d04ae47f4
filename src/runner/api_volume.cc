// SPDX-License-Identifier: Apache-2.0
// Volumes, pools and questions of CUDA's runtime that are asked seldom.
#include <cstdio>
#include <cstring>

#include "runner/graph.h"

using namespace ambidex::runner;  // functions of C, outside of any namespace

struct CUmemPoolHandle_st {
  uint64_t release_threshold_bytes = 0;
};

namespace {

CUmemPoolHandle_st default_pool;
cudaMemPool_t current_pool = &default_pool;

cudaError_t answer(cudaMemPool_t* place, cudaMemPool_t pool, int device) {
  return api([&](Runtime&) -> int {
    if (place == nullptr) return kInvalidValue;
    if (device != 0) return kInvalidDevice;
    *place = pool;
    return kSuccess;
  });
}

int fill_slices(Runtime& state, const cudaPitchedPtr& pitched, int value,
                const cudaExtent& extent) {
  if (extent.width > pitched.pitch) return 12;  // invalid pitch
  for (size_t slice = 0; slice < extent.depth; ++slice) {
    for (size_t row = 0; row < extent.height; ++row) {
      char* const to =
          static_cast<char*>(pitched.ptr) + (slice * pitched.ysize + row) * pitched.pitch;
      const int status = fill(state, to, value, extent.width);
      if (status != kSuccess) return status;
    }
  }
  return kSuccess;
}

}  // namespace

extern "C" {

cudaError_t cudaMemset3DAsync(cudaPitchedPtr pitched, int value, cudaExtent extent,
                              cudaStream_t stream) {
  return api([&](Runtime& state) {
    return give(state, stream, cudaGraphNodeTypeMemset,
                [=](Runtime& now) { return fill_slices(now, pitched, value, extent); });
  });
}
cudaError_t cudaMemset3D(cudaPitchedPtr pitched, int value, cudaExtent extent) {
  return cudaMemset3DAsync(pitched, value, extent, nullptr);
}

cudaError_t cudaHostGetFlags(unsigned* flags, void* pointer) {
  return api([&](Runtime& state) -> int {
    const Where where = where_is(state, pointer, 1);
    if (flags == nullptr || !where.known || where.kind != MemoryKind::host) return kInvalidValue;
    *flags = cudaHostAllocMapped;
    return kSuccess;
  });
}
cudaError_t cudaSetValidDevices(int* devices, int num_devices) {
  return api([&](Runtime&) -> int {
    if (num_devices < 0 || (num_devices > 0 && devices == nullptr)) return kInvalidValue;
    for (int i = 0; i < num_devices; ++i) {
      if (devices[i] != 0) return kInvalidDevice;
    }
    return kSuccess;
  });
}
cudaError_t cudaGetDeviceFlags(unsigned* flags) {
  return api([&](Runtime&) -> int {
    if (flags == nullptr) return kInvalidValue;
    *flags = cudaDeviceMapHost;
    return kSuccess;
  });
}
cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache* config) {
  return api([&](Runtime&) -> int {
    if (config == nullptr) return kInvalidValue;
    *config = cudaFuncCachePreferNone;
    return kSuccess;
  });
}
cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig* config) {
  return api([&](Runtime&) -> int {
    if (config == nullptr) return kInvalidValue;
    *config = cudaSharedMemBankSizeFourByte;
    return kSuccess;
  });
}
cudaError_t cudaDeviceGetPCIBusId(char* text, int num_bytes, int device) {
  return api([&](Runtime&) -> int {
    if (text == nullptr || num_bytes < 13) return kInvalidValue;
    if (device != 0) return kInvalidDevice;
    std::snprintf(text, static_cast<size_t>(num_bytes), "0000:00:00.0");
    return kSuccess;
  });
}
cudaError_t cudaDeviceGetByPCIBusId(int* device, const char* text) {
  return api([&](Runtime&) -> int {
    if (device == nullptr || text == nullptr) return kInvalidValue;
    if (std::strcmp(text, "0000:00:00.0") != 0) return kInvalidDevice;
    *device = 0;
    return kSuccess;
  });
}

// Pools: memory is given out as by cudaMalloc, so a pool only remembers what it was told.
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device) {
  return answer(pool, &default_pool, device);
}
cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int device) {
  return answer(pool, current_pool, device);
}
cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool) {
  return api([&](Runtime&) -> int {
    if (device != 0) return kInvalidDevice;
    if (pool == nullptr) return kInvalidValue;
    current_pool = pool;
    return kSuccess;
  });
}
cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, const cudaMemPoolProps* properties) {
  return api([&](Runtime&) -> int {
    if (pool == nullptr || properties == nullptr) return kInvalidValue;
    *pool = new CUmemPoolHandle_st;
    return kSuccess;
  });
}
cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
  return api([&](Runtime&) -> int {
    if (pool == nullptr || pool == &default_pool) return kInvalidValue;
    if (current_pool == pool) current_pool = &default_pool;
    delete pool;
    return kSuccess;
  });
}
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t) {
  return api([&](Runtime&) -> int { return pool != nullptr ? kSuccess : kInvalidValue; });
}
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
  return api([&](Runtime&) -> int {
    if (pool == nullptr || value == nullptr) return kInvalidValue;
    if (attribute == cudaMemPoolAttrReleaseThreshold) {
      std::memcpy(&pool->release_threshold_bytes, value, sizeof pool->release_threshold_bytes);
    }
    return kSuccess;
  });
}
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
  return api([&](Runtime& state) -> int {
    if (pool == nullptr || value == nullptr) return kInvalidValue;
    if (attribute < cudaMemPoolAttrReleaseThreshold) {
      std::memset(value, 0, sizeof(int));  // what is reused: nothing
      return kSuccess;
    }
    const uint64_t bytes = attribute == cudaMemPoolAttrReleaseThreshold
                               ? pool->release_threshold_bytes
                               : static_cast<uint64_t>(state.allocated_bytes);
    std::memcpy(value, &bytes, sizeof bytes);
    return kSuccess;
  });
}
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const cudaMemAccessDesc*, size_t) {
  return api([&](Runtime&) -> int { return pool != nullptr ? kSuccess : kInvalidValue; });
}

}  // extern "C"
