// SPDX-License-Identifier: Apache-2.0
// IEEE binary16: __half, __half2 and their functions.
#pragma once
#pragma GCC system_header

#include "cuda_runtime.h"
//
#include "ambidex_cuda/small_float.h"

#define AMBIDEX_T __half
#define AMBIDEX_T2 __half2
#define AMBIDEX_RAW __half_raw
#define AMBIDEX_RAW2 __half2_raw
#define AMBIDEX_FORMAT ambidex_cuda::Binary16
#define AMBIDEX_DECODE ambidex_cuda::decode_binary16
#ifdef __CUDA_NO_HALF_CONVERSIONS__
#define AMBIDEX_CONVERSIONS 0
#else
#define AMBIDEX_CONVERSIONS 1
#endif
#ifdef __CUDA_NO_HALF_OPERATORS__
#define AMBIDEX_OPERATORS 0
#else
#define AMBIDEX_OPERATORS 1
#endif

#include "ambidex_cuda/small_float_type.h"
//
#include "ambidex_cuda/small_float_functions.h"

typedef __half half;
typedef __half2 half2;
typedef __half nv_half;
typedef __half2 nv_half2;
typedef __half __nv_half;
typedef __half2 __nv_half2;
typedef __half_raw __nv_half_raw;
typedef __half2_raw __nv_half2_raw;

#define AMBIDEX_TO_HALF(suffix, rounding, name, F)                                                \
  AMBIDEX_HD __half name##suffix(F a) {                                                           \
    return __half(__half_raw{                                                                     \
        ambidex_cuda::encode<ambidex_cuda::Binary16, rounding>(ambidex_cuda::sticky_double(a))}); \
  }
#define AMBIDEX_HALF_TO(suffix, rounding, name, I)                           \
  AMBIDEX_HD I name##_##suffix(__half a) {                                   \
    return ambidex_cuda::to_integer<I, rounding>(ambidex_cuda::value_of(a)); \
  }
#define AMBIDEX_HALF_INTEGER(word, I)                         \
  AMBIDEX_EACH_ROUNDING(AMBIDEX_TO_HALF, __##word##2half_, I) \
  AMBIDEX_EACH_ROUNDING(AMBIDEX_HALF_TO, __half2##word, I)

AMBIDEX_EACH_ROUNDING(AMBIDEX_TO_HALF, __float2half_, float)
AMBIDEX_HALF_INTEGER(short, short)
AMBIDEX_HALF_INTEGER(ushort, unsigned short)
AMBIDEX_HALF_INTEGER(int, int)
AMBIDEX_HALF_INTEGER(uint, unsigned int)
AMBIDEX_HALF_INTEGER(ll, long long)
AMBIDEX_HALF_INTEGER(ull, unsigned long long)
AMBIDEX_HD signed char __half2char_rz(__half a) {
  return ambidex_cuda::to_integer<signed char, ambidex_cuda::Rounding::zero>(
      ambidex_cuda::value_of(a));
}
AMBIDEX_HD unsigned char __half2uchar_rz(__half a) {
  return ambidex_cuda::to_integer<unsigned char, ambidex_cuda::Rounding::zero>(
      ambidex_cuda::value_of(a));
}
AMBIDEX_HD __half __float2half(float a) { return __float2half_rn(a); }
AMBIDEX_HD __half __double2half(double a) { return __half(a); }
AMBIDEX_HD float __half2float(__half a) { return ambidex_cuda::value_of(a); }
AMBIDEX_HD __half2 __half2half2(__half a) { return __half2(a, a); }
AMBIDEX_HD __half2 __float2half2_rn(float a) { return __half2half2(__float2half(a)); }
AMBIDEX_HD __half2 __floats2half2_rn(float a, float b) {
  return __half2(__float2half(a), __float2half(b));
}
AMBIDEX_HD __half2 __float22half2_rn(float2 a) { return __floats2half2_rn(a.x, a.y); }
AMBIDEX_HD float2 __half22float2(__half2 a) { return float2{__half2float(a.x), __half2float(a.y)}; }
AMBIDEX_HD float __low2float(__half2 a) { return __half2float(a.x); }
AMBIDEX_HD float __high2float(__half2 a) { return __half2float(a.y); }
AMBIDEX_HD __half __low2half(__half2 a) { return a.x; }
AMBIDEX_HD __half __high2half(__half2 a) { return a.y; }
AMBIDEX_HD __half2 __halves2half2(__half a, __half b) { return __half2(a, b); }
AMBIDEX_HD __half2 make_half2(__half a, __half b) { return __half2(a, b); }
AMBIDEX_HD __half2 __low2half2(__half2 a) { return __half2(a.x, a.x); }
AMBIDEX_HD __half2 __high2half2(__half2 a) { return __half2(a.y, a.y); }
AMBIDEX_HD __half2 __lows2half2(__half2 a, __half2 b) { return __half2(a.x, b.x); }
AMBIDEX_HD __half2 __highs2half2(__half2 a, __half2 b) { return __half2(a.y, b.y); }
AMBIDEX_HD __half2 __lowhigh2highlow(__half2 a) { return __half2(a.y, a.x); }
AMBIDEX_HD short __half_as_short(__half a) { return short(ambidex_cuda::bits_of(a)); }
AMBIDEX_HD unsigned short __half_as_ushort(__half a) { return ambidex_cuda::bits_of(a); }
AMBIDEX_HD __half __short_as_half(short a) { return __half(__half_raw{(unsigned short)a}); }
AMBIDEX_HD __half __ushort_as_half(unsigned short a) { return __half(__half_raw{a}); }

#define CUDART_INF_FP16 __ushort_as_half((unsigned short)0x7C00U)
#define CUDART_NAN_FP16 __ushort_as_half((unsigned short)0x7FFFU)
#define CUDART_MIN_DENORM_FP16 __ushort_as_half((unsigned short)0x0001U)
#define CUDART_MAX_NORMAL_FP16 __ushort_as_half((unsigned short)0x7BFFU)
#define CUDART_NEG_ZERO_FP16 __ushort_as_half((unsigned short)0x8000U)
#define CUDART_ZERO_FP16 __ushort_as_half((unsigned short)0x0000U)
#define CUDART_ONE_FP16 __ushort_as_half((unsigned short)0x3C00U)

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
