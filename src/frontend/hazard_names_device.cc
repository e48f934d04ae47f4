// SPDX-License-Identifier: Apache-2.0
#include "frontend/hazard_names.h"

namespace ambidex {
namespace {

using namespace rule_words;

constexpr std::string_view kWmma =
    "rocWMMA has load, mma, store and fill; fragments spread over 64 lanes in another order";
constexpr std::string_view kCutlass =
    "CUTLASS and CuTe have no translation; use a library's product or MFMA by layout tables";
constexpr std::string_view kXf32 = "xf32 products exist on gfx942 and were removed on gfx950";
constexpr std::string_view kWideMfma = "exists on gfx950 only; gfx942 has K = 16 and 8";
constexpr std::string_view kAsync =
    "no asynchronous copy for each lane; copy through registers, keep the barrier";
constexpr std::string_view kSlowAsync = "on gfx9 a blocking loop, slower than a plain copy";
constexpr std::string_view kTma = "no tensor memory accelerator; copy with bounds by all threads";
constexpr std::string_view kCluster = "there are no clusters and no distributed shared memory";
constexpr std::string_view kMbarrier = "there is no mbarrier; use __syncthreads()";
constexpr std::string_view kFp8 =
    "CUDA's e4m3 is OCP (largest 448); gfx942's hardware is FNUZ (240) and gives other bits; name "
    "the format and convert in software where it differs";
constexpr std::string_view kFp8Hardware =
    "the same builtin means FNUZ on gfx942 and OCP on gfx950; name the format";
constexpr std::string_view kBf16 =
    "HIP has two types of bfloat16, and not all of CUDA's functions; go through float";
constexpr std::string_view kApprox = "other last bits than on NVIDIA; judge by a table of ulp";
constexpr std::string_view kSimd = "HIP lacks it; use ambidex_port's, with CUDA's meaning";
constexpr std::string_view kHasSimd = "HIP has it; check selector and signs";
constexpr std::string_view kImage = "no image instructions on gfx942 and gfx950: does not compile";
constexpr std::string_view kHint = "HIP lacks it; a nontemporal or plain access";
constexpr std::string_view kLdg = "a plain load on AMD; the hint is lost";
constexpr std::string_view kStd =
    "libcu++ has no full counterpart on AMD; use HIP's scoped atomics or std";
constexpr std::string_view kTrap = "HIP lacks it; __builtin_trap() or __builtin_debugtrap()";
constexpr std::string_view kPrint =
    "partial on AMD: another order and buffer, and it costs registers";
constexpr std::string_view kHeap =
    "the device heap is partial on AMD; use a pool that the host sizes";

constexpr NameRule kNames[] = {
    // Matrices.
    {"mma.h", kInclude, "N02", kS2, kRule, kWmma},
    {"nvcuda", kWord, "N02", kS2, kRule, kWmma},
    {"wmma", kSpace, "N02", kS2, kRule, kWmma},
    {"matrix_a", kWord, "N02", kS2, kRule, kWmma},
    {"matrix_b", kWord, "N02", kS2, kRule, kWmma},
    {"accumulator", kWord, "N02", kS2, kRule, kWmma},
    {"load_matrix_sync", kCall, "N02", kS2, kRule, kWmma},
    {"store_matrix_sync", kCall, "N02", kS2, kRule, kWmma},
    {"mma_sync", kCall, "N02", kS2, kRule, kWmma},
    {"fill_fragment", kCall, "N02", kS2, kRule, kWmma},
    {"cutlass/", kInclude, "N03", kS2, kAgent, kCutlass},
    {"cute/", kInclude, "N03", kS2, kAgent, kCutlass},
    {"cutlass", kWord, "N03", kS2, kAgent, kCutlass},
    {"cute", kSpace, "N03", kS2, kAgent, kCutlass},
    {"tf32", kWord, "N04", kS2, kRule, kXf32},
    {"__float_to_tf32", kCall, "N04", kS2, kRule, kXf32},
    {"__builtin_amdgcn_mfma_f32_16x16x8_xf32", kCall, "N04", kS2, kRule, kXf32},
    {"__builtin_amdgcn_mfma_f32_32x32x4_xf32", kCall, "N04", kS2, kRule, kXf32},
    {"__builtin_amdgcn_mfma_f32_16x16x32_bf16", kCall, "N04", kS2, kRule, kWideMfma},
    {"__builtin_amdgcn_mfma_f32_16x16x32_f16", kCall, "N04", kS2, kRule, kWideMfma},
    {"__builtin_amdgcn_mfma_f32_32x32x16_bf16", kCall, "N04", kS2, kRule, kWideMfma},
    {"__builtin_amdgcn_mfma_f32_32x32x16_f16", kCall, "N04", kS2, kRule, kWideMfma},
    {"__builtin_amdgcn_mfma_scale_*", kCall, "N04", kS2, kRule, "exists on gfx950 only"},
    // Copies, barriers, clusters.
    {"__pipeline_memcpy_async", kCall, "N05", kS2, kRule, kAsync},
    {"__pipeline_commit", kCall, "N05", kS2, kRule, kAsync},
    {"__pipeline_wait_prior", kCall, "N05", kS2, kRule, kAsync},
    {"__pipeline_arrive_on", kCall, "N05", kS2, kRule, kAsync},
    {"memcpy_async", kCall, "N05", kS3, kRule, kSlowAsync},
    {"make_pipeline", kCall, "N05", kS2, kRule, kAsync},
    {"pipeline_shared_state", kWord, "N05", kS2, kRule, kAsync},
    {"producer_acquire", kCall, "N05", kS2, kRule, kAsync},
    {"producer_commit", kCall, "N05", kS2, kRule, kAsync},
    {"consumer_wait", kCall, "N05", kS2, kRule, kAsync},
    {"consumer_release", kCall, "N05", kS2, kRule, kAsync},
    {"CUtensorMap*", kWord, "N06", kS2, kAgent, kTma},
    {"cuTensorMap*", kCall, "N06", kS2, kAgent, kTma},
    {"cp_async_bulk*", kCall, "N06", kS2, kAgent, kTma},
    {"barrier_arrive_tx", kCall, "N06", kS2, kAgent, kMbarrier},
    {"mbarrier_*", kCall, "N06", kS2, kAgent, kMbarrier},
    {"__mbarrier_*", kCall, "N06", kS2, kAgent, kMbarrier},
    {"cluster_group", kWord, "N06", kS2, kAgent, kCluster},
    {"this_cluster", kCall, "N06", kS2, kAgent, kCluster},
    {"map_shared_rank", kCall, "N06", kS2, kAgent, kCluster},
    {"__cluster_dims__", kWord, "N06", kS2, kAgent, kCluster},
    {"cudaLaunchAttributeClusterDimension", kWord, "N06", kS2, kAgent, kCluster},
    // fp8, bf16.
    {"cuda_fp8.h", kInclude, "N07", kS2, kRule, kFp8},
    {"__nv_fp8*", kWord, "N07", kS0, kRule, kFp8},
    {"__NV_E4M3", kWord, "N07", kS0, kRule, kFp8},
    {"__NV_E5M2", kWord, "N07", kS0, kRule, kFp8},
    {"__nv_cvt_*", kCall, "N07", kS0, kRule, kFp8},
    {"Float8_e4m3*", kWord, "N07", kS0, kRule, kFp8},
    {"Float8_e5m2*", kWord, "N07", kS0, kRule, kFp8},
    {"kFloat8_e*", kWord, "N07", kS0, kRule, kFp8},
    {"__builtin_amdgcn_cvt_*fp8*", kCall, "N07", kS0, kRule, kFp8Hardware},
    {"__builtin_amdgcn_cvt_*bf8*", kCall, "N07", kS0, kRule, kFp8Hardware},
    {"cuda_bf16.h", kInclude, "N09", kS2, kLibrary, kBf16},
    {"__nv_bfloat16*", kWord, "N09", kS2, kLibrary, kBf16},
    {"nv_bfloat16*", kWord, "N09", kS2, kLibrary, kBf16},
    {"__*bfloat16*", kCall, "N09", kS2, kLibrary, kBf16},
    // Approximate functions.
    {"__expf", kCall, "N13", kS3, kLibrary, kApprox},
    {"__exp10f", kCall, "N13", kS3, kLibrary, kApprox},
    {"__logf", kCall, "N13", kS3, kLibrary, kApprox},
    {"__log2f", kCall, "N13", kS3, kLibrary, kApprox},
    {"__log10f", kCall, "N13", kS3, kLibrary, kApprox},
    {"__sinf", kCall, "N13", kS3, kLibrary, kApprox},
    {"__cosf", kCall, "N13", kS3, kLibrary, kApprox},
    {"__tanf", kCall, "N13", kS3, kLibrary, kApprox},
    {"__tanhf", kCall, "N13", kS3, kLibrary, kApprox},
    {"__sincosf", kCall, "N13", kS3, kLibrary, kApprox},
    {"__powf", kCall, "N13", kS3, kLibrary, kApprox},
    {"__fdividef", kCall, "N13", kS3, kLibrary, kApprox},
    {"__frsqrt_rn", kCall, "N13", kS3, kLibrary, kApprox},
    {"rsqrtf", kCall, "N13", kS3, kLibrary, kApprox},
    {"rsqrt", kDevice, "N13", kS3, kLibrary, kApprox},
    {"h2exp*", kCall, "N13", kS3, kLibrary, kApprox},
    {"hexp*", kCall, "N13", kS3, kLibrary, kApprox},
    // Words as vectors.
    {"__dp4a", kCall, "N15", kS2, kLibrary, kSimd},
    {"__dp2a_*", kCall, "N15", kS2, kLibrary, kSimd},
    {"__viadd*", kCall, "N15", kS2, kLibrary, kSimd},
    {"__vimax*", kCall, "N15", kS2, kLibrary, kSimd},
    {"__vimin*", kCall, "N15", kS2, kLibrary, kSimd},
    {"__vibmax*", kCall, "N15", kS2, kLibrary, kSimd},
    {"__vibmin*", kCall, "N15", kS2, kLibrary, kSimd},
    {"__byte_perm", kCall, "N15", kS3, kLibrary, kHasSimd},
    // Images, cache hints.
    {"texture", kWord, "N16", kS2, kProved, kImage},  // texture<...>: see detect_names.cc
    {"surface", kWord, "N16", kS2, kProved, kImage},
    {"tex1D*", kCall, "N16", kS2, kProved, kImage},
    {"tex2D*", kCall, "N16", kS2, kAgent, kImage},
    {"tex3D*", kCall, "N16", kS2, kAgent, kImage},
    {"texCubemap*", kCall, "N16", kS2, kAgent, kImage},
    {"surf1D*", kCall, "N16", kS2, kAgent, kImage},
    {"surf2D*", kCall, "N16", kS2, kAgent, kImage},
    {"surf3D*", kCall, "N16", kS2, kAgent, kImage},
    {"surfCubemap*", kCall, "N16", kS2, kAgent, kImage},
    {"__ldca", kCall, "N17", kS2, kLibrary, kHint},
    {"__ldcg", kCall, "N17", kS2, kLibrary, kHint},
    {"__ldcs", kCall, "N17", kS2, kLibrary, kHint},
    {"__ldcv", kCall, "N17", kS2, kLibrary, "HIP lacks it; a volatile load: no hint, a fresh read"},
    {"__ldlu", kCall, "N17", kS2, kLibrary, kHint},
    {"__stwb", kCall, "N17", kS2, kLibrary, kHint},
    {"__stcg", kCall, "N17", kS2, kLibrary, kHint},
    {"__stcs", kCall, "N17", kS2, kLibrary, kHint},
    {"__stwt", kCall, "N17", kS2, kLibrary, "HIP lacks it; a volatile store"},
    {"__ldg", kCall, "N17", kS3, kLibrary, kLdg},
    {"__prefetch_global_*", kCall, "N17", kS2, kLibrary, kHint},
    {"access_property", kWord, "N17", kS2, kLibrary, kHint},
    // libcu++ by its namespace: the name after cuda:: decides, see detect_names.cc.
    {"cuda::std", kWord, "N18", kS2, kLibrary, kStd},
    {"cuda::atomic*", kWord, "N18", kS2, kLibrary, kStd},
    {"cuda::thread_scope*", kWord, "N18", kS2, kLibrary, kStd},
    {"cuda::memory_order*", kWord, "N18", kS2, kLibrary, kStd},
    {"cuda::barrier", kWord, "N18", kS2, kLibrary, kStd},
    {"cuda::barrier", kWord, "N06", kS2, kAgent, kMbarrier},
    {"cuda::pipeline*", kWord, "N18", kS2, kLibrary, kStd},
    {"cuda::pipeline*", kWord, "N05", kS2, kRule, kAsync},
    {"cuda::memcpy_async", kWord, "N05", kS2, kRule, kAsync},
    {"cuda::aligned_size_t", kWord, "N18", kS2, kLibrary, kStd},
    {"cuda::ptx", kWord, "N06", kS2, kAgent, kTma},
    {"cuda::device", kWord, "N06", kS2, kAgent, kTma},
    {"cuda::counting_semaphore", kWord, "N18", kS2, kLibrary, kStd},
    {"cuda::binary_semaphore", kWord, "N18", kS2, kLibrary, kStd},
    {"cuda::latch", kWord, "N18", kS2, kLibrary, kStd},
    // Services of the device's runtime.
    {"__trap", kCall, "N19", kS2, kLibrary, kTrap},
    {"__brkpt", kCall, "N19", kS2, kLibrary, kTrap},
    {"__prof_trigger", kCall, "N19", kS2, kLibrary, "HIP lacks it; leave it out"},
    {"__assert_fail", kDevice, "N19", kS3, kLibrary, kPrint},
    {"assert", kDevice, "N19", kS3, kLibrary, "may cost many registers, and ends the process"},
    {"printf", kDevice, "N19", kS3, kLibrary, kPrint},
    {"malloc", kDevice, "N19", kS2, kLibrary, kHeap},
    {"free", kDevice, "N19", kS2, kLibrary, kHeap},
};

}  // namespace

std::span<const NameRule> device_names() { return kNames; }

}  // namespace ambidex
