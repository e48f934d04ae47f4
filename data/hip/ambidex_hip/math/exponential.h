// SPDX-License-Identifier: Apache-2.0
// exp and its kin; powers. At most 1 ulp, pow and cosh 1.5, sinh and tanh 2.5.
#pragma once

#include "ambidex_hip/math/logarithm.h"

namespace ambidex_math {

// 1/n! for n = 14..2, and then those of e^r - 1 = r + r^2 p(r).
AMBIDEX_MATH_TABLE double kFactorials[] = {1.0 / 87178291200.0,
                                           1.0 / 6227020800.0,
                                           1.0 / 479001600.0,
                                           1.0 / 39916800.0,
                                           1.0 / 3628800.0,
                                           1.0 / 362880.0,
                                           1.0 / 40320.0,
                                           1.0 / 5040.0,
                                           1.0 / 720.0,
                                           1.0 / 120.0,
                                           1.0 / 24.0,
                                           1.0 / 6.0,
                                           0.5};

constexpr double kLn2High = 0x1.62e42feep-1;  // 32 bits, so that small multiples are exact
constexpr double kLn2Low = 0x1.a39ef35793c76p-33;

// e^(high + low), |low| far below high; the result is rounded once.
AMBIDEX_MATH double exp_of(double high, double low) {
  AMBIDEX_MATH_EXACT
  const double x = high + low;
  if (is_nan(x)) return x;
  if (x > 709.8) return infinity();
  if (x < -745.2) return 0.0;
  const double k = __builtin_rint(high * 0x1.71547652b82fep+0);
  const double reduced = __builtin_fma(-k, kLn2High, high);
  const Pair r = renormal(reduced, low - k * kLn2Low);
  const double square = r.high * r.high;
  const double tail = __builtin_fma(polynomial(kFactorials, r.high), square, r.low);
  return scale(1.0 + (r.high + tail), static_cast<int>(k));
}
AMBIDEX_MATH double exp(double x) { AMBIDEX_MATH_EXACT return exp_of(x, 0.0); }
AMBIDEX_MATH double exp2(double x) {
  AMBIDEX_MATH_EXACT
  if (!(x > -1080.0)) return is_nan(x) ? x : 0.0;
  if (x > 1030.0) return infinity();
  const double k = __builtin_rint(x);
  const Pair r = multiply({x - k, 0.0}, {0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56});
  return scale(exp_of(r.high, r.low), static_cast<int>(k));
}
AMBIDEX_MATH double exp10(double x) {
  AMBIDEX_MATH_EXACT
  if (x > 309.0) return infinity();
  if (x < -324.0) return 0.0;
  if (is_nan(x)) return x;
  const Pair r = multiply({x, 0.0}, {0x1.26bb1bbb55516p+1, -0x1.f48ad494ea3e9p-53});
  return exp_of(r.high, r.low);
}

// e^x - 1 as a pair, |x| < 700.
AMBIDEX_MATH Pair expm1_pair(double x) {
  AMBIDEX_MATH_EXACT
  const double k = __builtin_rint(x * 0x1.71547652b82fep+0);
  const double reduced = __builtin_fma(-k, kLn2High, x);
  const Pair r = renormal(reduced, -k * kLn2Low);
  const Pair square = two_product(r.high, r.high);
  const double p = polynomial(kFactorials, r.high);
  // e^r - 1 = r + r^2/2 + r^2 (p - 1/2)
  const Pair body = add(
      r,
      {0.5 * square.high, __builtin_fma(square.high, p - 0.5, 0.5 * square.low) + r.high * r.low});
  const double two = scale(1.0, static_cast<int>(k));
  return add({body.high * two, body.low * two}, two_sum(two, -1.0));
}
AMBIDEX_MATH double expm1(double x) {
  AMBIDEX_MATH_EXACT
  if (x > 700.0) return exp(x);
  if (x < -50.0) return -1.0;
  if (is_nan(x) || __builtin_fabs(x) < 0x1p-60) return x;
  const Pair e = expm1_pair(x);
  return e.high + e.low;
}

// e^x / 2, which may be finite where e^x is not.
AMBIDEX_MATH double half_exp(double x) {
  AMBIDEX_MATH_EXACT
  if (x > 711.0) return infinity();
  const Pair sum = two_sum(x, -0x1.62e42fefa39efp-1);
  return exp_of(sum.high, sum.low - 0x1.abc9e3b39803fp-56);
}
AMBIDEX_MATH double sinh(double x) {
  AMBIDEX_MATH_EXACT
  const double a = __builtin_fabs(x);
  if (a < 0x1p-28 || is_nan(x)) return x;
  double result;
  if (a > 40.0) {
    result = half_exp(a);
  } else {
    const Pair e = expm1_pair(a);
    const double whole = e.high + e.low;
    result = 0.5 * (whole + whole / (whole + 1.0));
  }
  return __builtin_copysign(result, x);
}
AMBIDEX_MATH double cosh(double x) {
  AMBIDEX_MATH_EXACT
  const double a = __builtin_fabs(x);
  if (is_nan(x)) return x;
  if (a > 40.0) return half_exp(a);
  const double e = exp(a);
  return 0.5 * (e + 1.0 / e);
}
AMBIDEX_MATH double tanh(double x) {
  AMBIDEX_MATH_EXACT
  const double a = __builtin_fabs(x);
  if (is_nan(x) || a < 0x1p-28) return x;
  if (a > 22.0) return __builtin_copysign(1.0, x);
  const Pair e = expm1_pair(2.0 * a);
  const double whole = e.high + e.low;
  return __builtin_copysign(whole / (whole + 2.0), x);
}

AMBIDEX_MATH double pow(double x, double y) {
  AMBIDEX_MATH_EXACT
  if (y == 0.0 || x == 1.0) return 1.0;
  if (is_nan(x) || is_nan(y)) return not_a_number();
  const double ay = __builtin_fabs(y), ax = __builtin_fabs(x);
  const bool is_integer = __builtin_trunc(y) == y;
  const bool is_odd = is_integer && ay < 0x1p53 && __builtin_trunc(y * 0.5) * 2.0 != y;
  const double sign = is_odd && __builtin_copysign(1.0, x) < 0.0 ? -1.0 : 1.0;
  if (ax == 1.0 && (is_integer || ay == infinity())) return ay == infinity() ? 1.0 : sign;
  if (ay == infinity()) return (ax > 1.0) == (y > 0.0) ? infinity() : 0.0;
  if (ax == 0.0 || ax == infinity()) return sign * ((ax == 0.0) == (y > 0.0) ? 0.0 : infinity());
  if (x < 0.0 && !is_integer) return not_a_number();
  const Pair power = multiply(log_pair(ax), {y, 0.0});
  if (power.high > 710.0) return sign * infinity();
  if (power.high < -746.0) return sign * 0.0;
  return sign * exp_of(power.high, power.low);
}
AMBIDEX_MATH double cbrt(double x) {
  AMBIDEX_MATH_EXACT
  const double a = __builtin_fabs(x);
  if (is_nan(x) || a == 0.0 || a == infinity()) return x;
  const bool is_small = a < 0x1p-1000;
  const double scaled = is_small ? a * 0x1p120 : a;
  double root = exp_of(log_pair(scaled).high / 3.0, 0.0);
  // One step of Newton's method with the exact residual.
  const Pair square = two_product(root, root);
  const Pair cube = multiply(square, {root, 0.0});
  root -= ((cube.high - scaled) + cube.low) / (3.0 * square.high);
  return __builtin_copysign(is_small ? root * 0x1p-40 : root, x);
}

}  // namespace ambidex_math
