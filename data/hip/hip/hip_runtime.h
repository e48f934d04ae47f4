// SPDX-License-Identifier: Apache-2.0
// HIP's main header: the public API of ROCm 7 as far as ported programs use it.
#pragma once

#include "ambidex_hip/prelude.h"
#include "hip/hip_version.h"

#define __noinline__ __attribute__((noinline))
#define __forceinline__ inline __attribute__((always_inline))
#ifndef __align__
#define __align__(n) __attribute__((aligned(n)))
#endif
// The second argument is the least number of waves per SIMD, not of blocks; there is no third.
#define AMBIDEX_HIP_BOUNDS_1(threads) __attribute__((amdgpu_flat_work_group_size(1, threads)))
#define AMBIDEX_HIP_BOUNDS_2(threads, waves) \
  __attribute__((amdgpu_flat_work_group_size(1, threads), amdgpu_waves_per_eu(waves)))
#define AMBIDEX_HIP_THIRD(a, b, name, ...) name
#define __launch_bounds__(...)                                                 \
  AMBIDEX_HIP_THIRD(__VA_ARGS__, AMBIDEX_HIP_BOUNDS_2, AMBIDEX_HIP_BOUNDS_1, ) \
  (__VA_ARGS__)
#define __HIP_PLATFORM_AMD__ 1

#include "ambidex_hip/intrinsics.h"
#include "hip/hip_runtime_api.h"
