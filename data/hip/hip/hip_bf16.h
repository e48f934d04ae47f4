// SPDX-License-Identifier: Apache-2.0
// bfloat16: the upper half of a float.
#pragma once

#include "hip/hip_runtime.h"

AMBIDEX_HIP_BOTH constexpr unsigned short __ambidex_bf16_bits(float x) {
  const unsigned bits = __builtin_bit_cast(unsigned, x);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return static_cast<unsigned short>(bits >> 16 | 0x40u);
  return static_cast<unsigned short>((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}
AMBIDEX_HIP_BOTH constexpr float __ambidex_bf16_float(unsigned short bits) {
  return __builtin_bit_cast(float, static_cast<unsigned>(bits) << 16);
}

struct __hip_bfloat16_raw {
  unsigned short x;
};
struct __hip_bfloat162_raw {
  unsigned short x, y;
};
struct __hip_bfloat16 {
  unsigned short data;

  __hip_bfloat16() = default;
  AMBIDEX_HIP_BOTH constexpr __hip_bfloat16(float x) : data(__ambidex_bf16_bits(x)) {}
  AMBIDEX_HIP_BOTH constexpr __hip_bfloat16(double x)
      : data(__ambidex_bf16_bits(static_cast<float>(x))) {}
  template <class T, std::enable_if_t<std::is_integral_v<T>, int> = 0>
  AMBIDEX_HIP_BOTH constexpr __hip_bfloat16(T x)
      : data(__ambidex_bf16_bits(static_cast<float>(x))) {}
  AMBIDEX_HIP_BOTH constexpr __hip_bfloat16(const __hip_bfloat16_raw& raw) : data(raw.x) {}
  AMBIDEX_HIP_BOTH constexpr operator float() const { return __ambidex_bf16_float(data); }
  AMBIDEX_HIP_BOTH constexpr operator __hip_bfloat16_raw() const { return {data}; }
};
struct alignas(4) __hip_bfloat162 {
  __hip_bfloat16 x, y;

  __hip_bfloat162() = default;
  AMBIDEX_HIP_BOTH constexpr __hip_bfloat162(__hip_bfloat16 low, __hip_bfloat16 high)
      : x(low), y(high) {}
};

#define AMBIDEX_HIP_NUMBER __hip_bfloat16
#define AMBIDEX_HIP_PAIR __hip_bfloat162
#define AMBIDEX_HIP_WRAP(value) __hip_bfloat16(static_cast<float>(value))
#define AMBIDEX_HIP_WIDE(number) __ambidex_bf16_float((number).data)
#include "ambidex_hip/half_functions.h"

#define AMBIDEX_HIP_BF16(result, name, ...) AMBIDEX_HIP_BOTH result name(__VA_ARGS__)
AMBIDEX_HIP_BF16(__hip_bfloat16, __float2bfloat16, float x) { return __hip_bfloat16(x); }
AMBIDEX_HIP_BF16(__hip_bfloat16, __float2bfloat16_rn, float x) { return __hip_bfloat16(x); }
AMBIDEX_HIP_BF16(__hip_bfloat16, __double2bfloat16, double x) { return __hip_bfloat16(x); }
AMBIDEX_HIP_BF16(__hip_bfloat16, __int2bfloat16_rn, int x) { return __hip_bfloat16(x); }
AMBIDEX_HIP_BF16(float, __bfloat162float, __hip_bfloat16 x) { return static_cast<float>(x); }
AMBIDEX_HIP_BF16(int, __bfloat162int_rz, __hip_bfloat16 x) {
  return static_cast<int>(static_cast<float>(x));
}
AMBIDEX_HIP_BF16(unsigned short, __bfloat16_as_ushort, __hip_bfloat16 x) { return x.data; }
AMBIDEX_HIP_BF16(short, __bfloat16_as_short, __hip_bfloat16 x) {
  return static_cast<short>(x.data);
}
AMBIDEX_HIP_BF16(__hip_bfloat16, __ushort_as_bfloat16, unsigned short x) {
  return __hip_bfloat16(__hip_bfloat16_raw{x});
}
AMBIDEX_HIP_BF16(__hip_bfloat16, __short_as_bfloat16, short x) {
  return __ushort_as_bfloat16(static_cast<unsigned short>(x));
}
AMBIDEX_HIP_BF16(__hip_bfloat162, __float2bfloat162_rn, float x) {
  return {__hip_bfloat16(x), __hip_bfloat16(x)};
}
AMBIDEX_HIP_BF16(__hip_bfloat162, __floats2bfloat162_rn, float x, float y) {
  return {__hip_bfloat16(x), __hip_bfloat16(y)};
}
AMBIDEX_HIP_BF16(__hip_bfloat162, __float22bfloat162_rn, float2 x) {
  return {__hip_bfloat16(x.x), __hip_bfloat16(x.y)};
}
AMBIDEX_HIP_BF16(float2, __bfloat1622float2, __hip_bfloat162 x) {
  return make_float2(static_cast<float>(x.x), static_cast<float>(x.y));
}
AMBIDEX_HIP_BF16(float, __low2float, __hip_bfloat162 x) { return static_cast<float>(x.x); }
AMBIDEX_HIP_BF16(float, __high2float, __hip_bfloat162 x) { return static_cast<float>(x.y); }
AMBIDEX_HIP_BF16(__hip_bfloat162, __bfloat162bfloat162, __hip_bfloat16 x) { return {x, x}; }
AMBIDEX_HIP_BF16(__hip_bfloat162, __halves2bfloat162, __hip_bfloat16 x, __hip_bfloat16 y) {
  return {x, y};
}
AMBIDEX_HIP_BF16(__hip_bfloat162, make_bfloat162, __hip_bfloat16 x, __hip_bfloat16 y) {
  return {x, y};
}
AMBIDEX_HIP_BF16(__hip_bfloat16, __low2bfloat16, __hip_bfloat162 x) { return x.x; }
AMBIDEX_HIP_BF16(__hip_bfloat16, __high2bfloat16, __hip_bfloat162 x) { return x.y; }
AMBIDEX_HIP_BF16(__hip_bfloat162, __low2bfloat162, __hip_bfloat162 x) { return {x.x, x.x}; }
AMBIDEX_HIP_BF16(__hip_bfloat162, __high2bfloat162, __hip_bfloat162 x) { return {x.y, x.y}; }
#undef AMBIDEX_HIP_BF16
