// SPDX-License-Identifier: Apache-2.0
// Reinterpretation of bits, and conversions with a named rounding. A conversion to an integer
// saturates; NaN becomes 0, or the sign bit if either side has 64 bits (PTX, cvt).
#pragma once
#pragma GCC system_header

#include "standard.h"

AMBIDEX_D int __float_as_int(float x) { return __builtin_bit_cast(int, x); }
AMBIDEX_D unsigned int __float_as_uint(float x) { return __builtin_bit_cast(unsigned int, x); }
AMBIDEX_D float __int_as_float(int x) { return __builtin_bit_cast(float, x); }
AMBIDEX_D float __uint_as_float(unsigned int x) { return __builtin_bit_cast(float, x); }
AMBIDEX_D long long __double_as_longlong(double x) { return __builtin_bit_cast(long long, x); }
AMBIDEX_D double __longlong_as_double(long long x) { return __builtin_bit_cast(double, x); }
AMBIDEX_D int __double2hiint(double x) { return int(__builtin_bit_cast(long long, x) >> 32); }
AMBIDEX_D int __double2loint(double x) { return int(__builtin_bit_cast(long long, x)); }
AMBIDEX_D double __hiloint2double(int high, int low) {
  return __builtin_bit_cast(double, static_cast<long long>(high) << 32 | unsigned(low));
}

namespace ambidex_cuda {

enum class Rounding { nearest, zero, up, down };

template <Rounding R, class F>
AMBIDEX_MEMBER_HD F round_to_integral(F x) {
  if (R == Rounding::zero) return __builtin_elementwise_trunc(x);
  if (R == Rounding::up) return __builtin_elementwise_ceil(x);
  if (R == Rounding::down) return __builtin_elementwise_floor(x);
  return __builtin_elementwise_rint(x);
}

template <class I, Rounding R, class F>
AMBIDEX_MEMBER_HD I to_integer(F value) {
  constexpr bool kWide = sizeof(I) == 8 || sizeof(F) == 8;
  constexpr I kSignBit = I(1ull << (8 * sizeof(I) - 1));
  if (value != value) return kWide ? kSignBit : I(0);
  const F x = round_to_integral<R>(value);
  constexpr bool kSigned = I(-1) < I(0);
  const F end = F(kSigned ? 2.0 * double(1ull << (8 * sizeof(I) - 2))
                          : 2.0 * double(1ull << (8 * sizeof(I) - 1)));
  if (x >= end) return kSigned ? I(~kSignBit) : I(-1);
  if (x < (kSigned ? -end : F(0))) return kSigned ? kSignBit : I(0);
  return static_cast<I>(x);
}

// The neighbour of `x` above or below, for a value that is finite or about to overflow.
AMBIDEX_HD float next_up(float x) { return __builtin_nextafterf(x, __builtin_inff()); }
AMBIDEX_HD float next_down(float x) { return __builtin_nextafterf(x, -__builtin_inff()); }
AMBIDEX_HD double next_up(double x) { return __builtin_nextafter(x, __builtin_inf()); }
AMBIDEX_HD double next_down(double x) { return __builtin_nextafter(x, -__builtin_inf()); }

// `nearest` is an exact value rounded to nearest; `error` has the sign of exact - nearest.
template <Rounding R, class F, class E>
AMBIDEX_MEMBER_HD F redirect(F nearest, E error) {
  if (error == E(0) || nearest != nearest) return nearest;
  const bool above = error > E(0);  // the exact value is above
  if (R == Rounding::up) return above ? next_up(nearest) : nearest;
  if (R == Rounding::down) return above ? nearest : next_down(nearest);
  if (R == Rounding::zero) {
    const bool negative = nearest < F(0) || (nearest == F(0) && !above);
    if (negative) return above ? next_up(nearest) : nearest;
    return above ? nearest : next_down(nearest);
  }
  return nearest;
}

template <Rounding R>
AMBIDEX_MEMBER_HD float to_float(double x) {
  const float nearest = float(x);
  if (x != x || x - x != x - x) return nearest;
  const double back = double(nearest);
  return redirect<R>(nearest, x > back ? 1 : x < back ? -1 : 0);
}

// Compares as 128-bit integers, in which every float near a 64-bit integer is exact.
template <class F, Rounding R, class I>
AMBIDEX_MEMBER_HD F from_integer(I x) {
  const F nearest = F(x);
  const __int128 back = static_cast<__int128>(nearest);
  const __int128 exact = static_cast<__int128>(x);
  return redirect<R>(nearest, exact > back ? 1 : exact < back ? -1 : 0);
}

}  // namespace ambidex_cuda

#define AMBIDEX_EACH_ROUNDING(X, ...)                 \
  X(rn, ambidex_cuda::Rounding::nearest, __VA_ARGS__) \
  X(rz, ambidex_cuda::Rounding::zero, __VA_ARGS__)    \
  X(ru, ambidex_cuda::Rounding::up, __VA_ARGS__)      \
  X(rd, ambidex_cuda::Rounding::down, __VA_ARGS__)

#define AMBIDEX_TO_INTEGER(suffix, rounding, name, F, I) \
  AMBIDEX_D I name##_##suffix(F x) { return ambidex_cuda::to_integer<I, rounding>(x); }
AMBIDEX_EACH_ROUNDING(AMBIDEX_TO_INTEGER, __float2int, float, int)
AMBIDEX_EACH_ROUNDING(AMBIDEX_TO_INTEGER, __float2uint, float, unsigned int)
AMBIDEX_EACH_ROUNDING(AMBIDEX_TO_INTEGER, __float2ll, float, long long)
AMBIDEX_EACH_ROUNDING(AMBIDEX_TO_INTEGER, __float2ull, float, unsigned long long)
AMBIDEX_EACH_ROUNDING(AMBIDEX_TO_INTEGER, __double2int, double, int)
AMBIDEX_EACH_ROUNDING(AMBIDEX_TO_INTEGER, __double2uint, double, unsigned int)
AMBIDEX_EACH_ROUNDING(AMBIDEX_TO_INTEGER, __double2ll, double, long long)
AMBIDEX_EACH_ROUNDING(AMBIDEX_TO_INTEGER, __double2ull, double, unsigned long long)

#define AMBIDEX_FROM_INTEGER(suffix, rounding, name, I, F) \
  AMBIDEX_D F name##_##suffix(I x) { return ambidex_cuda::from_integer<F, rounding>(x); }
AMBIDEX_EACH_ROUNDING(AMBIDEX_FROM_INTEGER, __int2float, int, float)
AMBIDEX_EACH_ROUNDING(AMBIDEX_FROM_INTEGER, __uint2float, unsigned int, float)
AMBIDEX_EACH_ROUNDING(AMBIDEX_FROM_INTEGER, __ll2float, long long, float)
AMBIDEX_EACH_ROUNDING(AMBIDEX_FROM_INTEGER, __ull2float, unsigned long long, float)
AMBIDEX_EACH_ROUNDING(AMBIDEX_FROM_INTEGER, __ll2double, long long, double)
AMBIDEX_EACH_ROUNDING(AMBIDEX_FROM_INTEGER, __ull2double, unsigned long long, double)
AMBIDEX_D double __int2double_rn(int x) { return x; }
AMBIDEX_D double __uint2double_rn(unsigned int x) { return x; }

#define AMBIDEX_TO_FLOAT(suffix, rounding, name) \
  AMBIDEX_D float name##_##suffix(double x) { return ambidex_cuda::to_float<rounding>(x); }
AMBIDEX_TO_FLOAT(rn, ambidex_cuda::Rounding::nearest, __double2float)
AMBIDEX_TO_FLOAT(rz, ambidex_cuda::Rounding::zero, __double2float)
AMBIDEX_TO_FLOAT(ru, ambidex_cuda::Rounding::up, __double2float)
AMBIDEX_TO_FLOAT(rd, ambidex_cuda::Rounding::down, __double2float)
