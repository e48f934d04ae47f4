// SPDX-License-Identifier: Apache-2.0
#include "port/repair_names.h"

#include <algorithm>
#include <array>
#include <set>

namespace ambidex::repair {
namespace {

using Names = std::set<std::string_view>;

const Names& allowed() {
  static const Names kNames{
      // the language
      "auto", "bool", "break", "case", "char", "const", "const_cast", "constexpr", "continue",
      "decltype", "default", "do", "double", "else", "enum", "extern", "false", "float", "for",
      "if", "int", "int8_t", "int16_t", "int32_t", "int64_t", "long", "nullptr", "return", "short",
      "signed", "size_t", "sizeof", "static_assert", "static_cast", "struct", "switch", "true",
      "typename", "uint8_t", "uint16_t", "uint32_t", "uint64_t", "unsigned", "using", "void",
      "volatile", "while", "std", "ambidex_port", "__restrict__", "__shared__", "reinterpret_cast",
      // coordinates and vectors
      "threadIdx", "blockIdx", "blockDim", "gridDim", "warpSize", "x", "y", "z", "w", "dim3",
      "int2", "int3", "int4", "uint2", "uint3", "uint4", "float2", "float3", "float4", "double2",
      "make_int2", "make_int4", "make_uint2", "make_uint4", "make_float2", "make_float4",
      "make_double2",
      // lanes of a wave
      "__shfl", "__shfl_up", "__shfl_down", "__shfl_xor", "__ballot", "__ballot64", "__any",
      "__all", "__activemask", "__lane_id", "__builtin_amdgcn_wave_barrier",
      "__builtin_amdgcn_fence", "__builtin_amdgcn_readfirstlane", "__builtin_amdgcn_mbcnt_lo",
      "__builtin_amdgcn_mbcnt_hi", "__builtin_amdgcn_s_barrier",
      // order
      "__syncthreads", "__syncthreads_and", "__syncthreads_or", "__syncthreads_count",
      "__threadfence", "__threadfence_block", "__threadfence_system", "atomicAdd", "atomicSub",
      "atomicMin", "atomicMax", "atomicAnd", "atomicOr", "atomicXor", "atomicExch", "atomicCAS",
      "atomicInc", "atomicDec", "__hip_atomic_load", "__hip_atomic_store", "__ATOMIC_RELAXED",
      "__ATOMIC_ACQUIRE", "__ATOMIC_RELEASE", "__ATOMIC_ACQ_REL", "__ATOMIC_SEQ_CST",
      "__HIP_MEMORY_SCOPE_WAVEFRONT", "__HIP_MEMORY_SCOPE_WORKGROUP", "__HIP_MEMORY_SCOPE_AGENT",
      "__HIP_MEMORY_SCOPE_SYSTEM",
      // bits and numbers
      "__popc", "__popcll", "__ffs", "__ffsll", "__clz", "__clzll", "__brev", "__brevll",
      "__float_as_int", "__float_as_uint", "__int_as_float", "__uint_as_float",
      "__double_as_longlong", "__longlong_as_double", "__ldg", "__mulhi", "__umulhi", "min", "max",
      "abs", "fabs", "fabsf", "fmin", "fminf", "fmax", "fmaxf", "fma", "fmaf", "floor", "floorf",
      "ceil", "ceilf", "rint", "rintf", "sqrt", "sqrtf", "exp", "expf", "log", "logf", "pow",
      "powf", "isnan", "isinf", "INFINITY",
      // ambidex_port.h: CUDA's meaning for logical warps of 32 lanes
      "shfl_sync", "shfl_up_sync", "shfl_down_sync", "shfl_xor_sync", "ballot_sync", "any_sync",
      "all_sync", "match_any_sync", "match_all_sync", "reduce_add_sync", "reduce_min_sync",
      "reduce_max_sync", "reduce_and_sync", "reduce_or_sync", "reduce_xor_sync", "syncwarp",
      "activemask", "ballot", "any", "all", "byte_perm", "funnelshift_l", "funnelshift_r"};
  return kNames;
}

// Those that the executor has (data/hip/ambidex_hip): what it cannot run cannot be verified.
const Names& native() {
  static const Names kNames{
      // lanes of a wave of 64
      "__shfl_sync", "__shfl_up_sync", "__shfl_down_sync", "__shfl_xor_sync", "__ballot_sync",
      "__any_sync", "__all_sync", "__match_any", "__match_any_sync", "__syncwarp", "__lanemask_lt",
      "__lanemask_le", "__lanemask_gt", "__lanemask_ge", "__lanemask_eq",
      "__builtin_amdgcn_ballot_w64", "__builtin_amdgcn_readlane", "__builtin_amdgcn_ds_bpermute",
      // matrix instructions, of gfx942 and gfx950, and of the latter alone
      "__builtin_amdgcn_mfma_f32_16x16x4f32", "__builtin_amdgcn_mfma_f32_32x32x2f32",
      "__builtin_amdgcn_mfma_f32_16x16x16f16", "__builtin_amdgcn_mfma_f32_32x32x8f16",
      "__builtin_amdgcn_mfma_f32_16x16x16bf16_1k", "__builtin_amdgcn_mfma_f32_32x32x8bf16_1k",
      "__builtin_amdgcn_mfma_f64_16x16x4f64", "__builtin_amdgcn_mfma_i32_16x16x32_i8",
      "__builtin_amdgcn_mfma_i32_32x32x16_i8", "__builtin_amdgcn_mfma_f32_16x16x32_f16",
      "__builtin_amdgcn_mfma_f32_32x32x16_f16", "__builtin_amdgcn_mfma_f32_16x16x32_bf16",
      "__builtin_amdgcn_mfma_f32_32x32x16_bf16",
      // memory past the registers or the caches
      "__builtin_amdgcn_global_load_lds", "__builtin_nontemporal_load",
      "__builtin_nontemporal_store",
      // how the compiler orders and unrolls
      "__builtin_amdgcn_sched_barrier", "__builtin_amdgcn_s_setprio", "pragma", "unroll",
      // types of operands
      "_Float16", "__bf16", "__half", "half", "half2", "__half2float", "__float2half",
      "__builtin_bit_cast", "typedef", "ext_vector_type", "address_space"};
  return kNames;
}

}  // namespace

bool is_native_name(std::string_view name) { return native().contains(name); }

bool is_narrow_product(std::string_view name) {
  return name.starts_with("__builtin_amdgcn_mfma_") && !name.ends_with("f32") &&
         !name.ends_with("f64");
}

bool is_allowed_name(std::string_view name) { return allowed().contains(name); }

bool is_statement_word(std::string_view name) {
  constexpr std::array<std::string_view, 8> kWords{"return", "else",     "case",   "goto",
                                                   "do",     "co_yield", "sizeof", "throw"};
  return std::find(kWords.begin(), kWords.end(), name) != kWords.end();
}

bool is_forbidden_word(std::string_view name) {
  static const Names kWords{
      "asm",         "__asm",         "__asm__",      "static",       "thread_local",
      "inline",      "__device__",    "__global__",   "__host__",     "__constant__",
      "__managed__", "__attribute__", "__attribute",  "__declspec",   "_Pragma",
      "__pragma",    "new",           "delete",       "throw",        "try",
      "catch",       "typeid",        "dynamic_cast", "template",     "namespace",
      "import",      "module",        "export",       "friend",       "operator",
      "typedef",     "goto",          "co_await",     "co_yield",     "co_return",
      "uintptr_t",   "intptr_t",      "__FILE__",     "__LINE__",     "__COUNTER__",
      "__DATE__",    "__TIME__",      "__func__",     "__FUNCTION__", "__PRETTY_FUNCTION__",
      "setjmp",      "longjmp",       "syscall"};
  return kWords.contains(name);
}

}  // namespace ambidex::repair
