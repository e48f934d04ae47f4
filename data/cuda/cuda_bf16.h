// SPDX-License-Identifier: Apache-2.0
// bfloat16: __nv_bfloat16, __nv_bfloat162 and their functions.
#pragma once
#pragma GCC system_header

#include "cuda_fp16.h"

#define AMBIDEX_T __nv_bfloat16
#define AMBIDEX_T2 __nv_bfloat162
#define AMBIDEX_RAW __nv_bfloat16_raw
#define AMBIDEX_RAW2 __nv_bfloat162_raw
#define AMBIDEX_FORMAT ambidex_cuda::BFloat16
#define AMBIDEX_DECODE ambidex_cuda::decode_bfloat16
#ifdef __CUDA_NO_BFLOAT16_CONVERSIONS__
#define AMBIDEX_CONVERSIONS 0
#else
#define AMBIDEX_CONVERSIONS 1
#endif
#ifdef __CUDA_NO_BFLOAT16_OPERATORS__
#define AMBIDEX_OPERATORS 0
#else
#define AMBIDEX_OPERATORS 1
#endif

#include "ambidex_cuda/small_float_type.h"
//
#include "ambidex_cuda/small_float_functions.h"

typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

#define AMBIDEX_TO_BF16(suffix, rounding, name, F)                                                \
  AMBIDEX_HD __nv_bfloat16 name##suffix(F a) {                                                    \
    return __nv_bfloat16(__nv_bfloat16_raw{                                                       \
        ambidex_cuda::encode<ambidex_cuda::BFloat16, rounding>(ambidex_cuda::sticky_double(a))}); \
  }
#define AMBIDEX_BF16_TO(suffix, rounding, name, I)                           \
  AMBIDEX_HD I name##_##suffix(__nv_bfloat16 a) {                            \
    return ambidex_cuda::to_integer<I, rounding>(ambidex_cuda::value_of(a)); \
  }
#define AMBIDEX_BF16_INTEGER(word, I)                             \
  AMBIDEX_EACH_ROUNDING(AMBIDEX_TO_BF16, __##word##2bfloat16_, I) \
  AMBIDEX_EACH_ROUNDING(AMBIDEX_BF16_TO, __bfloat162##word, I)

AMBIDEX_EACH_ROUNDING(AMBIDEX_TO_BF16, __float2bfloat16_, float)
AMBIDEX_BF16_INTEGER(short, short)
AMBIDEX_BF16_INTEGER(ushort, unsigned short)
AMBIDEX_BF16_INTEGER(int, int)
AMBIDEX_BF16_INTEGER(uint, unsigned int)
AMBIDEX_BF16_INTEGER(ll, long long)
AMBIDEX_BF16_INTEGER(ull, unsigned long long)
AMBIDEX_HD signed char __bfloat162char_rz(__nv_bfloat16 a) {
  return ambidex_cuda::to_integer<signed char, ambidex_cuda::Rounding::zero>(
      ambidex_cuda::value_of(a));
}
AMBIDEX_HD unsigned char __bfloat162uchar_rz(__nv_bfloat16 a) {
  return ambidex_cuda::to_integer<unsigned char, ambidex_cuda::Rounding::zero>(
      ambidex_cuda::value_of(a));
}
AMBIDEX_HD __nv_bfloat16 __float2bfloat16(float a) { return __float2bfloat16_rn(a); }
AMBIDEX_HD __nv_bfloat16 __double2bfloat16(double a) { return __nv_bfloat16(a); }
AMBIDEX_HD float __bfloat162float(__nv_bfloat16 a) { return ambidex_cuda::value_of(a); }
AMBIDEX_HD __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 a) { return __nv_bfloat162(a, a); }
AMBIDEX_HD __nv_bfloat162 __float2bfloat162_rn(float a) {
  return __bfloat162bfloat162(__float2bfloat16(a));
}
AMBIDEX_HD __nv_bfloat162 __floats2bfloat162_rn(float a, float b) {
  return __nv_bfloat162(__float2bfloat16(a), __float2bfloat16(b));
}
AMBIDEX_HD __nv_bfloat162 __float22bfloat162_rn(float2 a) {
  return __floats2bfloat162_rn(a.x, a.y);
}
AMBIDEX_HD float2 __bfloat1622float2(__nv_bfloat162 a) {
  return float2{__bfloat162float(a.x), __bfloat162float(a.y)};
}
AMBIDEX_HD float __low2float(__nv_bfloat162 a) { return __bfloat162float(a.x); }
AMBIDEX_HD float __high2float(__nv_bfloat162 a) { return __bfloat162float(a.y); }
AMBIDEX_HD __nv_bfloat16 __low2bfloat16(__nv_bfloat162 a) { return a.x; }
AMBIDEX_HD __nv_bfloat16 __high2bfloat16(__nv_bfloat162 a) { return a.y; }
AMBIDEX_HD __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) {
  return __nv_bfloat162(a, b);
}
AMBIDEX_HD __nv_bfloat162 make_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) {
  return __nv_bfloat162(a, b);
}
AMBIDEX_HD __nv_bfloat162 __low2bfloat162(__nv_bfloat162 a) { return __nv_bfloat162(a.x, a.x); }
AMBIDEX_HD __nv_bfloat162 __high2bfloat162(__nv_bfloat162 a) { return __nv_bfloat162(a.y, a.y); }
AMBIDEX_HD __nv_bfloat162 __lows2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) {
  return __nv_bfloat162(a.x, b.x);
}
AMBIDEX_HD __nv_bfloat162 __highs2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) {
  return __nv_bfloat162(a.y, b.y);
}
AMBIDEX_HD __nv_bfloat162 __lowhigh2highlow(__nv_bfloat162 a) { return __nv_bfloat162(a.y, a.x); }
AMBIDEX_HD short __bfloat16_as_short(__nv_bfloat16 a) { return short(ambidex_cuda::bits_of(a)); }
AMBIDEX_HD unsigned short __bfloat16_as_ushort(__nv_bfloat16 a) { return ambidex_cuda::bits_of(a); }
AMBIDEX_HD __nv_bfloat16 __short_as_bfloat16(short a) {
  return __nv_bfloat16(__nv_bfloat16_raw{(unsigned short)a});
}
AMBIDEX_HD __nv_bfloat16 __ushort_as_bfloat16(unsigned short a) {
  return __nv_bfloat16(__nv_bfloat16_raw{a});
}

#define CUDART_INF_BF16 __ushort_as_bfloat16((unsigned short)0x7F80U)
#define CUDART_NAN_BF16 __ushort_as_bfloat16((unsigned short)0x7FFFU)
#define CUDART_MIN_DENORM_BF16 __ushort_as_bfloat16((unsigned short)0x0001U)
#define CUDART_MAX_NORMAL_BF16 __ushort_as_bfloat16((unsigned short)0x7F7FU)
#define CUDART_NEG_ZERO_BF16 __ushort_as_bfloat16((unsigned short)0x8000U)
#define CUDART_ZERO_BF16 __ushort_as_bfloat16((unsigned short)0x0000U)
#define CUDART_ONE_BF16 __ushort_as_bfloat16((unsigned short)0x3F80U)

#undef AMBIDEX_T
#undef AMBIDEX_T2
#undef AMBIDEX_RAW
#undef AMBIDEX_RAW2
#undef AMBIDEX_FORMAT
#undef AMBIDEX_DECODE
#undef AMBIDEX_CONVERSIONS
#undef AMBIDEX_OPERATORS
#undef AMBIDEX_ROUND
#undef AMBIDEX_VALUE
#undef AMBIDEX_1
#undef AMBIDEX_2
