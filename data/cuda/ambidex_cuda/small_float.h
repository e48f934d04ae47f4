// SPDX-License-Identifier: Apache-2.0
// Binary floating-point formats of at most 16 bits: exact conversion from and to double, in which
// every operation on them is computed (53 bits are enough that rounding twice changes nothing).
#pragma once
#pragma GCC system_header

#include "conversions.h"

namespace ambidex_cuda {

// A format of IEEE's kind: infinities and NaNs have the largest exponent.
template <int kExponentBits, int kMantissaBits>
struct SmallFloat {
  static constexpr int kBias = (1 << (kExponentBits - 1)) - 1;
  static constexpr unsigned kInfinity = ((1u << kExponentBits) - 1u) << kMantissaBits;
  static constexpr unsigned kSign = 1u << (kExponentBits + kMantissaBits);
  static constexpr int kFraction = kMantissaBits;
};
using Binary16 = SmallFloat<5, 10>;
using BFloat16 = SmallFloat<8, 7>;

// Bits of |x|, finite, as if exponents had no end: at or above Format::kInfinity is an overflow.
// `up` is the direction of x's sign that a directed rounding goes to.
template <class Format, Rounding R>
AMBIDEX_MEMBER_HD unsigned round_magnitude(double x, bool negative) {
  const unsigned long long bits = __builtin_bit_cast(unsigned long long, x) & ~(1ull << 63);
  if (bits < 1ull << 52) {  // zero; a subnormal double is below half of every smallest number
    const bool away = R == Rounding::up ? !negative : R == Rounding::down && negative;
    return bits != 0 && away ? 1u : 0u;
  }
  const int exponent = int(bits >> 52) - 1023;
  const int least = 1 - Format::kBias;
  const int unit = exponent < least ? least : exponent;  // of the number that carries kFraction
  const unsigned long long significand = (bits & ((1ull << 52) - 1)) | 1ull << 52;
  int shift = 52 - Format::kFraction + (unit - exponent);
  if (shift > 62) shift = 62;
  unsigned result = unsigned(significand >> shift);
  const unsigned long long rest = significand & ((1ull << shift) - 1);
  const unsigned long long middle = 1ull << (shift - 1);
  bool away = rest > middle || (rest == middle && (result & 1u));
  if (R == Rounding::zero) away = false;
  if (R == Rounding::up) away = rest != 0 && !negative;
  if (R == Rounding::down) away = rest != 0 && negative;
  result += away ? 1u : 0u;
  return result + (unsigned(unit - least) << Format::kFraction);
}

// NaN becomes the canonical one, all ones but for the sign.
template <class Format, Rounding R = Rounding::nearest>
AMBIDEX_MEMBER_HD unsigned short encode(double x) {
  if (x != x) return (unsigned short)(Format::kSign - 1u);
  const bool negative = __builtin_signbit(x);
  const unsigned sign = negative ? Format::kSign : 0u;
  if (x - x != 0.0) return (unsigned short)(sign | Format::kInfinity);
  const unsigned magnitude = round_magnitude<Format, R>(x, negative);
  if (magnitude < Format::kInfinity) return (unsigned short)(sign | magnitude);
  const bool to_infinity =
      R == Rounding::nearest || R == (negative ? Rounding::down : Rounding::up);
  return (unsigned short)(sign | (to_infinity ? Format::kInfinity : Format::kInfinity - 1u));
}

AMBIDEX_HD float decode_bfloat16(unsigned short bits) {
  return __builtin_bit_cast(float, unsigned(bits) << 16);
}
AMBIDEX_HD float decode_binary16(unsigned short bits) {
  const unsigned sign = (bits & 0x8000u) << 16;
  const unsigned magnitude = bits & 0x7fffu;
  if (magnitude > 0x7c00u) return __builtin_bit_cast(float, 0x7fffffffu);  // NaN
  if (magnitude == 0x7c00u) return __builtin_bit_cast(float, sign | 0x7f800000u);
  if (magnitude < 0x400u) {
    return __builtin_copysignf(float(magnitude) * 0x1p-24f, __builtin_bit_cast(float, sign));
  }
  return __builtin_bit_cast(float, sign | ((magnitude << 13) + (112u << 23)));
}

// A double that rounds to any format here as the integer does: bits that do not fit in 53 are
// gathered in the last one.
template <class I>
AMBIDEX_MEMBER_HD double sticky_double(I value) {
  if (sizeof(I) < 8) return double(value);
  const bool negative = value < I(0);
  unsigned long long magnitude = (unsigned long long)value;
  if (negative) magnitude = 0ull - magnitude;
  if (magnitude >= 1ull << 52) {
    magnitude = (magnitude & ~0xfffull) | ((magnitude & 0xfffull) != 0 ? 0x1000ull : 0ull);
  }
  return negative ? -double(magnitude) : double(magnitude);
}

AMBIDEX_HD double sticky_double(float x) { return x; }
AMBIDEX_HD double sticky_double(double x) { return x; }

// a * b + c of formats that have at most 11 bits: the product is exact, and the sum is rounded to
// odd, so that rounding it again gives the exact result rounded once.
AMBIDEX_HD double fused(double a, double b, double c) {
#pragma clang fp contract(off) reassociate(off)
  const double product = a * b;
  const double sum = product + c;
  if (sum - sum != 0.0) return sum;
  const double from_c = sum - product;
  const double error = (product - (sum - from_c)) + (c - from_c);
  const long long bits = __builtin_bit_cast(long long, sum);
  if (error == 0.0 || (bits & 1)) return sum;
  const bool towards_zero = (error < 0.0) == (sum > 0.0);
  return __builtin_bit_cast(double, towards_zero ? bits - 1 : bits + 1);
}

// Minimum and maximum of IEEE 754-2019's minimumNumber: a NaN loses, -0 is below +0.
AMBIDEX_HD bool is_below(float a, float b) {
  return a < b || (a == b && __builtin_signbit(a) && !__builtin_signbit(b));
}

// NaN becomes 0.
AMBIDEX_HD double saturated(double x) { return !(x > 0.0) ? 0.0 : x > 1.0 ? 1.0 : x; }

}  // namespace ambidex_cuda
