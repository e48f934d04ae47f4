// SPDX-License-Identifier: Apache-2.0
// threadIdx, blockIdx, blockDim, gridDim, warpSize.
#pragma once

#include "ambidex_hip/vector_types.h"

#if defined(AMBIDEX_HIP_GFX)
// Sizes lie among the implicit arguments of code object version 5 and later: three counts of
// blocks (32 bit), then three block sizes (16 bit).
AMBIDEX_HIP_DEVICE unsigned ambidex_hip_blocks(int axis) {
  using Counts = const __attribute__((address_space(4))) unsigned;
  return ((Counts*)__builtin_amdgcn_implicitarg_ptr())[axis];
}
#define AMBIDEX_HIP_THREAD(axis, i) __builtin_amdgcn_workitem_id_##axis()
#define AMBIDEX_HIP_BLOCK(axis, i) __builtin_amdgcn_workgroup_id_##axis()
#define AMBIDEX_HIP_BLOCK_SIZE(axis, i) __builtin_amdgcn_workgroup_size_##axis()
#define AMBIDEX_HIP_GRID_SIZE(axis, i) ambidex_hip_blocks(i)
#else
#define AMBIDEX_HIP_THREAD(axis, i) ambidex_simt_self()->thread[i]
#define AMBIDEX_HIP_BLOCK(axis, i) ambidex_simt_self()->block[i]
#define AMBIDEX_HIP_BLOCK_SIZE(axis, i) ambidex_simt_self()->block_size[i]
#define AMBIDEX_HIP_GRID_SIZE(axis, i) ambidex_simt_self()->grid_size[i]
#endif

#define AMBIDEX_HIP_COORDINATES(Type, READ)                                             \
  struct Type {                                                                         \
    __declspec(property(get = x_of)) unsigned x;                                        \
    __declspec(property(get = y_of)) unsigned y;                                        \
    __declspec(property(get = z_of)) unsigned z;                                        \
    static AMBIDEX_HIP_DEVICE unsigned x_of() { return READ(x, 0); }                    \
    static AMBIDEX_HIP_DEVICE unsigned y_of() { return READ(y, 1); }                    \
    static AMBIDEX_HIP_DEVICE unsigned z_of() { return READ(z, 2); }                    \
    AMBIDEX_HIP_DEVICE operator dim3() const { return dim3(x_of(), y_of(), z_of()); }   \
    AMBIDEX_HIP_DEVICE operator uint3() const { return uint3(x_of(), y_of(), z_of()); } \
    Type(const Type&) = delete;                                                         \
    Type& operator=(const Type&) = delete;                                              \
  };
AMBIDEX_HIP_COORDINATES(ambidex_hip_thread, AMBIDEX_HIP_THREAD)
AMBIDEX_HIP_COORDINATES(ambidex_hip_block, AMBIDEX_HIP_BLOCK)
AMBIDEX_HIP_COORDINATES(ambidex_hip_block_size, AMBIDEX_HIP_BLOCK_SIZE)
AMBIDEX_HIP_COORDINATES(ambidex_hip_grid_size, AMBIDEX_HIP_GRID_SIZE)
#undef AMBIDEX_HIP_COORDINATES

extern const __attribute__((device, weak)) ambidex_hip_thread threadIdx;
extern const __attribute__((device, weak)) ambidex_hip_block blockIdx;
extern const __attribute__((device, weak)) ambidex_hip_block_size blockDim;
extern const __attribute__((device, weak)) ambidex_hip_grid_size gridDim;

AMBIDEX_HIP_DEVICE unsigned ambidex_hip_wave_width() {
#if defined(AMBIDEX_HIP_GFX)
  return 64;  // gfx942 and gfx950 have no other
#else
  return ambidex_simt_self()->wave_width;
#endif
}

// Since ROCm 7 no constant expression.
struct ambidex_hip_warp_size {
  AMBIDEX_HIP_DEVICE operator int() const { return static_cast<int>(ambidex_hip_wave_width()); }
};
static constexpr __attribute__((device, unused)) ambidex_hip_warp_size warpSize{};

AMBIDEX_HIP_DEVICE unsigned __lane_id() {
#if defined(AMBIDEX_HIP_GFX)
  return __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0u));
#else
  return ambidex_simt_self()->lane;
#endif
}
AMBIDEX_HIP_DEVICE unsigned __ambidex_linear_thread() {
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}
