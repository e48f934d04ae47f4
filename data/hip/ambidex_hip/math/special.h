// SPDX-License-Identifier: Apache-2.0
// erf, erfc, the gamma function, and what floats are made of. erf at most 1.5 ulp, erfc 4 (30 near
// where it underflows); gamma functions 10, lgamma of negative numbers near its zeros absolutely
// only. The tables are Chebyshev fits of our own, error below 2e-19.
#pragma once

#include "ambidex_hip/math/exponential.h"
#include "ambidex_hip/math/trigonometry.h"

namespace ambidex_math {

// erfc(x) e^(x^2) (1 + 2x) by (x - 3) / (x + 3), x from 0.5 to 28.
AMBIDEX_MATH_TABLE double kErfc[] = {
    -0x1.1019f3d0e5b46p-32, 0x1.d2718eb24c21ep-30, 0x1.cac0e81069958p-30, -0x1.92ea28f6a4ca2p-27,
    -0x1.e4370b44738ddp-27, 0x1.98e12550f6741p-25, 0x1.b77d4df157608p-24, -0x1.3d41be249bab5p-23,
    -0x1.4b27860dc1b0ap-21, 0x1.83aa804dac29cp-22, 0x1.d211b432af782p-19, -0x1.89c2f0c9e1521p-21,
    -0x1.513b74fe5fca8p-16, 0x1.4c31ab4cf309bp-18, 0x1.065a36948443bp-13, -0x1.b9129a45d0b3cp-14,
    -0x1.98db51028a77fp-11, 0x1.ef1bdd8d60a31p-10, 0x1.4b884e43953e9p-9,  -0x1.8574c40c19a48p-6,
    0x1.17ca2877f1465p-4,   -0x1.e88b803a488d4p-4, 0x1.098366a5b46b7p-3,  -0x1.85a15c58aa614p-5,
    -0x1.15c084bb9e8f3p-3,  0x1.40c522d7e4987p+0,
};
// erf(x) / x by x^2, x up to 1.
AMBIDEX_MATH_TABLE double kErf[] = {
    0x1.27004fc3eb71fp-50, -0x1.ce349ffbeee2fp-46, 0x1.f1040f7034f61p-42, -0x1.d7be16814e9efp-38,
    0x1.9e6185e93545bp-34, -0x1.51d69f1d77078p-30, 0x1.fcc568dbc98f8p-27, -0x1.5f742e81b0304p-23,
    0x1.b9e6c9d9947e4p-20, -0x1.f4d25c3df5bfap-17, 0x1.f9a326f9b81acp-14, -0x1.c02db40040b65p-11,
    0x1.565bcd0e6a53fp-8,  -0x1.b82ce31288b51p-6,  0x1.ce2f21a042be2p-4,  -0x1.812746b0379e7p-2,
    0x1.20dd750429b6dp+0,
};
// Gamma(1.5 + x), |x| <= 0.5.
AMBIDEX_MATH_TABLE double kGamma[] = {
    -0x1.d6e234ed05066p-15, 0x1.61299793c6990p-14, -0x1.264ce0255f55bp-15, 0x1.b972bb298fec6p-15,
    -0x1.2f0935fdbddc0p-13, 0x1.c68cdebefd42ap-13, -0x1.38238e4f9b707p-12, 0x1.d43262e9a34f3p-12,
    -0x1.6303f38555fcfp-11, 0x1.0a3e5d7b5a3a1p-10, -0x1.8ef7865b7d7f9p-10, 0x1.2b2b5f19c211ap-9,
    -0x1.c0a2673e04123p-9,  0x1.504ed944524fep-8,  -0x1.f7fc54c1e384dp-8,  0x1.7991dc39b9179p-7,
    -0x1.1a2c297f2a6a8p-6,  0x1.a752c6b4833f3p-6,  -0x1.374fd5cc87da4p-5,  0x1.e022b7433f843p-5,
    -0x1.3d88cfe50615fp-4,  0x1.283bd374eb35ep-3,  -0x1.b77ac1ca2eba4p-4,  0x1.a8c4dba620d56p-2,
    0x1.08ea88ee561b1p-5,   0x1.c5bf891b4ef6bp-1,
};
// log Gamma(2 + x) / (x (x + 1)), |x| <= 1.
AMBIDEX_MATH_TABLE double kLogGamma[] = {
    -0x1.1f7e70c18565cp-38, 0x1.265b7c956cf79p-37, 0x1.594d525425252p-36,  -0x1.612dbba94917bp-35,
    -0x1.31a6e2d50aa26p-34, 0x1.38efe20a35831p-33, 0x1.84b9ad7da71a1p-34,  -0x1.8c7a6177f1f8bp-33,
    -0x1.315b1ab5fd063p-32, 0x1.39f6dbf98e290p-31, -0x1.aacc9c020324cp-32, 0x1.bcf79dbe3185fp-31,
    -0x1.4a01c534ca65ap-29, 0x1.570a390e84f34p-28, -0x1.548edfacf8766p-27, 0x1.63829446ad901p-26,
    -0x1.75fb93667c4b6p-25, 0x1.87f35d266f94ap-24, -0x1.9b8ae8387e263p-23, 0x1.b1797368d261dp-22,
    -0x1.c9eec6fcf6e04p-21, 0x1.e55c4bdf45e9fp-20, -0x1.02307abf5a4cep-18, 0x1.13e40ea80119cp-17,
    -0x1.285052fdf8eb4p-16, 0x1.402f10f5f7cd6p-15, -0x1.5c86b6630f110p-14, 0x1.7ed733aa34819p-13,
    -0x1.a96a40109576ep-12, 0x1.dfebcf8e845cap-11, -0x1.145121f99d6e5p-9,  0x1.47974853aa188p-8,
    -0x1.95ce223a9cbbfp-7,  0x1.0e0c9df293532p-5,  -0x1.9ae6509ea109fp-4,  0x1.b0ee6072093cep-2,
};
AMBIDEX_MATH double erfc_above(double x) {
  AMBIDEX_MATH_EXACT  // x >= 0.5
      if (x > 27.3) return 0.0;
  const Pair square = two_product(x, x);
  const double fit = polynomial(kErfc, (x - 3.0) / (x + 3.0)) / (1.0 + 2.0 * x);
  if (square.high < 600.0) return exp_of(-square.high, -square.low) * fit;
  return exp_of(64.0 - square.high, -square.low) * fit * 0x1.969d47321e4ccp-93;  // e^-64
}
AMBIDEX_MATH double erf(double x) {
  AMBIDEX_MATH_EXACT
  if (is_nan(x)) return x;
  const double a = __builtin_fabs(x);
  if (a < 1.0) return x * polynomial(kErf, x * x);
  return __builtin_copysign(a > 6.0 ? 1.0 : 1.0 - erfc_above(a), x);
}
AMBIDEX_MATH double erfc(double x) {
  AMBIDEX_MATH_EXACT
  if (is_nan(x)) return x;
  if (x >= 0.5) return erfc_above(x);
  return x > -1.0 ? 1.0 - erf(x) : 2.0 - erfc_above(-x);
}

// log Gamma(x) - (x - 0.5) log x + x - log(2 pi)/2 for x >= 10: Stirling's series.
AMBIDEX_MATH_TABLE double kStirling[] = {-3617.0 / 122400.0, 1.0 / 156.0,   -691.0 / 360360.0,
                                         1.0 / 1188.0,       -1.0 / 1680.0, 1.0 / 1260.0,
                                         -1.0 / 360.0,       1.0 / 12.0};
AMBIDEX_MATH double stirling(double x) {
  AMBIDEX_MATH_EXACT return polynomial(kStirling, 1.0 / (x * x)) / x;
}

AMBIDEX_MATH double tgamma_positive(double x) {
  AMBIDEX_MATH_EXACT
  if (x > 171.7) return infinity();
  if (x >= 12.0) {
    // x^(x - 0.5) e^-x sqrt(2 pi) e^stirling
    const Pair power = multiply(log_pair(x), {x - 0.5, 0.0});
    const Pair exponent = add(power, {-x, stirling(x)});
    return exp_of(exponent.high - 2.0, exponent.low) * (2.5066282746310002 * 7.38905609893065);
  }
  double factor = 1.0;
  while (x > 2.0) {
    x -= 1.0;
    factor *= x;
  }
  if (x >= 1.0) return factor * polynomial(kGamma, x - 1.5);
  return polynomial(kGamma, x - 0.5) / x;
}
AMBIDEX_MATH double sin_pi(double x) {
  AMBIDEX_MATH_EXACT
  const double t = x - 2.0 * __builtin_rint(x * 0.5);
  const double kPi = 3.141592653589793;
  if (t > 0.5) return sin(kPi * (1.0 - t));
  return t < -0.5 ? sin(kPi * (-1.0 - t)) : sin(kPi * t);
}
AMBIDEX_MATH double tgamma(double x) {
  AMBIDEX_MATH_EXACT
  if (is_nan(x) || x == infinity()) return x;
  if (x == 0.0) return __builtin_copysign(infinity(), x);
  if (x > 0.0) return tgamma_positive(x);
  if (__builtin_trunc(x) == x) return not_a_number();
  if (x < -184.0) return __builtin_copysign(0.0, sin_pi(x));
  // Reflected, in two steps where the partner overflows.
  const double a = -x;
  if (a < 170.0) return -3.141592653589793 / (a * sin_pi(a) * tgamma_positive(a));
  const double half = tgamma_positive(a - 20.0);
  double product = -3.141592653589793 / (a * sin_pi(a) * half);
  for (int i = 1; i <= 20; ++i) product /= a - i;
  return product;
}
AMBIDEX_MATH double lgamma_positive(double x) {
  AMBIDEX_MATH_EXACT
  if (x >= 10.0) {
    if (x > 2.5e305) return x < 2.55634e305 ? x * (log(x) - 1.0) : infinity();
    const Pair power = multiply(log_pair(x), {x - 0.5, 0.0});
    const Pair sum = add(add(power, {-x, 0.0}), {0.9189385332046728, stirling(x)});
    return sum.high + sum.low;
  }
  if (x < 1.0) {
    const double z = x - 1.0;  // log Gamma(1 + x) - log x
    return x < 1e-300 ? -log(x) : x * z * polynomial(kLogGamma, z) - log(x);
  }
  double factor = 1.0;
  while (x > 3.0) {
    x -= 1.0;
    factor *= x;
  }
  const double z = x - 2.0;
  const double fit = z * (z + 1.0) * polynomial(kLogGamma, z);
  return factor == 1.0 ? fit : fit + log(factor);
}
AMBIDEX_MATH double lgamma(double x) {
  AMBIDEX_MATH_EXACT
  if (is_nan(x)) return x;
  if (__builtin_fabs(x) == infinity()) return infinity();
  if (x > 0.0) return lgamma_positive(x);
  if (x == 0.0 || __builtin_trunc(x) == x) return infinity();
  const double a = -x;
  if (a < 1e-20) return -log(a);
  return log(3.141592653589793 / __builtin_fabs(a * sin_pi(a))) - lgamma_positive(a);
}

// erfinv by a first guess from logarithms, and three steps of Halley's method.
AMBIDEX_MATH double erfinv(double y) {
  AMBIDEX_MATH_EXACT
  const double a = __builtin_fabs(y);
  if (is_nan(y) || a > 1.0) return not_a_number();
  if (a == 1.0) return __builtin_copysign(infinity(), y);
  if (a < 1e-9) return y * 0.8862269254527580;
  const double l = log1p(-a * a), c = 4.330746750799873 + 0.5 * l;  // Winitzki's approximation
  double x = __builtin_sqrt(__builtin_sqrt(c * c - l * 6.802721088435374) - c);
  for (int i = 0; i < 3; ++i) {
    const double miss = a < 0.5 ? erf(x) - a : (1.0 - a) - erfc(x);
    const double step = miss / (1.1283791670955126 * exp(-x * x));
    x -= step / (1.0 + x * step);
  }
  return __builtin_copysign(x, y);
}
AMBIDEX_MATH double erfcinv(double y) {
  AMBIDEX_MATH_EXACT
  if (is_nan(y) || y < 0.0 || y > 2.0) return not_a_number();
  if (y == 0.0) return infinity();
  if (y > 0.0625) return erfinv(1.0 - y);
  double x = __builtin_sqrt(-log(y * 1.7724538509055159 * __builtin_sqrt(-log(y))));
  for (int i = 0; i < 4; ++i) {
    const double step = (erfc(x) / y - 1.0) * y / (-1.1283791670955126 * exp(-x * x));
    x -= step / (1.0 + x * step);
  }
  return x;
}

AMBIDEX_MATH double fmod(double x, double y) {
  AMBIDEX_MATH_EXACT
  const double b = __builtin_fabs(y);
  double a = __builtin_fabs(x);
  if (is_nan(x) || is_nan(y) || a == infinity() || b == 0.0) return not_a_number();
  if (b == infinity() || a < b) return x;
  while (a >= b) {  // a - n b with n of at most 53 bits is exact
    double part = b;
    const int gap = static_cast<int>(to_bits(a) >> 52) - static_cast<int>(to_bits(b) >> 52);
    if (gap > 40) part = scale(b, gap - 40);
    const double n = __builtin_floor(a / part);
    double rest = __builtin_fma(-n, part, a);
    if (rest < 0.0) rest += part;  // the quotient was rounded up to a whole number
    a = rest;
  }
  return __builtin_copysign(a, x);
}
AMBIDEX_MATH double remainder(double x, double y) {
  AMBIDEX_MATH_EXACT
  const double b = __builtin_fabs(y);
  if (is_nan(x) || is_nan(y) || __builtin_fabs(x) == infinity() || b == 0.0) {
    return not_a_number();
  }
  if (b == infinity()) return x;
  double a = __builtin_fabs(b < 0x1p1022 ? fmod(x, 2.0 * b) : x);
  if (b < 0x1p-1021) {
    if (a + a > b) {
      a -= b;
      if (a + a >= b) a -= b;
    }
  } else if (a > 0.5 * b) {
    a -= b;
    if (a >= 0.5 * b) a -= b;
  }
  return x < 0.0 || (x == 0.0 && __builtin_copysign(1.0, x) < 0.0) ? -a : a;
}
AMBIDEX_MATH double hypot(double x, double y) {
  AMBIDEX_MATH_EXACT
  double a = __builtin_fabs(x), b = __builtin_fabs(y);
  if (a == infinity() || b == infinity()) return infinity();
  if (a < b) {
    const double t = a;
    a = b;
    b = t;
  }
  if (is_nan(a) || is_nan(b) || b == 0.0) return a + b;
  double factor = 1.0;
  if (a > 0x1p500) factor = 0x1p600;
  if (b < 0x1p-500) factor = a > 0x1p-400 ? factor : 0x1p-600;
  a *= 1.0 / factor;
  b *= 1.0 / factor;
  const Pair sum = add(two_product(a, a), two_product(b, b));
  const double root = __builtin_sqrt(sum.high);
  const Pair square = two_product(root, root);
  return factor * (root + ((sum.high - square.high) - square.low + sum.low) / (2.0 * root));
}

}  // namespace ambidex_math
