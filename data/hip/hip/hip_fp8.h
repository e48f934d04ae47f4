// SPDX-License-Identifier: Apache-2.0
// 8-bit floats with HIP's names: OCP's formats, and AMD's own before gfx950 (FNUZ). Which one the
// matrix instructions read is the GPU's; these types are always what their names say.
#pragma once

#include "ambidex_port/fp8.h"
#include "hip/hip_bf16.h"
#include "hip/hip_fp16.h"

typedef unsigned char __hip_fp8_storage_t;
typedef unsigned short __hip_fp8x2_storage_t;
typedef unsigned int __hip_fp8x4_storage_t;
enum __hip_saturation_t { __HIP_NOSAT = 0, __HIP_SATFINITE = 1 };
enum __hip_fp8_interpretation_t {
  __HIP_E4M3 = 0,
  __HIP_E5M2 = 1,
  __HIP_E4M3_FNUZ = 2,
  __HIP_E5M2_FNUZ = 3,
};

AMBIDEX_HIP_BOTH __hip_fp8_storage_t __hip_cvt_float_to_fp8(float x, __hip_saturation_t saturation,
                                                            __hip_fp8_interpretation_t kind) {
  return ambidex_port::cvt_float_to_fp8(x, static_cast<ambidex_port::saturation>(saturation),
                                        static_cast<ambidex_port::fp8_kind>(kind));
}
AMBIDEX_HIP_BOTH __hip_fp8x2_storage_t __hip_cvt_float2_to_fp8x2(float2 x,
                                                                 __hip_saturation_t saturation,
                                                                 __hip_fp8_interpretation_t kind) {
  return ambidex_port::cvt_float2_to_fp8x2(x, static_cast<ambidex_port::saturation>(saturation),
                                           static_cast<ambidex_port::fp8_kind>(kind));
}
AMBIDEX_HIP_BOTH __half_raw __hip_cvt_fp8_to_halfraw(__hip_fp8_storage_t x,
                                                     __hip_fp8_interpretation_t kind) {
  return __half(ambidex_port::cvt_fp8_to_float(x, static_cast<ambidex_port::fp8_kind>(kind)));
}

// Conversions to float are implicit in HIP.
template <ambidex_port::fp8_kind kind>
struct __ambidex_fp8 : ambidex_port::fp8_number<kind> {
  using Number = ambidex_port::fp8_number<kind>;
  __ambidex_fp8() = default;
  template <class T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0>
  AMBIDEX_HIP_BOTH explicit __ambidex_fp8(T x) : Number(static_cast<float>(x)) {}
  AMBIDEX_HIP_BOTH explicit __ambidex_fp8(__half x) : Number(__half2float(x)) {}
  AMBIDEX_HIP_BOTH explicit __ambidex_fp8(__hip_bfloat16 x) : Number(__bfloat162float(x)) {}
  AMBIDEX_HIP_BOTH operator float() const {
    return ambidex_port::cvt_fp8_to_float(this->__x, kind);
  }
};
using __hip_fp8_e4m3 = __ambidex_fp8<ambidex_port::e4m3>;
using __hip_fp8_e5m2 = __ambidex_fp8<ambidex_port::e5m2>;
using __hip_fp8_e4m3_fnuz = __ambidex_fp8<ambidex_port::e4m3_fnuz>;
using __hip_fp8_e5m2_fnuz = __ambidex_fp8<ambidex_port::e5m2_fnuz>;
using __hip_fp8x2_e4m3 = ambidex_port::fp8_pair<ambidex_port::e4m3>;
using __hip_fp8x2_e5m2 = ambidex_port::fp8_pair<ambidex_port::e5m2>;
using __hip_fp8x2_e4m3_fnuz = ambidex_port::fp8_pair<ambidex_port::e4m3_fnuz>;
using __hip_fp8x2_e5m2_fnuz = ambidex_port::fp8_pair<ambidex_port::e5m2_fnuz>;
using __hip_fp8x4_e4m3 = ambidex_port::fp8_four<ambidex_port::e4m3>;
using __hip_fp8x4_e5m2 = ambidex_port::fp8_four<ambidex_port::e5m2>;
using __hip_fp8x4_e4m3_fnuz = ambidex_port::fp8_four<ambidex_port::e4m3_fnuz>;
using __hip_fp8x4_e5m2_fnuz = ambidex_port::fp8_four<ambidex_port::e5m2_fnuz>;
