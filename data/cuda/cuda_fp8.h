// SPDX-License-Identifier: Apache-2.0
// fp8 of the Open Compute Project's specification: e4m3 (bias 7, no infinity, largest 448) and
// e5m2 (bias 15, largest 57344). On conversion a NaN becomes 0x7f; what is too large becomes the
// largest number (satfinite), or else NaN in e4m3 and infinity in e5m2.
#pragma once
#pragma GCC system_header

#include "cuda_bf16.h"
#include "cuda_fp16.h"

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned int __nv_fp8x4_storage_t;
typedef enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE } __nv_saturation_t;
typedef enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 } __nv_fp8_interpretation_t;

namespace ambidex_cuda {

using Fp8E4M3 = SmallFloat<4, 3>;
using Fp8E5M2 = SmallFloat<5, 2>;

AMBIDEX_HD unsigned char encode_fp8(double x, bool saturate, bool e5m2) {
  if (x != x) return 0x7f;
  const bool negative = __builtin_signbit(x);
  const unsigned largest = e5m2 ? 0x7bu : 0x7eu;
  unsigned magnitude = largest + 1u;  // of an infinity
  if (x - x == 0.0) {
    magnitude = e5m2 ? round_magnitude<Fp8E5M2, Rounding::nearest>(x, negative)
                     : round_magnitude<Fp8E4M3, Rounding::nearest>(x, negative);
  }
  if (magnitude > largest) magnitude = saturate ? largest : e5m2 ? 0x7cu : 0x7fu;
  return (unsigned char)(magnitude | (negative ? 0x80u : 0u));
}
// As binary16, in which every fp8 is exact.
AMBIDEX_HD unsigned short decode_fp8(unsigned char bits, bool e5m2) {
  const unsigned magnitude = bits & 0x7fu;
  const unsigned sign = (bits & 0x80u) << 8;
  if (e5m2) return (unsigned short)(magnitude > 0x7cu ? 0x7fffu : sign | magnitude << 8);
  if (magnitude == 0x7fu) return 0x7fffu;
  const double value = magnitude < 8u
                           ? double(magnitude) * 0x1p-9
                           : double(decode_binary16((unsigned short)(magnitude << 7))) * 0x1p8;
  return (unsigned short)(sign | encode<Binary16>(value));
}

}  // namespace ambidex_cuda

// Only a double's NaN keeps its sign, as NVIDIA's compiler has it.
AMBIDEX_HD __nv_fp8_storage_t __nv_cvt_double_to_fp8(double x, __nv_saturation_t saturate,
                                                     __nv_fp8_interpretation_t interpretation) {
  if (x != x) return __builtin_signbit(x) ? 0xff : 0x7f;
  return ambidex_cuda::encode_fp8(x, saturate == __NV_SATFINITE, interpretation == __NV_E5M2);
}
AMBIDEX_HD __nv_fp8_storage_t __nv_cvt_float_to_fp8(float x, __nv_saturation_t saturate,
                                                    __nv_fp8_interpretation_t interpretation) {
  return ambidex_cuda::encode_fp8(x, saturate == __NV_SATFINITE, interpretation == __NV_E5M2);
}
AMBIDEX_HD __nv_fp8_storage_t __nv_cvt_halfraw_to_fp8(__half_raw x, __nv_saturation_t saturate,
                                                      __nv_fp8_interpretation_t interpretation) {
  return __nv_cvt_float_to_fp8(ambidex_cuda::decode_binary16(x.x), saturate, interpretation);
}
AMBIDEX_HD __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_fp8(
    __nv_bfloat16_raw x, __nv_saturation_t saturate, __nv_fp8_interpretation_t interpretation) {
  return __nv_cvt_float_to_fp8(ambidex_cuda::decode_bfloat16(x.x), saturate, interpretation);
}
AMBIDEX_HD __nv_fp8x2_storage_t __nv_cvt_double2_to_fp8x2(
    double2 x, __nv_saturation_t saturate, __nv_fp8_interpretation_t interpretation) {
  return (unsigned short)(__nv_cvt_double_to_fp8(x.x, saturate, interpretation) |
                          __nv_cvt_double_to_fp8(x.y, saturate, interpretation) << 8);
}
AMBIDEX_HD __nv_fp8x2_storage_t __nv_cvt_float2_to_fp8x2(float2 x, __nv_saturation_t saturate,
                                                         __nv_fp8_interpretation_t interpretation) {
  return (unsigned short)(__nv_cvt_float_to_fp8(x.x, saturate, interpretation) |
                          __nv_cvt_float_to_fp8(x.y, saturate, interpretation) << 8);
}
AMBIDEX_HD __nv_fp8x2_storage_t __nv_cvt_halfraw2_to_fp8x2(
    __half2_raw x, __nv_saturation_t saturate, __nv_fp8_interpretation_t interpretation) {
  return __nv_cvt_float2_to_fp8x2(
      float2{ambidex_cuda::decode_binary16(x.x), ambidex_cuda::decode_binary16(x.y)}, saturate,
      interpretation);
}
AMBIDEX_HD __nv_fp8x2_storage_t __nv_cvt_bfloat16raw2_to_fp8x2(
    __nv_bfloat162_raw x, __nv_saturation_t saturate, __nv_fp8_interpretation_t interpretation) {
  return __nv_cvt_float2_to_fp8x2(
      float2{ambidex_cuda::decode_bfloat16(x.x), ambidex_cuda::decode_bfloat16(x.y)}, saturate,
      interpretation);
}
AMBIDEX_HD __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t x,
                                              __nv_fp8_interpretation_t interpretation) {
  return __half_raw{ambidex_cuda::decode_fp8(x, interpretation == __NV_E5M2)};
}
AMBIDEX_HD __half2_raw __nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t x,
                                                  __nv_fp8_interpretation_t interpretation) {
  const bool e5m2 = interpretation == __NV_E5M2;
  return __half2_raw{ambidex_cuda::decode_fp8((unsigned char)x, e5m2),
                     ambidex_cuda::decode_fp8((unsigned char)(x >> 8), e5m2)};
}

#define AMBIDEX_FP8 __nv_fp8_e4m3
#define AMBIDEX_FP8X2 __nv_fp8x2_e4m3
#define AMBIDEX_FP8X4 __nv_fp8x4_e4m3
#define AMBIDEX_FP8_KIND __NV_E4M3
#include "ambidex_cuda/fp8_type.h"

#define AMBIDEX_FP8 __nv_fp8_e5m2
#define AMBIDEX_FP8X2 __nv_fp8x2_e5m2
#define AMBIDEX_FP8X4 __nv_fp8x4_e5m2
#define AMBIDEX_FP8_KIND __NV_E5M2
#include "ambidex_cuda/fp8_type.h"
