// SPDX-License-Identifier: Apache-2.0
// Pitched memory and volumes, pools, ranges of managed memory, handles for other processes.
// Included by hip_runtime_api.h. Arrays are images, which gfx942 and gfx950 have not: only the type
// is here, for hipMemcpy3DParms.
#pragma once

#define hipMemAttachSingle 0x4
#define hipHostRegisterIoMemory 0x4
#define hipHostRegisterReadOnly 0x8

typedef struct hipArray* hipArray_t;
typedef const struct hipArray* hipArray_const_t;
typedef struct hipExtent {
  size_t width, height, depth;  // width in bytes, where no array takes part
} hipExtent;
typedef struct hipPos {
  size_t x, y, z;
} hipPos;
typedef struct hipPitchedPtr {
  void* ptr;
  size_t pitch, xsize, ysize;
} hipPitchedPtr;
typedef struct hipMemcpy3DParms {
  hipArray_t srcArray;
  struct hipPos srcPos;
  struct hipPitchedPtr srcPtr;
  hipArray_t dstArray;
  struct hipPos dstPos;
  struct hipPitchedPtr dstPtr;
  struct hipExtent extent;
  enum hipMemcpyKind kind;
} hipMemcpy3DParms;

AMBIDEX_HIP_BOTH struct hipExtent make_hipExtent(size_t width, size_t height, size_t depth) {
  return {width, height, depth};
}
AMBIDEX_HIP_BOTH struct hipPos make_hipPos(size_t x, size_t y, size_t z) { return {x, y, z}; }
AMBIDEX_HIP_BOTH struct hipPitchedPtr make_hipPitchedPtr(void* pointer, size_t pitch, size_t xsize,
                                                         size_t ysize) {
  return {pointer, pitch, xsize, ysize};
}

typedef enum hipMemRangeAttribute {
  hipMemRangeAttributeReadMostly = 1,
  hipMemRangeAttributePreferredLocation = 2,
  hipMemRangeAttributeAccessedBy = 3,
  hipMemRangeAttributeLastPrefetchLocation = 4,
  hipMemRangeAttributeCoherencyMode = 100,
} hipMemRangeAttribute;

typedef struct ihipMemPoolHandle_t* hipMemPool_t;
typedef enum hipMemPoolAttr {
  hipMemPoolReuseFollowEventDependencies = 1,
  hipMemPoolReuseAllowOpportunistic = 2,
  hipMemPoolReuseAllowInternalDependencies = 3,
  hipMemPoolAttrReleaseThreshold = 4,
  hipMemPoolAttrReservedMemCurrent = 5,
  hipMemPoolAttrReservedMemHigh = 6,
  hipMemPoolAttrUsedMemCurrent = 7,
  hipMemPoolAttrUsedMemHigh = 8,
} hipMemPoolAttr;
typedef enum hipMemLocationType {
  hipMemLocationTypeInvalid = 0,
  hipMemLocationTypeDevice = 1,
} hipMemLocationType;
typedef struct hipMemLocation {
  hipMemLocationType type;
  int id;
} hipMemLocation;
typedef enum hipMemAccessFlags {
  hipMemAccessFlagsProtNone = 0,
  hipMemAccessFlagsProtRead = 1,
  hipMemAccessFlagsProtReadWrite = 3,
} hipMemAccessFlags;
typedef struct hipMemAccessDesc {
  hipMemLocation location;
  hipMemAccessFlags flags;
} hipMemAccessDesc;
typedef enum hipMemAllocationType {
  hipMemAllocationTypeInvalid = 0,
  hipMemAllocationTypePinned = 1,
  hipMemAllocationTypeMax = 0x7fffffff,
} hipMemAllocationType;
typedef enum hipMemAllocationHandleType {
  hipMemHandleTypeNone = 0,
  hipMemHandleTypePosixFileDescriptor = 1,
  hipMemHandleTypeWin32 = 2,
  hipMemHandleTypeWin32Kmt = 4,
} hipMemAllocationHandleType;
typedef struct hipMemPoolProps {
  hipMemAllocationType allocType;
  hipMemAllocationHandleType handleTypes;
  hipMemLocation location;
  void* win32SecurityAttributes;
  size_t maxSize;
  unsigned char reserved[56];
} hipMemPoolProps;

// Of graphics and of other interfaces; not served here.
typedef void* hipExternalMemory_t;
typedef void* hipExternalSemaphore_t;

typedef struct hipIpcEventHandle_t {
  char reserved[64];
} hipIpcEventHandle_t;

extern "C" {
hipError_t hipMalloc3D(hipPitchedPtr* pitched, hipExtent extent);
hipError_t hipMemcpy3D(const hipMemcpy3DParms* parameters);
hipError_t hipMemcpy3DAsync(const hipMemcpy3DParms* parameters, hipStream_t stream = nullptr);
hipError_t hipMemset2DAsync(void* pointer, size_t pitch, int value, size_t width_bytes,
                            size_t height, hipStream_t stream = nullptr);
hipError_t hipMemset3D(hipPitchedPtr pitched, int value, hipExtent extent);
hipError_t hipMemset3DAsync(hipPitchedPtr pitched, int value, hipExtent extent,
                            hipStream_t stream = nullptr);
hipError_t hipHostGetFlags(unsigned* flags, void* pointer);
hipError_t hipMemRangeGetAttribute(void* value, size_t value_bytes, hipMemRangeAttribute attribute,
                                   const void* pointer, size_t num_bytes);
hipError_t hipStreamAttachMemAsync(hipStream_t stream, void* pointer, size_t num_bytes = 0,
                                   unsigned flags = hipMemAttachSingle);

hipError_t hipMallocFromPoolAsync(void** pointer, size_t num_bytes, hipMemPool_t pool,
                                  hipStream_t stream);
hipError_t hipDeviceGetDefaultMemPool(hipMemPool_t* pool, int device);
hipError_t hipDeviceGetMemPool(hipMemPool_t* pool, int device);
hipError_t hipDeviceSetMemPool(int device, hipMemPool_t pool);
hipError_t hipMemPoolCreate(hipMemPool_t* pool, const hipMemPoolProps* properties);
hipError_t hipMemPoolDestroy(hipMemPool_t pool);
hipError_t hipMemPoolTrimTo(hipMemPool_t pool, size_t kept_bytes);
hipError_t hipMemPoolSetAttribute(hipMemPool_t pool, hipMemPoolAttr attribute, void* value);
hipError_t hipMemPoolGetAttribute(hipMemPool_t pool, hipMemPoolAttr attribute, void* value);
hipError_t hipMemPoolSetAccess(hipMemPool_t pool, const hipMemAccessDesc* access, size_t count);

hipError_t hipIpcGetEventHandle(hipIpcEventHandle_t* handle, hipEvent_t event);
hipError_t hipIpcOpenEventHandle(hipEvent_t* event, hipIpcEventHandle_t handle);

// Of graphs, not served here.
typedef struct hipUserObject* hipUserObject_t;
hipError_t hipGraphAddMemcpyNode(hipGraphNode_t* node, hipGraph_t graph,
                                 const hipGraphNode_t* after, size_t num_after,
                                 const hipMemcpy3DParms* parameters);
hipError_t hipGraphClone(hipGraph_t* clone, hipGraph_t graph);
hipError_t hipGraphDebugDotPrint(hipGraph_t graph, const char* path, unsigned flags);
hipError_t hipDeviceGraphMemTrim(int device);
}
