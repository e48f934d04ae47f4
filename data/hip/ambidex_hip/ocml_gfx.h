// SPDX-License-Identifier: Apache-2.0
// What clang's HIP headers take from ROCm's device library, on the GPU: our own functions in double
// precision; those of floats are the same rounded, so nearly exact, and not the fastest. Bessel
// functions are not here: a program that calls them needs ROCm's library to link.
#pragma once

#define AMBIDEX_OCML extern "C" __attribute__((device)) inline
#define AMBIDEX_MATH __attribute__((device)) inline
#define AMBIDEX_MATH_EXACT _Pragma("clang fp contract(off) reassociate(off)")
#define AMBIDEX_MATH_TABLE __attribute__((device)) inline constexpr

#include "ambidex_hip/math/float_trigonometry.h"
#include "ambidex_hip/math/special.h"

#define AMBIDEX_OCML_F64(name) \
  AMBIDEX_OCML double __ocml_##name##_f64(double x) { return ambidex_math::name(x); }
#define AMBIDEX_OCML_1(name)                                               \
  AMBIDEX_OCML_F64(name)                                                   \
  AMBIDEX_OCML float __ocml_##name##_f32(float x) {                        \
    return static_cast<float>(ambidex_math::name(static_cast<double>(x))); \
  }
#define AMBIDEX_OCML_2(name)                                                                       \
  AMBIDEX_OCML double __ocml_##name##_f64(double x, double y) { return ambidex_math::name(x, y); } \
  AMBIDEX_OCML float __ocml_##name##_f32(float x, float y) {                                       \
    return static_cast<float>(ambidex_math::name(static_cast<double>(x), static_cast<double>(y))); \
  }
AMBIDEX_OCML_1(acos)
AMBIDEX_OCML_1(acosh)
AMBIDEX_OCML_1(asin)
AMBIDEX_OCML_1(asinh)
AMBIDEX_OCML_1(atan)
AMBIDEX_OCML_1(atanh)
AMBIDEX_OCML_1(cbrt)
AMBIDEX_OCML_1(cosh)
AMBIDEX_OCML_1(erf)
AMBIDEX_OCML_1(erfc)
AMBIDEX_OCML_1(erfcinv)
AMBIDEX_OCML_1(erfinv)
AMBIDEX_OCML_1(expm1)
AMBIDEX_OCML_1(lgamma)
AMBIDEX_OCML_1(log1p)
AMBIDEX_OCML_1(sinh)
AMBIDEX_OCML_1(tanh)
AMBIDEX_OCML_1(tgamma)
AMBIDEX_OCML_2(atan2)
AMBIDEX_OCML_2(fmod)
AMBIDEX_OCML_2(hypot)
AMBIDEX_OCML_2(pow)
AMBIDEX_OCML_2(remainder)
AMBIDEX_OCML_F64(cos)
AMBIDEX_OCML_F64(exp)
AMBIDEX_OCML_F64(exp10)
AMBIDEX_OCML_F64(exp2)
AMBIDEX_OCML_F64(log)
AMBIDEX_OCML_F64(log10)
AMBIDEX_OCML_F64(log2)
AMBIDEX_OCML_F64(sin)
AMBIDEX_OCML_F64(tan)
AMBIDEX_OCML float __ocml_sin_f32(float x) { return ambidex_math::sin_float(x); }
AMBIDEX_OCML float __ocml_cos_f32(float x) { return ambidex_math::cos_float(x); }
AMBIDEX_OCML float __ocml_tan_f32(float x) { return ambidex_math::tan_float(x); }
#undef AMBIDEX_OCML_1
#undef AMBIDEX_OCML_2
#undef AMBIDEX_OCML_F64

// LLVM has its own expansions of these for the GPU, at most 1 ulp.
AMBIDEX_OCML float __ocml_exp_f32(float x) { return __builtin_expf(x); }
AMBIDEX_OCML float __ocml_exp2_f32(float x) { return __builtin_exp2f(x); }
AMBIDEX_OCML float __ocml_exp10_f32(float x) { return __builtin_exp10f(x); }
AMBIDEX_OCML float __ocml_log_f32(float x) { return __builtin_logf(x); }
AMBIDEX_OCML float __ocml_log2_f32(float x) { return __builtin_log2f(x); }
AMBIDEX_OCML float __ocml_log10_f32(float x) { return __builtin_log10f(x); }

AMBIDEX_OCML float __ocml_fdim_f32(float x, float y) { return x <= y ? 0.0f : x - y; }
AMBIDEX_OCML double __ocml_fdim_f64(double x, double y) { return x <= y ? 0.0 : x - y; }
AMBIDEX_OCML float __ocml_nextafter_f32(float x, float y) {
  if (!(x == x) || !(y == y)) return x + y;
  if (x == y) return y;
  if (x == 0.0f) return __builtin_copysignf(0x1p-149f, y);
  const unsigned bits = __builtin_bit_cast(unsigned, x);
  return __builtin_bit_cast(float, (y > x) == (x > 0.0f) ? bits + 1 : bits - 1);
}
AMBIDEX_OCML double __ocml_nextafter_f64(double x, double y) {
  if (!(x == x) || !(y == y)) return x + y;
  if (x == y) return y;
  if (x == 0.0) return __builtin_copysign(0x1p-1074, y);
  const unsigned long long bits = __builtin_bit_cast(unsigned long long, x);
  return __builtin_bit_cast(double, (y > x) == (x > 0.0) ? bits + 1 : bits - 1);
}
AMBIDEX_OCML int __ocml_ilogb_f64(double x) {
  if (x == 0.0) return -2147483647 - 1;
  if (!(__builtin_fabs(x) < ambidex_math::infinity())) return 2147483647;
  int exponent;
  __builtin_frexp(x, &exponent);
  return exponent - 1;
}
AMBIDEX_OCML int __ocml_ilogb_f32(float x) { return __ocml_ilogb_f64(x); }
AMBIDEX_OCML float __ocml_logb_f32(float x) { return __builtin_logbf(x); }
AMBIDEX_OCML double __ocml_logb_f64(double x) { return __builtin_logb(x); }

#include "ambidex_hip/ocml_derived.h"
