// SPDX-License-Identifier: Apache-2.0
// Conversions with a named rounding. Those to integers saturate, and a NaN becomes 0, or the lowest
// number where either side has 64 bits, as in CUDA: in C, and so in HIP's functions, what does not
// fit is undefined. To float and double HIP's functions round to nearest whatever their name [N14].
#ifndef AMBIDEX_PORT_CONVERSIONS_H  // a name, since a port brings its own copy
#define AMBIDEX_PORT_CONVERSIONS_H

#include "ambidex_port/floats.h"

namespace ambidex_port {
namespace rounding {

template <Direction direction, class F>
AMBIDEX_PORT_INLINE F to_integral(F x) {
  if (direction == to_zero) return F(__builtin_trunc(x));
  if (direction == up) return F(__builtin_ceil(x));
  if (direction == down) return F(__builtin_floor(x));
  return F(__builtin_rint(x));
}

template <class I, Direction direction, class F>
AMBIDEX_PORT_INLINE I to_integer(F value) {
  constexpr bool kIsSigned = I(-1) < I(0);
  constexpr unsigned long long kSignBit = 1ull << (8 * sizeof(I) - 1);
  constexpr I kLeast = kIsSigned ? I(kSignBit) : I(0);
  constexpr I kMost = kIsSigned ? I(kSignBit - 1) : I(-1);
  if (!(value == value)) return sizeof(I) == 8 || sizeof(F) == 8 ? I(kSignBit) : I(0);
  const F x = to_integral<direction>(value);
  const F beyond = kIsSigned ? F(kSignBit) : F(2) * F(kSignBit);
  if (x >= beyond) return kMost;
  if (x < (kIsSigned ? -beyond : F(0))) return kLeast;
  return static_cast<I>(x);
}

// magnitude as the nearest number of so many binary digits in that direction; is exact in F.
template <class F, int digits, Direction direction>
AMBIDEX_PORT_INLINE F magnitude_as(unsigned long long magnitude, bool is_negative) {
  if (magnitude >> digits == 0) return static_cast<F>(magnitude);
  const int shift = 64 - digits - __builtin_clzll(magnitude);
  const unsigned long long rest = magnitude & ((1ull << shift) - 1);
  const unsigned long long middle = 1ull << (shift - 1);
  unsigned long long kept = magnitude >> shift;
  bool is_away = rest > middle || (rest == middle && (kept & 1) != 0);
  if (direction == to_zero) is_away = false;
  if (direction == up) is_away = rest != 0 && !is_negative;
  if (direction == down) is_away = rest != 0 && is_negative;
  if (is_away) ++kept;
  return static_cast<F>(kept) * static_cast<F>(1ull << shift);
}
template <class F, int digits, Direction direction, class I>
AMBIDEX_PORT_INLINE F from_integer(I x) {
  const bool is_negative = x < I(0);
  const auto bits = static_cast<unsigned long long>(x);
  const F result =
      magnitude_as<F, digits, direction>(is_negative ? 0ull - bits : bits, is_negative);
  return is_negative ? -result : result;
}

template <Direction direction>
AMBIDEX_PORT_INLINE float to_float(double x) {
  const float near = static_cast<float>(x);
  const double back = near;
  return direct<direction>(near, x > back ? 1 : (x < back ? -1 : 0), x < 0.0);
}

}  // namespace rounding

// double2int_rd, float2ull_ru ... ll2float_rz, int2float_ru, ull2double_rd ... double2float_rz
#define AMBIDEX_PORT_TO_INTEGERS(From, from, To, to, rule, way) \
  AMBIDEX_PORT_BOTH To from##2##to##_##rule(From x) {           \
    return rounding::to_integer<To, rounding::way>(x);          \
  }
#define AMBIDEX_PORT_FROM_INTEGERS(From, from, To, to, digits, rule, way) \
  AMBIDEX_PORT_BOTH To from##2##to##_##rule(From x) {                     \
    return rounding::from_integer<To, digits, rounding::way>(x);          \
  }
#define AMBIDEX_PORT_EACH_WAY(X, ...) \
  X(__VA_ARGS__, rn, nearest)         \
  X(__VA_ARGS__, rz, to_zero)         \
  X(__VA_ARGS__, ru, up)              \
  X(__VA_ARGS__, rd, down)
AMBIDEX_PORT_EACH_WAY(AMBIDEX_PORT_TO_INTEGERS, float, float, long long, ll)
AMBIDEX_PORT_EACH_WAY(AMBIDEX_PORT_TO_INTEGERS, float, float, unsigned long long, ull)
AMBIDEX_PORT_EACH_WAY(AMBIDEX_PORT_TO_INTEGERS, double, double, int, int)
AMBIDEX_PORT_EACH_WAY(AMBIDEX_PORT_TO_INTEGERS, double, double, unsigned, uint)
AMBIDEX_PORT_EACH_WAY(AMBIDEX_PORT_TO_INTEGERS, double, double, long long, ll)
AMBIDEX_PORT_EACH_WAY(AMBIDEX_PORT_TO_INTEGERS, double, double, unsigned long long, ull)
AMBIDEX_PORT_EACH_WAY(AMBIDEX_PORT_FROM_INTEGERS, int, int, float, float, 24)
AMBIDEX_PORT_EACH_WAY(AMBIDEX_PORT_FROM_INTEGERS, unsigned, uint, float, float, 24)
AMBIDEX_PORT_EACH_WAY(AMBIDEX_PORT_FROM_INTEGERS, long long, ll, float, float, 24)
AMBIDEX_PORT_EACH_WAY(AMBIDEX_PORT_FROM_INTEGERS, unsigned long long, ull, float, float, 24)
AMBIDEX_PORT_EACH_WAY(AMBIDEX_PORT_FROM_INTEGERS, long long, ll, double, double, 53)
AMBIDEX_PORT_EACH_WAY(AMBIDEX_PORT_FROM_INTEGERS, unsigned long long, ull, double, double, 53)
AMBIDEX_PORT_BOTH float double2float_rz(double x) {
  return rounding::to_float<rounding::to_zero>(x);
}
AMBIDEX_PORT_BOTH float double2float_ru(double x) { return rounding::to_float<rounding::up>(x); }
AMBIDEX_PORT_BOTH float double2float_rd(double x) { return rounding::to_float<rounding::down>(x); }
#undef AMBIDEX_PORT_TO_INTEGERS
#undef AMBIDEX_PORT_FROM_INTEGERS

}  // namespace ambidex_port

#endif  // AMBIDEX_PORT_CONVERSIONS_H
