// SPDX-License-Identifier: Apache-2.0
// One fp8 type and its vectors of two and four; included by cuda_fp8.h once for each, with
// AMBIDEX_FP8, AMBIDEX_FP8X2, AMBIDEX_FP8X4 and AMBIDEX_FP8_KIND. Constructors saturate.

#define AMBIDEX_FP8_FROM(I)                                                            \
  AMBIDEX_MEMBER_HD explicit AMBIDEX_FP8(I value)                                      \
      : __x(__nv_cvt_double_to_fp8(ambidex_cuda::sticky_double(value), __NV_SATFINITE, \
                                   AMBIDEX_FP8_KIND)) {}
#define AMBIDEX_FP8_TO(I)                                                           \
  AMBIDEX_MEMBER_HD explicit operator I() const {                                   \
    return ambidex_cuda::to_integer<I, ambidex_cuda::Rounding::zero>(float(*this)); \
  }

struct __attribute__((aligned(1))) AMBIDEX_FP8 {
  __nv_fp8_storage_t __x;
  AMBIDEX_FP8() = default;
  AMBIDEX_MEMBER_HD explicit AMBIDEX_FP8(__half value)
      : __x(__nv_cvt_halfraw_to_fp8(value, __NV_SATFINITE, AMBIDEX_FP8_KIND)) {}
  AMBIDEX_MEMBER_HD explicit AMBIDEX_FP8(__nv_bfloat16 value)
      : __x(__nv_cvt_bfloat16raw_to_fp8(value, __NV_SATFINITE, AMBIDEX_FP8_KIND)) {}
  AMBIDEX_MEMBER_HD explicit AMBIDEX_FP8(float value)
      : __x(__nv_cvt_float_to_fp8(value, __NV_SATFINITE, AMBIDEX_FP8_KIND)) {}
  AMBIDEX_FP8_FROM(double)
  AMBIDEX_FP8_FROM(short)
  AMBIDEX_FP8_FROM(unsigned short)
  AMBIDEX_FP8_FROM(int)
  AMBIDEX_FP8_FROM(unsigned int)
  AMBIDEX_FP8_FROM(long)
  AMBIDEX_FP8_FROM(unsigned long)
  AMBIDEX_FP8_FROM(long long)
  AMBIDEX_FP8_FROM(unsigned long long)
  AMBIDEX_MEMBER_HD explicit operator __half() const {
    return __half(__nv_cvt_fp8_to_halfraw(__x, AMBIDEX_FP8_KIND));
  }
  AMBIDEX_MEMBER_HD explicit operator float() const {
    return ambidex_cuda::decode_binary16(__nv_cvt_fp8_to_halfraw(__x, AMBIDEX_FP8_KIND).x);
  }
  AMBIDEX_MEMBER_HD explicit operator double() const { return float(*this); }
  AMBIDEX_MEMBER_HD explicit operator __nv_bfloat16() const { return __nv_bfloat16(float(*this)); }
  AMBIDEX_FP8_TO(char)
  AMBIDEX_FP8_TO(signed char)
  AMBIDEX_FP8_TO(unsigned char)
  AMBIDEX_FP8_TO(short)
  AMBIDEX_FP8_TO(unsigned short)
  AMBIDEX_FP8_TO(int)
  AMBIDEX_FP8_TO(unsigned int)
  AMBIDEX_FP8_TO(long)
  AMBIDEX_FP8_TO(unsigned long)
  AMBIDEX_FP8_TO(long long)
  AMBIDEX_FP8_TO(unsigned long long)
  AMBIDEX_MEMBER_HD explicit operator bool() const { return (__x & 0x7fu) != 0; }
};

struct __attribute__((aligned(2))) AMBIDEX_FP8X2 {
  __nv_fp8x2_storage_t __x;
  AMBIDEX_FP8X2() = default;
  AMBIDEX_MEMBER_HD explicit AMBIDEX_FP8X2(__half2 value)
      : __x(__nv_cvt_halfraw2_to_fp8x2(value, __NV_SATFINITE, AMBIDEX_FP8_KIND)) {}
  AMBIDEX_MEMBER_HD explicit AMBIDEX_FP8X2(__nv_bfloat162 value)
      : __x(__nv_cvt_bfloat16raw2_to_fp8x2(value, __NV_SATFINITE, AMBIDEX_FP8_KIND)) {}
  AMBIDEX_MEMBER_HD explicit AMBIDEX_FP8X2(float2 value)
      : __x(__nv_cvt_float2_to_fp8x2(value, __NV_SATFINITE, AMBIDEX_FP8_KIND)) {}
  AMBIDEX_MEMBER_HD explicit AMBIDEX_FP8X2(double2 value)
      : __x(__nv_cvt_double2_to_fp8x2(value, __NV_SATFINITE, AMBIDEX_FP8_KIND)) {}
  AMBIDEX_MEMBER_HD explicit operator __half2() const {
    return __half2(__nv_cvt_fp8x2_to_halfraw2(__x, AMBIDEX_FP8_KIND));
  }
  AMBIDEX_MEMBER_HD explicit operator float2() const {
    const __half2_raw both = __nv_cvt_fp8x2_to_halfraw2(__x, AMBIDEX_FP8_KIND);
    return float2{ambidex_cuda::decode_binary16(both.x), ambidex_cuda::decode_binary16(both.y)};
  }
};

struct __attribute__((aligned(4))) AMBIDEX_FP8X4 {
  __nv_fp8x4_storage_t __x;
  AMBIDEX_FP8X4() = default;
  AMBIDEX_MEMBER_HD explicit AMBIDEX_FP8X4(__half2 low, __half2 high)
      : __x(AMBIDEX_FP8X2(low).__x | unsigned(AMBIDEX_FP8X2(high).__x) << 16) {}
  AMBIDEX_MEMBER_HD explicit AMBIDEX_FP8X4(__nv_bfloat162 low, __nv_bfloat162 high)
      : __x(AMBIDEX_FP8X2(low).__x | unsigned(AMBIDEX_FP8X2(high).__x) << 16) {}
  AMBIDEX_MEMBER_HD explicit AMBIDEX_FP8X4(float4 value)
      : __x(AMBIDEX_FP8X2(float2{value.x, value.y}).__x |
            unsigned(AMBIDEX_FP8X2(float2{value.z, value.w}).__x) << 16) {}
  AMBIDEX_MEMBER_HD explicit AMBIDEX_FP8X4(double4 value)
      : __x(AMBIDEX_FP8X2(double2{value.x, value.y}).__x |
            unsigned(AMBIDEX_FP8X2(double2{value.z, value.w}).__x) << 16) {}
  AMBIDEX_MEMBER_HD explicit operator float4() const {
    AMBIDEX_FP8X2 low, high;
    low.__x = (unsigned short)__x;
    high.__x = (unsigned short)(__x >> 16);
    const float2 a = float2(low);
    const float2 b = float2(high);
    return float4{a.x, a.y, b.x, b.y};
  }
};

#undef AMBIDEX_FP8
#undef AMBIDEX_FP8X2
#undef AMBIDEX_FP8X4
#undef AMBIDEX_FP8_KIND
#undef AMBIDEX_FP8_FROM
#undef AMBIDEX_FP8_TO
