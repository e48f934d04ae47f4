// SPDX-License-Identifier: Apache-2.0
// What clang's HIP headers take from ROCm's device library, on the executor: the host's libm.
#pragma once

#define AMBIDEX_OCML extern "C" __attribute__((device)) inline

#define AMBIDEX_OCML_1(name)                                                         \
  AMBIDEX_OCML float __ocml_##name##_f32(float x) { return __builtin_##name##f(x); } \
  AMBIDEX_OCML double __ocml_##name##_f64(double x) { return __builtin_##name(x); }
#define AMBIDEX_OCML_2(name)                                                                     \
  AMBIDEX_OCML float __ocml_##name##_f32(float x, float y) { return __builtin_##name##f(x, y); } \
  AMBIDEX_OCML double __ocml_##name##_f64(double x, double y) { return __builtin_##name(x, y); }
AMBIDEX_OCML_1(acos)
AMBIDEX_OCML_1(acosh)
AMBIDEX_OCML_1(asin)
AMBIDEX_OCML_1(asinh)
AMBIDEX_OCML_1(atan)
AMBIDEX_OCML_1(atanh)
AMBIDEX_OCML_1(cbrt)
AMBIDEX_OCML_1(cos)
AMBIDEX_OCML_1(cosh)
AMBIDEX_OCML_1(erf)
AMBIDEX_OCML_1(erfc)
AMBIDEX_OCML_1(exp)
AMBIDEX_OCML_1(exp2)
AMBIDEX_OCML_1(expm1)
AMBIDEX_OCML_1(lgamma)
AMBIDEX_OCML_1(log)
AMBIDEX_OCML_1(log10)
AMBIDEX_OCML_1(log1p)
AMBIDEX_OCML_1(log2)
AMBIDEX_OCML_1(logb)
AMBIDEX_OCML_1(sin)
AMBIDEX_OCML_1(sinh)
AMBIDEX_OCML_1(tan)
AMBIDEX_OCML_1(tanh)
AMBIDEX_OCML_1(tgamma)
AMBIDEX_OCML_2(atan2)
AMBIDEX_OCML_2(fdim)
AMBIDEX_OCML_2(fmod)
AMBIDEX_OCML_2(hypot)
AMBIDEX_OCML_2(nextafter)
AMBIDEX_OCML_2(pow)
AMBIDEX_OCML_2(remainder)
#undef AMBIDEX_OCML_1
#undef AMBIDEX_OCML_2

// Newton's method on erf or erfc, whichever keeps digits, from Winitzki's approximation.
AMBIDEX_OCML double __ocml_erfinv_f64(double x) {
  if (!(x > -1.0 && x < 1.0)) {
    return x == 1.0 || x == -1.0 ? x * __builtin_inf() : __builtin_nan("");
  }
  const double log_part = __builtin_log1p(-x * x);
  const double t = 4.3307467508 + 0.5 * log_part;  // 2 / (pi * 0.147)
  double y = __builtin_copysign(__builtin_sqrt(__builtin_sqrt(t * t - log_part / 0.147) - t), x);
  for (int i = 0; i < 4; ++i) {
    const double error = __builtin_fabs(x) < 0.5 ? __builtin_erf(y) - x
                         : x > 0                 ? (1.0 - x) - __builtin_erfc(y)
                                                 : __builtin_erfc(-y) - (1.0 + x);
    y -= error / (1.1283791670955125739 * __builtin_exp(-y * y));
  }
  return y;
}
AMBIDEX_OCML double __ocml_erfcinv_f64(double x) {
  if (x > 0.25) return __ocml_erfinv_f64(1.0 - x);
  if (!(x > 0.0)) return x == 0.0 ? __builtin_inf() : __builtin_nan("");
  double y = __builtin_sqrt(-__builtin_log(x));
  for (int i = 0; i < 60; ++i) {
    const double slope = 1.1283791670955125739 * __builtin_exp(-y * y);
    const double step = (__builtin_erfc(y) - x) / slope;
    y += step;
    if (__builtin_fabs(step) <= 1e-16 * y) break;
  }
  return y;
}
AMBIDEX_OCML float __ocml_erfinv_f32(float x) { return static_cast<float>(__ocml_erfinv_f64(x)); }
AMBIDEX_OCML float __ocml_erfcinv_f32(float x) { return static_cast<float>(__ocml_erfcinv_f64(x)); }

#include "ambidex_hip/ocml_derived.h"

AMBIDEX_OCML int __ocml_ilogb_f32(float x) { return __builtin_ilogbf(x); }
AMBIDEX_OCML int __ocml_ilogb_f64(double x) { return __builtin_ilogb(x); }
AMBIDEX_OCML double __ocml_exp10_f64(double x) { return __builtin_exp10(x); }

AMBIDEX_OCML unsigned long long __ockl_dm_alloc(unsigned long long num_bytes) {
  return reinterpret_cast<unsigned long long>(ambidex_simt_malloc(num_bytes));
}
AMBIDEX_OCML void __ockl_dm_dealloc(unsigned long long address) {
  ambidex_simt_free(reinterpret_cast<void*>(address));
}
