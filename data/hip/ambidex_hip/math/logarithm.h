// SPDX-License-Identifier: Apache-2.0
// Logarithms, at most 1 ulp; asinh, acosh, atanh at most 2.
#pragma once

#include "ambidex_hip/math/bits.h"

namespace ambidex_math {

// 2/(2n+1) for n = 12..2: the rest of 2 atanh(s) after 2s + (2/3)s^3, over s^5.
AMBIDEX_MATH_TABLE double kOddReciprocals[] = {2.0 / 25.0, 2.0 / 23.0, 2.0 / 21.0, 2.0 / 19.0,
                                               2.0 / 17.0, 2.0 / 15.0, 2.0 / 13.0, 2.0 / 11.0,
                                               2.0 / 9.0,  2.0 / 7.0,  2.0 / 5.0};

// log(1 + f) of a pair f, 1 + f between 0.7 and 1.42, to about 2^-65 of it.
AMBIDEX_MATH Pair log1p_reduced(Pair f) {
  AMBIDEX_MATH_EXACT
  const Pair below = add({2.0, 0.0}, f);
  const double s = f.high / below.high;
  // The rest of the division: f - s (2 + f).
  const Pair taken = two_product(s, below.high);
  const double rest = ((f.high - taken.high) - taken.low) + f.low - s * below.low;
  const Pair ratio = renormal(s, rest / below.high);
  const Pair square = multiply(ratio, ratio);
  const Pair cube = multiply(square, ratio);
  const Pair third = multiply(cube, {0x1.5555555555555p-1, 0x1.5555555555555p-55});
  const double tail = polynomial(kOddReciprocals, square.high) * square.high * cube.high;
  return add(add({2.0 * ratio.high, 2.0 * ratio.low}, third), {tail, 0.0});
}

// x = m 2^k with m about 1; x positive, finite.
struct Parts {
  double m;
  int k;
};
AMBIDEX_MATH Parts split(double x) {
  AMBIDEX_MATH_EXACT
  int shift = 0;
  if (x < 0x1p-1022) {
    x *= 0x1p54;
    shift = -54;
  }
  const unsigned long long bits = to_bits(x);
  int k = static_cast<int>(bits >> 52) - 1023;
  double m = from_bits((bits & 0xfffffffffffffull) | 0x3ffull << 52);
  if (m > 1.4142135623730951) {
    m *= 0.5;
    ++k;
  }
  return {m, k + shift};
}

AMBIDEX_MATH Pair log_pair(double x) {
  AMBIDEX_MATH_EXACT
  const Parts parts = split(x);
  const Pair fraction = log1p_reduced({parts.m - 1.0, 0.0});
  const double k = parts.k;
  const Pair whole = multiply({k, 0.0}, {0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56});
  return add(whole, fraction);
}

// What all logarithms do outside the positive numbers; true if `result` is the answer.
AMBIDEX_MATH bool log_special(double x, double& result) {
  AMBIDEX_MATH_EXACT
  if (x > 0.0 && x < infinity()) return false;
  result = x == 0.0 ? -infinity() : x < 0.0 ? not_a_number() : x;
  return true;
}
AMBIDEX_MATH double log(double x) {
  AMBIDEX_MATH_EXACT
  double result;
  if (log_special(x, result)) return result;
  const Pair pair = log_pair(x);
  return pair.high + pair.low;
}
AMBIDEX_MATH double log2(double x) {
  AMBIDEX_MATH_EXACT
  double result;
  if (log_special(x, result)) return result;
  const Parts parts = split(x);
  const Pair fraction =
      multiply(log1p_reduced({parts.m - 1.0, 0.0}), {0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56});
  const Pair sum = add({static_cast<double>(parts.k), 0.0}, fraction);
  return sum.high + sum.low;
}
AMBIDEX_MATH double log10(double x) {
  AMBIDEX_MATH_EXACT
  double result;
  if (log_special(x, result)) return result;
  const Pair product = multiply(log_pair(x), {0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57});
  return product.high + product.low;
}

// log(1 + x) as a pair; x > -1, finite.
AMBIDEX_MATH Pair log1p_pair(Pair x) {
  AMBIDEX_MATH_EXACT
  if (x.high > -0.29 && x.high < 0.41) return log1p_reduced(x);
  const Pair sum = add({1.0, 0.0}, x);
  const Parts parts = split(sum.high);
  const double factor = __builtin_ldexp(1.0, -parts.k);
  const Pair fraction = log1p_reduced(add({sum.high * factor - 1.0, 0.0}, {sum.low * factor, 0.0}));
  const Pair whole =
      multiply({static_cast<double>(parts.k), 0.0}, {0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56});
  return add(whole, fraction);
}
AMBIDEX_MATH double log1p(double x) {
  AMBIDEX_MATH_EXACT
  double result;
  if (log_special(1.0 + x, result)) return is_nan(x) || x > 0.0 ? x : result;
  if (__builtin_fabs(x) < 0x1p-60) return x;
  if (x > 0x1p60) return log(x);
  const Pair pair = log1p_pair({x, 0.0});
  return pair.high + pair.low;
}
AMBIDEX_MATH double atanh(double x) {
  AMBIDEX_MATH_EXACT
  const double a = __builtin_fabs(x);
  if (a < 0x1p-28 || is_nan(x)) return x;
  if (a >= 1.0) return a == 1.0 ? __builtin_copysign(infinity(), x) : not_a_number();
  // log((1 + a) / (1 - a)) / 2 with 1 + a and 1 - a as pairs
  const Pair above = log1p_pair({a, 0.0}), below = log1p_pair({-a, 0.0});
  const Pair sum = add(above, {-below.high, -below.low});
  return __builtin_copysign(0.5 * (sum.high + sum.low), x);
}
AMBIDEX_MATH double asinh(double x) {
  AMBIDEX_MATH_EXACT
  const double a = __builtin_fabs(x);
  if (a < 0x1p-28 || is_nan(x) || a == infinity()) return x;
  if (a > 0x1p30) return __builtin_copysign(log(a) + 0x1.62e42fefa39efp-1, x);
  // log1p(a + a^2 / (1 + sqrt(1 + a^2)))
  const Pair square = two_product(a, a);
  const double root = __builtin_sqrt(1.0 + square.high);
  const Pair log = log1p_pair(two_sum(a, square.high / (1.0 + root)));
  return __builtin_copysign(log.high + log.low, x);
}
AMBIDEX_MATH double acosh(double x) {
  AMBIDEX_MATH_EXACT
  if (is_nan(x) || x == infinity()) return x;
  if (x < 1.0) return not_a_number();
  if (x > 0x1p30) return log(x) + 0x1.62e42fefa39efp-1;
  const double t = x - 1.0;
  const Pair log = log1p_pair(two_sum(t, __builtin_sqrt(t * (t + 2.0))));
  return log.high + log.low;
}

}  // namespace ambidex_math
