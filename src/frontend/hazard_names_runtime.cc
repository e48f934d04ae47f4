// SPDX-License-Identifier: Apache-2.0
#include "frontend/hazard_names.h"

namespace ambidex {
namespace {

using namespace rule_words;

constexpr std::string_view kOptIn =
    "AMD needs no opt-in, and a size above the device's limit is an error; check it against 65,536 "
    "bytes (gfx942) and look at the result";
constexpr std::string_view kCarveOut = "has no effect: LDS and L1 are separate on CDNA";
constexpr std::string_view kManaged =
    "without XNACK managed memory is pinned host memory, and every access crosses the link; use "
    "device memory and explicit copies";
constexpr std::string_view kCapture =
    "which calls are legal during a capture differs between ROCm versions; look at every result";
constexpr std::string_view kGraph = "graphs are partial and differ between ROCm versions";
constexpr std::string_view kLaunchEx =
    "launch attributes for clusters and dependent launch have no counterpart; launch plainly";
constexpr std::string_view kDependent =
    "there is no programmatic dependent launch; kernels of a stream follow each other";
constexpr std::string_view kPool = "stream-ordered pools are partial on AMD; look at the result";
constexpr std::string_view kIpc =
    "IPC handles are partial: of the start of an allocation only; look at the result";
constexpr std::string_view kVirtual =
    "virtual memory management is partial and has another granularity; ask for it";
constexpr std::string_view kPeer = "peer access depends on another topology; look at the result";
constexpr std::string_view kEvent = "event timing and flags differ in resolution";
constexpr std::string_view kBlas =
    "hipBLAS and hipBLASLt lack some types, layouts and epilogues at run time; look at the status";
constexpr std::string_view kDnn = "MIOpen's API has another shape; map or refuse by name";
constexpr std::string_view kNccl = "RCCL has the names; versions and topologies differ";
constexpr std::string_view kSolver = "the hip library has the names, with gaps; look at the status";
constexpr std::string_view kRandom =
    "hipRAND gives other numbers for the same seed; compare by statistics, or use one "
    "counter-based generator on both";
constexpr std::string_view kCub =
    "hipCUB has the public names only, from the ROCm version of each on; internals are missing";
constexpr std::string_view kThrust =
    "rocThrust has the public names; results of sums differ in order";
constexpr std::string_view kStd =
    "libcu++ has no full counterpart on AMD; use HIP's scoped atomics or std";

constexpr NameRule kNames[] = {
    {"cudaFuncAttributeMaxDynamicSharedMemorySize", kWord, "R02", kS1, kRule, kOptIn},
    {"CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES", kWord, "R02", kS1, kRule, kOptIn},
    {"cudaFuncAttributePreferredSharedMemoryCarveout", kWord, "R02", kS3, kRule, kCarveOut},
    {"cudaDeviceSetSharedMemConfig", kCall, "R02", kS3, kRule, kCarveOut},
    {"cudaFuncSetSharedMemConfig", kCall, "R02", kS3, kRule, kCarveOut},
    {"cudaDevAttrMaxSharedMemoryPerBlockOptin", kWord, "R07", kS0, kRule,
     "may be 0 here; the whole LDS is cudaDevAttrMaxSharedMemoryPerBlock"},
    {"cudaDevAttrComputeCapabilityMajor", kWord, "R07", kS0, kRule,
     "is 9 on gfx942; ask for the feature instead"},
    {"cudaDevAttrComputeCapabilityMinor", kWord, "R07", kS0, kRule,
     "means another thing here; ask for the feature instead"},
    {"CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_*", kWord, "R07", kS0, kRule,
     "means another thing here; ask for the feature instead"},
    {"cudaDevAttrMultiProcessorCount", kWord, "R07", kS3, kRule,
     "compute units are other units than SMs; a multiple of it fits another machine"},
    {"cudaMallocManaged", kCall, "R10", kS3, kProved, kManaged},
    {"cuMemAllocManaged", kCall, "R10", kS3, kProved, kManaged},
    {"__managed__", kWord, "R10", kS3, kProved, kManaged},
    {"cudaMemPrefetchAsync", kCall, "R10", kS3, kProved, kManaged},
    {"cudaMemAdvise", kCall, "R10", kS3, kProved, kManaged},
    {"cudaStreamBeginCapture*", kCall, "R11", kS1, kRule, kCapture},
    {"cudaStreamEndCapture", kCall, "R11", kS1, kRule, kCapture},
    {"cudaStreamIsCapturing", kCall, "R11", kS1, kRule, kCapture},
    {"cudaStreamGetCaptureInfo*", kCall, "R11", kS1, kRule, kCapture},
    {"cudaThreadExchangeStreamCaptureMode", kCall, "R11", kS1, kRule, kCapture},
    {"cudaGraph*", kCall, "R11", kS1, kRule, kGraph},
    {"cudaLaunchKernelEx*", kCall, "R11", kS2, kAgent, kLaunchEx},
    {"cuLaunchKernelEx", kCall, "R11", kS2, kAgent, kLaunchEx},
    {"cudaLaunchConfig_t", kWord, "R11", kS2, kAgent, kLaunchEx},
    {"cudaLaunchAttribute*", kWord, "R11", kS2, kAgent, kLaunchEx},
    {"cudaGridDependencySynchronize", kCall, "R11", kS2, kAgent, kDependent},
    {"cudaTriggerProgrammaticLaunchCompletion", kCall, "R11", kS2, kAgent, kDependent},
    {"__grid_constant__", kWord, "R11", kS2, kRule, "HIP does not know the word; leave it out"},
    {"__cluster_dims__", kWord, "R11", kS2, kAgent, "there are no clusters on CDNA"},
    {"cudaMallocAsync", kCall, "R12", kS1, kRule, kPool},
    {"cudaMallocFromPoolAsync", kCall, "R12", kS1, kRule, kPool},
    {"cudaFreeAsync", kCall, "R12", kS1, kRule, kPool},
    {"cudaMemPool*", kCall, "R12", kS1, kRule, kPool},
    {"cudaDeviceGetDefaultMemPool", kCall, "R12", kS1, kRule, kPool},
    {"cudaDeviceSetMemPool", kCall, "R12", kS1, kRule, kPool},
    {"cudaIpc*", kCall, "R12", kS1, kRule, kIpc},
    {"cudaImportExternal*", kCall, "R12", kS1, kRule, "external memory is partial on AMD"},
    {"cuMemCreate", kCall, "R12", kS1, kRule, kVirtual},
    {"cuMemMap*", kCall, "R12", kS1, kRule, kVirtual},
    {"cuMemUnmap", kCall, "R12", kS1, kRule, kVirtual},
    {"cuMemAddress*", kCall, "R12", kS1, kRule, kVirtual},
    {"cuMemSetAccess", kCall, "R12", kS1, kRule, kVirtual},
    {"cuMemGetAllocationGranularity", kCall, "R12", kS1, kRule, kVirtual},
    {"cuMulticast*", kCall, "R12", kS1, kAgent, "there is no multicast memory"},
    {"cudaDeviceEnablePeerAccess", kCall, "R12", kS1, kRule, kPeer},
    {"cudaDeviceCanAccessPeer", kCall, "R12", kS1, kRule, kPeer},
    {"cudaEventElapsedTime*", kCall, "R12", kS3, kRule, kEvent},
    {"cudaEventCreateWithFlags", kCall, "R12", kS3, kRule, kEvent},
    // Textures on the host's side.
    {"cudaTextureObject_t", kWord, "N16", kS1, kProved, "texture objects fail for linear filters"},
    {"cudaSurfaceObject_t", kWord, "N16", kS1, kProved,
     "there are no surfaces on gfx942 and gfx950"},
    {"cudaCreateTextureObject", kCall, "N16", kS1, kProved, "fails for linear filters on CDNA"},
    {"cudaCreateSurfaceObject", kCall, "N16", kS1, kProved, "there are no surfaces on CDNA"},
    {"cudaBindTexture*", kCall, "N16", kS2, kProved, "texture references are gone"},
    {"cudaBindSurface*", kCall, "N16", kS2, kProved, "surface references are gone"},
    {"cudaFilterModeLinear", kWord, "N16", kS1, FixKind::agent, "no filter on CDNA; write it out"},
    {"cudaMalloc3DArray", kCall, "N16", kS1, kProved, "arrays serve images, which CDNA lacks"},
    {"cudaMallocArray", kCall, "N16", kS1, kProved, "arrays serve images, which CDNA lacks"},
    {"cudaMallocMipmappedArray", kCall, "N16", kS1, kProved,
     "arrays serve images, which CDNA lacks"},
    {"cudaMemcpyToArray", kCall, "N16", kS1, kProved, "arrays serve images, which CDNA lacks"},
    {"cudaMemcpy2DToArray*", kCall, "N16", kS1, kProved, "arrays serve images, which CDNA lacks"},
    // L2 persistence.
    {"cudaAccessPolicyWindow", kWord, "N17", kS3, kRule, "no L2 persistence; the hint is dropped"},
    {"cudaStreamAttributeAccessPolicyWindow", kWord, "N17", kS3, kRule, "no L2 persistence"},
    {"accessPolicyWindow", kWord, "N17", kS3, kRule, "no L2 persistence; the hint is dropped"},
    {"cudaLimitPersistingL2CacheSize", kWord, "N17", kS3, kRule, "no L2 persistence"},
    {"cudaCtxResetPersistingL2Cache", kCall, "N17", kS3, kRule, "no L2 persistence"},
    {"cudaFuncSetCacheConfig", kCall, "N17", kS3, kRule, kCarveOut},
    {"cudaDeviceSetCacheConfig", kCall, "N17", kS3, kRule, kCarveOut},
    // libcu++.
    {"cuda/barrier", kInclude, "N06", kS2, kAgent, "there is no mbarrier"},
    {"cuda/ptx", kInclude, "N06", kS2, kAgent, "instructions of Hopper"},
    {"cuda/pipeline", kInclude, "N05", kS2, kRule, "no such header; copy synchronously"},
    {"cuda_pipeline", kInclude, "N05", kS2, kRule, "no such header; copy synchronously"},
    {"cuda/", kInclude, "N18", kS2, kLibrary, kStd},
    {"nv/target", kInclude, "N18", kS2, kLibrary, "no such header; use __HIP_DEVICE_COMPILE__"},
    {"NV_IF_TARGET", kCall, "N18", kS2, kLibrary, "no such macro; use __HIP_DEVICE_COMPILE__"},
    {"NV_IF_ELSE_TARGET", kCall, "N18", kS2, kLibrary, "no such macro; use __HIP_DEVICE_COMPILE__"},
    {"libcudacxx", kSpace, "N18", kS2, kLibrary, kStd},
    // CUB, Thrust.
    {"cub/", kInclude, "N20", kS2, kRule, kCub},
    {"cub", kSpace, "N20", kS2, kRule, kCub},
    {"LaneId", kCall, "W11", kS0, kRule,
     "hipCUB's is of the wave, 0 to 63; use ambidex_port::lane_id()"},
    {"CubDebug*", kWord, "N20", kS2, kRule, kCub},
    {"CTA_SYNC", kWord, "N20", kS2, kRule, kCub},
    {"thrust/", kInclude, "N20", kS3, kRule, kThrust},
    {"thrust", kSpace, "N20", kS3, kRule, kThrust},
    // Libraries.
    {"cublas", kInclude, "N21", kS1, kRule, kBlas},
    {"cublas*", kCall, "N21", kS1, kRule, kBlas},
    {"cudnn", kInclude, "N21", kS1, kRule, kDnn},
    {"cudnn*", kCall, "N21", kS1, kRule, kDnn},
    {"nccl", kInclude, "N21", kS1, kRule, kNccl},
    {"nccl*", kCall, "N21", kS1, kRule, kNccl},
    {"cusparse", kInclude, "N21", kS1, kRule, kSolver},
    {"cusparse*", kCall, "N21", kS1, kRule, kSolver},
    {"cusolver", kInclude, "N21", kS1, kRule, kSolver},
    {"cusolver*", kCall, "N21", kS1, kRule, kSolver},
    {"cufft", kInclude, "N21", kS1, kRule, kSolver},
    {"cufft*", kCall, "N21", kS1, kRule, kSolver},
    {"CUBLAS_TF32_TENSOR_OP_MATH", kWord, "N04", kS2, kRule, "TF32 is fp32 or bf16 parts here"},
    {"CUBLAS_COMPUTE_32F_FAST_TF32", kWord, "N04", kS2, kRule, "xf32 exists on gfx942 only"},
    {"CUDA_R_8F_*", kWord, "N07", kS0, kRule, "the format of gfx942's hardware is FNUZ, not OCP"},
    {"curand", kInclude, "N22", kS0, kRule, kRandom},
    {"curand*", kCall, "N22", kS0, kRule, kRandom},
    {"curandState*", kWord, "N22", kS0, kRule, kRandom},
    {"curandGenerator_t", kWord, "N22", kS0, kRule, kRandom},
};

}  // namespace

std::span<const NameRule> runtime_names() { return kNames; }

}  // namespace ambidex
