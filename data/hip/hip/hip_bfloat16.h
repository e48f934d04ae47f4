// SPDX-License-Identifier: Apache-2.0
// The older of HIP's two bfloat16 types.
#pragma once

#include "hip/hip_bf16.h"

struct hip_bfloat16 {
  unsigned short data;

  hip_bfloat16() = default;
  AMBIDEX_HIP_BOTH explicit constexpr hip_bfloat16(float x) : data(__ambidex_bf16_bits(x)) {}
  AMBIDEX_HIP_BOTH constexpr operator float() const { return __ambidex_bf16_float(data); }
  AMBIDEX_HIP_BOTH static hip_bfloat16 round_to_bfloat16(float x) { return hip_bfloat16(x); }
};
