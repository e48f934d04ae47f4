// SPDX-License-Identifier: Apache-2.0
// Included before every HIP source, as hipcc does with clang's wrapper: the attributes, device
// versions of <cmath>, and beneath them what ROCm's device library would give.
//
// Three compilations of these headers: for gfx (AMBIDEX_HIP_GFX), the device's half as host code
// for the executor (AMBIDEX_HIP_SIMT), and the host's half (neither; device code is parsed only).
#pragma once

#include <ambidex/simt_device.h>

#if defined(__amdgcn_processor__)  // __AMDGCN__ is defined wherever clang compiles HIP
#define AMBIDEX_HIP_GFX 1
#elif defined(__HIP_DEVICE_COMPILE__)
#define AMBIDEX_HIP_SIMT 1
#endif

#define AMBIDEX_HIP_DEVICE __attribute__((device, always_inline)) inline
#define AMBIDEX_HIP_BOTH __attribute__((host, device, always_inline)) inline

#if !defined(AMBIDEX_HIP_GFX)
#include "ambidex_hip/builtins_simt.h"
#include "ambidex_hip/matrix_simt.h"
#endif

#include <__clang_hip_runtime_wrapper.h>

#if defined(AMBIDEX_HIP_GFX)
#include "ambidex_hip/ocml_gfx.h"
#else
#include "ambidex_hip/ocml_simt.h"
#endif
