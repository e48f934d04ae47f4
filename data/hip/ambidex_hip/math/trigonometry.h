// SPDX-License-Identifier: Apache-2.0
// sin, cos, atan, atan2 at most 1 ulp; tan, asin, acos 2. Any argument.
#pragma once

#include "ambidex_hip/math/bits.h"

namespace ambidex_math {

// The first 1280 bits of 2/pi after the point.
AMBIDEX_MATH_TABLE unsigned long long kTwoOverPi[] = {
    0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561,
    0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484,
    0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b, 0x1ff897ffde05980f,
    0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d, 0x7527bac7ebe5f17b,
    0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab, 0xf0cfbc209af4361d};

// x = quadrant pi/2 + high + low, |high| <= pi/4 or little more.
struct Angle {
  int quadrant;
  double high, low;
};

// 64 bits of 2/pi from bit `place` on; bits before the point are 0.
AMBIDEX_MATH unsigned long long two_over_pi(int place) {
  AMBIDEX_MATH_EXACT
  if (place <= -64) return 0;
  const int word = place < 0 ? -1 : place / 64, shift = place - 64 * word;
  const unsigned long long first = word < 0 ? 0 : kTwoOverPi[word];
  if (shift == 0) return first;
  return first << shift | kTwoOverPi[word + 1] >> (64 - shift);
}

// Payne and Hanek's method: of x 2/pi only the bits that matter, from 192 bits of 2/pi.
AMBIDEX_MATH Angle reduce_large(double x) {
  AMBIDEX_MATH_EXACT
  const unsigned long long bits = to_bits(x);
  const int exponent = static_cast<int>(bits >> 52 & 0x7ff) - 1023 - 52;
  const unsigned long long m = (bits & 0xfffffffffffffull) | 1ull << 52;
  // m 2^exponent; of 2/pi, bits before this one add multiples of 8 quadrants and are left out.
  const int place = exponent - 3;
  typedef unsigned __int128 Wide;
  const Wide low = static_cast<Wide>(m) * two_over_pi(place + 128);
  const Wide middle = static_cast<Wide>(m) * two_over_pi(place + 64) + (low >> 64);
  const unsigned long long top =
      m * two_over_pi(place) + static_cast<unsigned long long>(middle >> 64);
  const unsigned long long next = static_cast<unsigned long long>(middle);
  // top:next is m 2^exponent 2/pi times 2^125, modulo 2^128: three bits before the point.
  int quadrant = static_cast<int>(top >> 61);
  const Wide fraction = (static_cast<Wide>(top) << 64 | next) << 3;
  const bool is_above = fraction >> 127 != 0;  // half a quadrant or more: count down from the next
  quadrant += is_above;
  const Wide size = is_above ? -fraction : fraction;
  const double high = static_cast<double>(static_cast<unsigned long long>(size >> 75)) * 0x1p-53;
  const double low_part =
      static_cast<double>(static_cast<unsigned long long>(size >> 11)) * 0x1p-117;
  const Pair turns = renormal(high, low_part);
  Pair angle = multiply(turns, {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54});
  const bool is_negative = (x < 0.0) != is_above;
  if (is_negative) angle = {-angle.high, -angle.low};
  return {x < 0.0 ? -quadrant : quadrant, angle.high, angle.low};
}

AMBIDEX_MATH Angle reduce(double x) {
  AMBIDEX_MATH_EXACT
  const double a = __builtin_fabs(x);
  if (a < 0.785398) return {0, x, 0.0};
  if (a > 0x1p20) return reduce_large(x);
  // Cody and Waite's method with pi/2 as the sum of three doubles.
  const double k = __builtin_rint(x * 0x1.45f306dc9c883p-1);
  const Pair first = two_product(k, 0x1.921fb54442d18p+0);
  const Pair second = two_product(k, 0x1.1a62633145c07p-54);
  const Pair rest = add(two_sum(x - first.high, -first.low), {-second.high, -second.low});
  const Pair angle = renormal(rest.high, rest.low + k * 0x1.f1976b7ed8fbcp-110);
  return {static_cast<int>(k), angle.high, angle.low};
}

// The series of sin and cos after x and 1 - x^2/2, over x^3 and x^4.
AMBIDEX_MATH_TABLE double kSine[] = {-1.0 / 121645100408832000.0,
                                     1.0 / 355687428096000.0,
                                     -1.0 / 1307674368000.0,
                                     1.0 / 6227020800.0,
                                     -1.0 / 39916800.0,
                                     1.0 / 362880.0,
                                     -1.0 / 5040.0,
                                     1.0 / 120.0,
                                     -1.0 / 6.0};
AMBIDEX_MATH_TABLE double kCosine[] = {1.0 / 2432902008176640000.0,
                                       -1.0 / 6402373705728000.0,
                                       1.0 / 20922789888000.0,
                                       -1.0 / 87178291200.0,
                                       1.0 / 479001600.0,
                                       -1.0 / 3628800.0,
                                       1.0 / 40320.0,
                                       -1.0 / 720.0,
                                       1.0 / 24.0};
AMBIDEX_MATH double sine_of(const Angle& angle) {
  AMBIDEX_MATH_EXACT
  const double x = angle.high, s = x * x;
  const double cubed = s * x;
  return x + __builtin_fma(cubed, polynomial(kSine, s), angle.low * (1.0 - 0.5 * s));
}
AMBIDEX_MATH double cosine_of(const Angle& angle) {
  AMBIDEX_MATH_EXACT
  const double x = angle.high;
  const Pair square = two_product(x, x);
  const double s = square.high;
  const double half = 1.0 - 0.5 * s;
  const double lost = ((1.0 - half) - 0.5 * s) - 0.5 * square.low;
  return half + (lost + __builtin_fma(s * s, polynomial(kCosine, s), -x * angle.low));
}
AMBIDEX_MATH double sin(double x) {
  AMBIDEX_MATH_EXACT
  if (!(__builtin_fabs(x) < infinity())) return not_a_number();
  if (__builtin_fabs(x) < 0x1p-28) return x;
  const Angle angle = reduce(x);
  const double value = (angle.quadrant & 1) != 0 ? cosine_of(angle) : sine_of(angle);
  return (angle.quadrant & 2) != 0 ? -value : value;
}
AMBIDEX_MATH double cos(double x) {
  AMBIDEX_MATH_EXACT
  if (!(__builtin_fabs(x) < infinity())) return not_a_number();
  const Angle angle = reduce(x);
  const double value = (angle.quadrant & 1) != 0 ? sine_of(angle) : cosine_of(angle);
  return ((angle.quadrant + 1) & 2) != 0 ? -value : value;
}
AMBIDEX_MATH double tan(double x) {
  AMBIDEX_MATH_EXACT
  if (!(__builtin_fabs(x) < infinity())) return not_a_number();
  if (__builtin_fabs(x) < 0x1p-28) return x;
  const Angle angle = reduce(x);
  const double sine = sine_of(angle), cosine = cosine_of(angle);
  return (angle.quadrant & 1) != 0 ? -cosine / sine : sine / cosine;
}

// atan(i/8), high and low.
AMBIDEX_MATH_TABLE Pair kArcs[] = {{0.0, 0.0},
                                   {0x1.fd5ba9aac2f6ep-4, -0x1.cd37686760c17p-59},
                                   {0x1.f5b75f92c80ddp-3, 0x1.8ab6e3cf7afbdp-57},
                                   {0x1.6f61941e4def1p-2, -0x1.c63aae6f6e918p-56},
                                   {0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56},
                                   {0x1.1e00babdefeb4p-1, -0x1.928df287a668fp-58},
                                   {0x1.4978fa3269ee1p-1, 0x1.2419a87f2a458p-56},
                                   {0x1.700a7c5784634p-1, -0x1.8c34d25aadef6p-56},
                                   {0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55}};
// The series of atan after x, over x^3.
AMBIDEX_MATH_TABLE double kArc[] = {1.0 / 17.0, -1.0 / 15.0, 1.0 / 13.0, -1.0 / 11.0,
                                    1.0 / 9.0,  -1.0 / 7.0,  1.0 / 5.0,  -1.0 / 3.0};

// atan(y / x) of numbers that are not negative, y <= x, x > 0.
AMBIDEX_MATH Pair arc_of(double y, double x) {
  AMBIDEX_MATH_EXACT
  const double ratio = y / x;
  const double nearest = __builtin_rint(ratio * 8.0);
  const int i = static_cast<int>(nearest);
  const double c = nearest * 0.125;
  // (y/x - c) / (1 + c y/x) = (y - c x) / (x + c y)
  const Pair taken = two_product(c, x), added = two_product(c, y);
  const Pair above = add({y, 0.0}, {-taken.high, -taken.low}), below = add({x, 0.0}, added);
  const double t = above.high / below.high;
  const Pair product = two_product(t, below.high);
  const double rest =
      (((above.high - product.high) - product.low) + above.low - t * below.low) / below.high;
  const double s = t * t;
  const double tail = __builtin_fma(s * t, polynomial(kArc, s), rest);
  const Pair base = kArcs[i];
  return add(base, renormal(t, tail));
}
AMBIDEX_MATH double atan2(double y, double x) {
  AMBIDEX_MATH_EXACT
  if (is_nan(x) || is_nan(y)) return not_a_number();
  double ay = __builtin_fabs(y), ax = __builtin_fabs(x);
  if (ay == infinity() || ax == infinity()) {
    ay = ay == infinity() ? 1.0 : 0.0;
    ax = ax == infinity() ? 1.0 : 0.0;
  }
  // No overflow, and no loss below the normal numbers.
  const double larger = ax > ay ? ax : ay;
  if (larger > 0x1p1000) {
    ax *= 0x1p-60;
    ay *= 0x1p-60;
  } else if (larger < 0x1p-900) {
    ax *= 0x1p110;
    ay *= 0x1p110;
  }
  const bool is_steep = ay > ax, is_left = __builtin_copysign(1.0, x) < 0.0;
  if (ay == 0.0 && !is_left) return __builtin_copysign(0.0, y);
  Pair arc{0.0, 0.0};
  if (ay != 0.0 || ax != 0.0) arc = is_steep ? arc_of(ax, ay) : arc_of(ay, ax);
  const Pair quarter{0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54};
  if (is_steep) arc = add(quarter, {-arc.high, -arc.low});
  if (is_left) arc = add({2.0 * quarter.high, 2.0 * quarter.low}, {-arc.high, -arc.low});
  double result = arc.high + arc.low;
  // A quotient below the normal numbers is rounded once.
  if (!is_steep && !is_left && ay < ax * 0x1p-1000) result = __builtin_fabs(y) / __builtin_fabs(x);
  return __builtin_copysign(result, y);
}
AMBIDEX_MATH double atan(double x) {
  AMBIDEX_MATH_EXACT return __builtin_fabs(x) < 0x1p-28 ? x : atan2(x, 1.0);
}
AMBIDEX_MATH double asin(double x) {
  AMBIDEX_MATH_EXACT
  if (__builtin_fabs(x) < 0x1p-28) return x;
  return atan2(x, __builtin_sqrt((1.0 - x) * (1.0 + x)));
}
AMBIDEX_MATH double acos(double x) {
  AMBIDEX_MATH_EXACT
  if (is_nan(x) || __builtin_fabs(x) > 1.0) return not_a_number();
  return 2.0 * atan2(__builtin_sqrt(1.0 - x), __builtin_sqrt(1.0 + x));
}

}  // namespace ambidex_math
