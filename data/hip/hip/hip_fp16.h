// SPDX-License-Identifier: Apache-2.0
// Half precision.
#pragma once

#include "hip/hip_runtime.h"

struct __half_raw {
  unsigned short x;
};
struct __half2_raw {
  unsigned short x, y;
};

struct __half {
  _Float16 data;

  __half() = default;
  AMBIDEX_HIP_BOTH constexpr __half(_Float16 value) : data(value) {}
  AMBIDEX_HIP_BOTH constexpr __half(float value) : data(static_cast<_Float16>(value)) {}
  AMBIDEX_HIP_BOTH constexpr __half(double value) : data(static_cast<_Float16>(value)) {}
  AMBIDEX_HIP_BOTH __half(const __half_raw& raw) : data(__builtin_bit_cast(_Float16, raw.x)) {}
  template <class T, std::enable_if_t<std::is_integral_v<T>, int> = 0>
  AMBIDEX_HIP_BOTH constexpr __half(T value) : data(static_cast<_Float16>(value)) {}
  AMBIDEX_HIP_BOTH constexpr operator float() const { return static_cast<float>(data); }
  AMBIDEX_HIP_BOTH operator __half_raw() const {
    return {__builtin_bit_cast(unsigned short, data)};
  }
};
struct alignas(4) __half2 {
  __half x, y;

  __half2() = default;
  AMBIDEX_HIP_BOTH constexpr __half2(__half low, __half high) : x(low), y(high) {}
};
using half = __half;
using half2 = __half2;
using __half_t = __half;

AMBIDEX_HIP_SHUFFLES(__half)
AMBIDEX_HIP_SHUFFLES(__half2)

#define AMBIDEX_HIP_HALF(result, name, ...) AMBIDEX_HIP_BOTH result name(__VA_ARGS__)

// Rounded to nearest; the directed ones by stepping to the neighbour.
AMBIDEX_HIP_HALF(__half, __float2half, float x) { return __half(x); }
AMBIDEX_HIP_HALF(__half, __float2half_rn, float x) { return __half(x); }
AMBIDEX_HIP_HALF(__half, __double2half, double x) { return __half(x); }
AMBIDEX_HIP_HALF(float, __half2float, __half x) { return static_cast<float>(x.data); }
AMBIDEX_HIP_HALF(unsigned short, __half_as_ushort, __half x) {
  return __builtin_bit_cast(unsigned short, x.data);
}
AMBIDEX_HIP_HALF(short, __half_as_short, __half x) { return __builtin_bit_cast(short, x.data); }
AMBIDEX_HIP_HALF(__half, __ushort_as_half, unsigned short x) {
  return __half(__builtin_bit_cast(_Float16, x));
}
AMBIDEX_HIP_HALF(__half, __short_as_half, short x) {
  return __half(__builtin_bit_cast(_Float16, x));
}
AMBIDEX_HIP_HALF(__half, __ambidex_half_step, __half x, bool upwards) {
  const unsigned short bits = __half_as_ushort(x);
  if ((bits & 0x7fff) == 0) return __ushort_as_half(upwards ? 0x0001 : 0x8001);
  const bool away = ((bits & 0x8000) == 0) == upwards;
  return __ushort_as_half(static_cast<unsigned short>(away ? bits + 1 : bits - 1));
}
AMBIDEX_HIP_HALF(__half, __float2half_ru, float x) {
  const __half near(x);
  return __half2float(near) < x ? __ambidex_half_step(near, true) : near;
}
AMBIDEX_HIP_HALF(__half, __float2half_rd, float x) {
  const __half near(x);
  return __half2float(near) > x ? __ambidex_half_step(near, false) : near;
}
AMBIDEX_HIP_HALF(__half, __float2half_rz, float x) {
  return x > 0 ? __float2half_rd(x) : __float2half_ru(x);
}

#define AMBIDEX_HIP_HALF_INTEGER(name, T)                                                       \
  AMBIDEX_HIP_HALF(__half, __##name##2half_rn, T x) { return __half(x); }                       \
  AMBIDEX_HIP_HALF(T, __half2##name##_rn, __half x) {                                           \
    return static_cast<T>(__builtin_rintf(__half2float(x)));                                    \
  }                                                                                             \
  AMBIDEX_HIP_HALF(T, __half2##name##_rz, __half x) { return static_cast<T>(__half2float(x)); } \
  AMBIDEX_HIP_HALF(T, __half2##name##_rd, __half x) {                                           \
    return static_cast<T>(__builtin_floorf(__half2float(x)));                                   \
  }                                                                                             \
  AMBIDEX_HIP_HALF(T, __half2##name##_ru, __half x) {                                           \
    return static_cast<T>(__builtin_ceilf(__half2float(x)));                                    \
  }
AMBIDEX_HIP_HALF_INTEGER(int, int)
AMBIDEX_HIP_HALF_INTEGER(uint, unsigned)
AMBIDEX_HIP_HALF_INTEGER(short, short)
AMBIDEX_HIP_HALF_INTEGER(ushort, unsigned short)
AMBIDEX_HIP_HALF_INTEGER(ll, long long)
AMBIDEX_HIP_HALF_INTEGER(ull, unsigned long long)
#undef AMBIDEX_HIP_HALF_INTEGER

#define AMBIDEX_HIP_NUMBER __half
#define AMBIDEX_HIP_PAIR __half2
#define AMBIDEX_HIP_WRAP(value) __half(static_cast<_Float16>(value))
#define AMBIDEX_HIP_WIDE(number) static_cast<float>((number).data)
#include "ambidex_hip/half_functions.h"

AMBIDEX_HIP_HALF(__half2, __float2half2_rn, float x) { return {__half(x), __half(x)}; }
AMBIDEX_HIP_HALF(__half2, __floats2half2_rn, float x, float y) { return {__half(x), __half(y)}; }
AMBIDEX_HIP_HALF(__half2, __float22half2_rn, float2 x) { return {__half(x.x), __half(x.y)}; }
AMBIDEX_HIP_HALF(float2, __half22float2, __half2 x) {
  return make_float2(__half2float(x.x), __half2float(x.y));
}
AMBIDEX_HIP_HALF(float, __low2float, __half2 x) { return __half2float(x.x); }
AMBIDEX_HIP_HALF(float, __high2float, __half2 x) { return __half2float(x.y); }
AMBIDEX_HIP_HALF(__half2, __half2half2, __half x) { return {x, x}; }
AMBIDEX_HIP_HALF(__half2, make_half2, __half x, __half y) { return {x, y}; }
AMBIDEX_HIP_HALF(__half2, __halves2half2, __half x, __half y) { return {x, y}; }
AMBIDEX_HIP_HALF(__half, __low2half, __half2 x) { return x.x; }
AMBIDEX_HIP_HALF(__half, __high2half, __half2 x) { return x.y; }
AMBIDEX_HIP_HALF(__half2, __low2half2, __half2 x) { return {x.x, x.x}; }
AMBIDEX_HIP_HALF(__half2, __high2half2, __half2 x) { return {x.y, x.y}; }
AMBIDEX_HIP_HALF(__half2, __lows2half2, __half2 x, __half2 y) { return {x.x, y.x}; }
AMBIDEX_HIP_HALF(__half2, __highs2half2, __half2 x, __half2 y) { return {x.y, y.y}; }
#undef AMBIDEX_HIP_HALF
