// SPDX-License-Identifier: Apache-2.0
// Functions of ROCm's device library that are made of others of it.
#pragma once

#define AMBIDEX_OCML_PRIVATE __attribute__((opencl_private))

// sin and cos of pi x: the reduction is exact.
#define AMBIDEX_OCML_TURN(T, s, f)                                          \
  AMBIDEX_OCML T __ocml_sinpi_##s(T x) {                                    \
    const T t = x - 2 * __builtin_rint##f(x / 2);                           \
    const T pi = T(3.141592653589793);                                      \
    if (t > T(0.5)) return __ocml_sin_##s(pi * (1 - t));                    \
    if (t < T(-0.5)) return __ocml_sin_##s(pi * (-1 - t));                  \
    return __ocml_sin_##s(pi * t);                                          \
  }                                                                         \
  AMBIDEX_OCML T __ocml_cospi_##s(T x) {                                    \
    const T t = __builtin_fabs##f(x - 2 * __builtin_rint##f(x / 2));        \
    const T pi = T(3.141592653589793);                                      \
    if (t > T(0.75)) return -__ocml_cos_##s(pi * (1 - t));                  \
    if (t > T(0.25)) return __ocml_sin_##s(pi * (T(0.5) - t));              \
    return __ocml_cos_##s(pi * t);                                          \
  }                                                                         \
  AMBIDEX_OCML T __ocml_sincospi_##s(T x, AMBIDEX_OCML_PRIVATE T* cosine) { \
    *cosine = __ocml_cospi_##s(x);                                          \
    return __ocml_sinpi_##s(x);                                             \
  }                                                                         \
  AMBIDEX_OCML T __ocml_sincos_##s(T x, AMBIDEX_OCML_PRIVATE T* cosine) {   \
    *cosine = __ocml_cos_##s(x);                                            \
    return __ocml_sin_##s(x);                                               \
  }
AMBIDEX_OCML_TURN(float, f32, f)
AMBIDEX_OCML_TURN(double, f64, )
#undef AMBIDEX_OCML_TURN

#define AMBIDEX_OCML_POWERS(T, s, f)                                                              \
  AMBIDEX_OCML T __ocml_rsqrt_##s(T x) { return 1 / __builtin_sqrt##f(x); }                       \
  AMBIDEX_OCML T __ocml_rcbrt_##s(T x) { return 1 / __ocml_cbrt_##s(x); }                         \
  AMBIDEX_OCML T __ocml_rhypot_##s(T x, T y) { return 1 / __ocml_hypot_##s(x, y); }               \
  AMBIDEX_OCML T __ocml_len3_##s(T x, T y, T z) {                                                 \
    return __ocml_hypot_##s(__ocml_hypot_##s(x, y), z);                                           \
  }                                                                                               \
  AMBIDEX_OCML T __ocml_len4_##s(T x, T y, T z, T w) {                                            \
    return __ocml_hypot_##s(__ocml_hypot_##s(x, y), __ocml_hypot_##s(z, w));                      \
  }                                                                                               \
  AMBIDEX_OCML T __ocml_rlen3_##s(T x, T y, T z) { return 1 / __ocml_len3_##s(x, y, z); }         \
  AMBIDEX_OCML T __ocml_rlen4_##s(T x, T y, T z, T w) { return 1 / __ocml_len4_##s(x, y, z, w); } \
  AMBIDEX_OCML T __ocml_pown_##s(T x, int n) { return __ocml_pow_##s(x, static_cast<T>(n)); }     \
  AMBIDEX_OCML T __ocml_modf_##s(T x, AMBIDEX_OCML_PRIVATE T* whole) {                            \
    *whole = __builtin_trunc##f(x);                                                               \
    return __builtin_copysign##f(__builtin_isinf(x) ? 0 : x - *whole, x);                         \
  }                                                                                               \
  AMBIDEX_OCML T __ocml_ncdf_##s(T x) {                                                           \
    return T(0.5) * __ocml_erfc_##s(x * T(-0.7071067811865476));                                  \
  }                                                                                               \
  AMBIDEX_OCML T __ocml_remquo_##s(T x, T y, AMBIDEX_OCML_PRIVATE int* quotient) {                \
    const T rest = __ocml_remainder_##s(x, y);                                                    \
    const T count = __builtin_rint##f((x - rest) / y);                                            \
    *quotient = static_cast<int>(count - 128 * __builtin_trunc##f(count / 128));                  \
    return rest;                                                                                  \
  }
AMBIDEX_OCML_POWERS(float, f32, f)
AMBIDEX_OCML_POWERS(double, f64, )
#undef AMBIDEX_OCML_POWERS

// exp(x * x) erfc(x); for large x by its asymptotic series, whose square does not overflow.
AMBIDEX_OCML double __ocml_erfcx_f64(double x) {
  if (x < 25.0) return __ocml_exp_f64(x * x) * __ocml_erfc_f64(x);
  const double y = 1.0 / (x * x);
  return (1.0 - y * (0.5 - y * (0.75 - y * 1.875))) / (x * 1.7724538509055160273);
}
AMBIDEX_OCML double __ocml_ncdfinv_f64(double x) {
  return -1.41421356237309504880 * __ocml_erfcinv_f64(2.0 * x);
}
// Modified Bessel functions by their power series.
#define AMBIDEX_OCML_BESSEL_I(name, order, start)                     \
  AMBIDEX_OCML double __ocml_##name##_f64(double x) {                 \
    const double quarter = x * x * 0.25;                              \
    double term = start, sum = term;                                  \
    for (int k = 1; k < 2000; ++k) {                                  \
      term *= quarter / (static_cast<double>(k) * (k + order));       \
      sum += term;                                                    \
      if (__builtin_fabs(term) <= 1e-17 * __builtin_fabs(sum)) break; \
    }                                                                 \
    return sum;                                                       \
  }
AMBIDEX_OCML_BESSEL_I(i0, 0, 1.0)
AMBIDEX_OCML_BESSEL_I(i1, 1, x * 0.5)
#undef AMBIDEX_OCML_BESSEL_I
#define AMBIDEX_OCML_NARROW(name)                      \
  AMBIDEX_OCML float __ocml_##name##_f32(float x) {    \
    return static_cast<float>(__ocml_##name##_f64(x)); \
  }
AMBIDEX_OCML_NARROW(erfcx)
AMBIDEX_OCML_NARROW(i0)
AMBIDEX_OCML_NARROW(i1)
AMBIDEX_OCML_NARROW(ncdfinv)
#undef AMBIDEX_OCML_NARROW

AMBIDEX_OCML float __ocml_native_sin_f32(float x) { return __builtin_amdgcn_sinf(x * 0.15915494f); }
AMBIDEX_OCML float __ocml_native_cos_f32(float x) { return __builtin_amdgcn_cosf(x * 0.15915494f); }
AMBIDEX_OCML float __ocml_native_sqrt_f32(float x) { return __builtin_amdgcn_sqrtf(x); }
