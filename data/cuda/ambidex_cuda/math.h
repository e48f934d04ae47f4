// SPDX-License-Identifier: Apache-2.0
// CUDA's mathematical functions that C has not. The approximate ones (__sinf) are computed as
// well as the host can: their error on a GPU is bounded, not specified.
#pragma once
#pragma GCC system_header

#include "standard.h"

#define AMBIDEX_PI 3.14159265358979323846

// A function for double, its name for float, and the float overload of the first name.
#define AMBIDEX_MATH1(name, body)                   \
  AMBIDEX_HD double name(double x) { return body; } \
  AMBIDEX_HD float name##f(float xf) {              \
    const double x = xf;                            \
    return float(body);                             \
  }                                                 \
  AMBIDEX_HD float name(float x) { return name##f(x); }

namespace ambidex_cuda {
// Reduced so that sin(pi x) is exact where it is 0, 1 and -1.
AMBIDEX_HD double sine_of_pi_times(double x) {
  const double folded = x - 2.0 * __builtin_rint(x * 0.5);  // [-1, 1]
  if (folded == 1.0 || folded == -1.0) return __builtin_copysign(0.0, x);
  if (folded > 0.5) return __builtin_sin(AMBIDEX_PI * (1.0 - folded));
  if (folded < -0.5) return -__builtin_sin(AMBIDEX_PI * (1.0 + folded));
  return __builtin_sin(AMBIDEX_PI * folded);
}
AMBIDEX_HD double cosine_of_pi_times(double x) {
  const double folded = __builtin_fabs(x - 2.0 * __builtin_rint(x * 0.5));  // [0, 1]
  if (folded == 0.5) return 0.0;
  if (folded > 0.5) return -__builtin_sin(AMBIDEX_PI * (folded - 0.5));
  return folded < 0.25 ? __builtin_cos(AMBIDEX_PI * folded)
                       : __builtin_sin(AMBIDEX_PI * (0.5 - folded));
}
// Scaled so that the square of a large x does not overflow: exp(x*x) erfc(x).
AMBIDEX_HD double scaled_erfc(double x) {
  if (x < 25.0) return __builtin_exp(x * x) * __builtin_erfc(x);
  const double y = 1.0 / (x * x);  // asymptotic series
  return (1.0 - y * (0.5 - y * (0.75 - y * 1.875))) / (x * 1.7724538509055160273);
}
// Newton's method on erf or erfc, whichever keeps digits; the start is Winitzki's formula.
AMBIDEX_HD double inverse_of_erf(double x) {
  if (!(x > -1.0 && x < 1.0)) {
    return x == 1.0 ? __builtin_inf() : x == -1.0 ? -__builtin_inf() : __builtin_nan("");
  }
  const double log_part = __builtin_log1p(-x * x);
  const double t = 4.3307467508 + 0.5 * log_part;  // 2 / (pi * 0.147)
  double y = __builtin_copysign(__builtin_sqrt(__builtin_sqrt(t * t - log_part / 0.147) - t), x);
  for (int i = 0; i < 4; ++i) {
    const double slope = 1.1283791670955125739 * __builtin_exp(-y * y);
    const double error = __builtin_fabs(x) < 0.5 ? __builtin_erf(y) - x
                                                 : (x > 0 ? (1.0 - x) - __builtin_erfc(y)
                                                          : __builtin_erfc(-y) - (1.0 + x));
    y -= error / slope;
  }
  return y;
}
AMBIDEX_HD double inverse_of_erfc(double x) {
  if (x > 0.25) return inverse_of_erf(1.0 - x);
  if (!(x > 0.0)) return x == 0.0 ? __builtin_inf() : __builtin_nan("");
  double y = __builtin_sqrt(-__builtin_log(x));
  for (int i = 0; i < 60; ++i) {
    const double value = __builtin_erfc(y);
    const double step = (value - x) / (1.1283791670955125739 * __builtin_exp(-y * y));
    y += step;
    if (__builtin_fabs(step) <= 1e-16 * y) break;
  }
  return y;
}
AMBIDEX_HD double bessel_i(int order, double x) {
  const double quarter = x * x * 0.25;
  double term = order == 0 ? 1.0 : x * 0.5;
  double sum = term;
  for (int k = 1; k < 2000; ++k) {
    term *= quarter / (double(k) * double(k + order));
    sum += term;
    if (__builtin_fabs(term) <= 1e-17 * __builtin_fabs(sum)) break;
  }
  return sum;
}
}  // namespace ambidex_cuda

AMBIDEX_MATH1(rsqrt, 1.0 / __builtin_sqrt(x))
AMBIDEX_MATH1(rcbrt, 1.0 / __builtin_cbrt(x))
AMBIDEX_MATH1(sinpi, ambidex_cuda::sine_of_pi_times(x))
AMBIDEX_MATH1(cospi, ambidex_cuda::cosine_of_pi_times(x))
AMBIDEX_MATH1(normcdf, 0.5 * __builtin_erfc(-x * 0.70710678118654752440))
AMBIDEX_MATH1(normcdfinv, -1.41421356237309504880 * ambidex_cuda::inverse_of_erfc(2.0 * x))
AMBIDEX_MATH1(erfinv, ambidex_cuda::inverse_of_erf(x))
AMBIDEX_MATH1(erfcinv, ambidex_cuda::inverse_of_erfc(x))
AMBIDEX_MATH1(erfcx, ambidex_cuda::scaled_erfc(x))
AMBIDEX_MATH1(cyl_bessel_i0, ambidex_cuda::bessel_i(0, x))
AMBIDEX_MATH1(cyl_bessel_i1, ambidex_cuda::bessel_i(1, x))

#define AMBIDEX_MATH_NORM(T, suffix)                                                        \
  AMBIDEX_HD T norm3d##suffix(T a, T b, T c) {                                              \
    const double x = a, y = b, z = c;                                                       \
    return T(__builtin_sqrt(x * x + y * y + z * z));                                        \
  }                                                                                         \
  AMBIDEX_HD T norm4d##suffix(T a, T b, T c, T d) {                                         \
    const double x = a, y = b, z = c, w = d;                                                \
    return T(__builtin_sqrt(x * x + y * y + z * z + w * w));                                \
  }                                                                                         \
  AMBIDEX_HD T rnorm3d##suffix(T a, T b, T c) {                                             \
    const double x = a, y = b, z = c;                                                       \
    return T(1.0 / __builtin_sqrt(x * x + y * y + z * z));                                  \
  }                                                                                         \
  AMBIDEX_HD T rnorm4d##suffix(T a, T b, T c, T d) {                                        \
    const double x = a, y = b, z = c, w = d;                                                \
    return T(1.0 / __builtin_sqrt(x * x + y * y + z * z + w * w));                          \
  }                                                                                         \
  AMBIDEX_HD T rhypot##suffix(T a, T b) { return T(1.0 / __builtin_hypot(a, b)); }          \
  AMBIDEX_HD T norm##suffix(int dim, const T* p) {                                          \
    double sum = 0.0;                                                                       \
    for (int i = 0; i < dim; ++i) sum += double(p[i]) * double(p[i]);                       \
    return T(__builtin_sqrt(sum));                                                          \
  }                                                                                         \
  AMBIDEX_HD T rnorm##suffix(int dim, const T* p) { return T(1.0 / norm##suffix(dim, p)); } \
  AMBIDEX_HD void sincospi##suffix(T x, T* sine, T* cosine) {                               \
    *sine = sinpi##suffix(x);                                                               \
    *cosine = cospi##suffix(x);                                                             \
  }
AMBIDEX_MATH_NORM(double, )
AMBIDEX_MATH_NORM(float, f)
AMBIDEX_HD void sincos(float x, float* sine, float* cosine) {
  *sine = __builtin_sinf(x);
  *cosine = __builtin_cosf(x);
}
AMBIDEX_HD void sincospi(float x, float* sine, float* cosine) { sincospif(x, sine, cosine); }

AMBIDEX_D float fdividef(float x, float y) { return x / y; }
AMBIDEX_D float fdivide(float x, float y) { return x / y; }
AMBIDEX_D double fdivide(double x, double y) { return x / y; }
AMBIDEX_D float __fdividef(float x, float y) { return x / y; }
AMBIDEX_D float __sinf(float x) { return __builtin_sinf(x); }
AMBIDEX_D float __cosf(float x) { return __builtin_cosf(x); }
AMBIDEX_D float __tanf(float x) { return __builtin_tanf(x); }
AMBIDEX_D float __tanhf(float x) { return __builtin_tanhf(x); }
AMBIDEX_D float __expf(float x) { return __builtin_expf(x); }
AMBIDEX_D float __exp10f(float x) { return exp10f(x); }
AMBIDEX_D float __logf(float x) { return __builtin_logf(x); }
AMBIDEX_D float __log2f(float x) { return __builtin_log2f(x); }
AMBIDEX_D float __log10f(float x) { return __builtin_log10f(x); }
AMBIDEX_D float __powf(float x, float y) { return __builtin_powf(x, y); }
AMBIDEX_D void __sincosf(float x, float* sine, float* cosine) { sincos(x, sine, cosine); }
// NaN becomes 0.
AMBIDEX_D float __saturatef(float x) { return !(x > 0.0f) ? 0.0f : x > 1.0f ? 1.0f : x; }
AMBIDEX_D float saturate(float x) { return __saturatef(x); }
AMBIDEX_HD float exp10(float x) { return exp10f(x); }

#define AMBIDEX_FLOAT_MIN_MAX(T, A, B, suffix)                              \
  AMBIDEX_HD T min(A a, B b) { return __builtin_fmin##suffix(T(a), T(b)); } \
  AMBIDEX_HD T max(A a, B b) { return __builtin_fmax##suffix(T(a), T(b)); }
AMBIDEX_FLOAT_MIN_MAX(float, float, float, f)
AMBIDEX_FLOAT_MIN_MAX(double, double, double, )
AMBIDEX_FLOAT_MIN_MAX(double, float, double, )
AMBIDEX_FLOAT_MIN_MAX(double, double, float, )
