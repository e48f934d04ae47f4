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
