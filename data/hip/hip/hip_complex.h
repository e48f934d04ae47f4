// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hip/hip_runtime.h"

using hipFloatComplex = float2;
using hipDoubleComplex = double2;
using hipComplex = hipFloatComplex;

#define AMBIDEX_HIP_COMPLEX(C, T, make, name, absolute, sqrt)                    \
  AMBIDEX_HIP_BOTH C make(T real, T imaginary) { return C(real, imaginary); }    \
  AMBIDEX_HIP_BOTH T hipCreal##name(C z) { return z.x; }                         \
  AMBIDEX_HIP_BOTH T hipCimag##name(C z) { return z.y; }                         \
  AMBIDEX_HIP_BOTH C hipConj##name(C z) { return C(z.x, -z.y); }                 \
  AMBIDEX_HIP_BOTH C hipCadd##name(C p, C q) { return C(p.x + q.x, p.y + q.y); } \
  AMBIDEX_HIP_BOTH C hipCsub##name(C p, C q) { return C(p.x - q.x, p.y - q.y); } \
  AMBIDEX_HIP_BOTH C hipCmul##name(C p, C q) {                                   \
    return C(p.x * q.x - p.y * q.y, p.y * q.x + p.x * q.y);                      \
  }                                                                              \
  AMBIDEX_HIP_BOTH C hipCdiv##name(C p, C q) {                                   \
    const T size = q.x * q.x + q.y * q.y;                                        \
    return C((p.x * q.x + p.y * q.y) / size, (p.y * q.x - p.x * q.y) / size);    \
  }                                                                              \
  AMBIDEX_HIP_BOTH C hipCfma##name(C p, C q, C r) {                              \
    return hipCadd##name(hipCmul##name(p, q), r);                                \
  }                                                                              \
  AMBIDEX_HIP_BOTH T absolute(C z) { return sqrt(z.x * z.x + z.y * z.y); }
AMBIDEX_HIP_COMPLEX(float2, float, make_hipFloatComplex, f, hipCabsf, __builtin_sqrtf)
AMBIDEX_HIP_COMPLEX(double2, double, make_hipDoubleComplex, , hipCabs, __builtin_sqrt)
#undef AMBIDEX_HIP_COMPLEX
AMBIDEX_HIP_BOTH hipComplex make_hipComplex(float real, float imaginary) {
  return hipComplex(real, imaginary);
}
AMBIDEX_HIP_BOTH hipFloatComplex hipComplexDoubleToFloat(hipDoubleComplex z) {
  return make_hipFloatComplex(static_cast<float>(z.x), static_cast<float>(z.y));
}
AMBIDEX_HIP_BOTH hipDoubleComplex hipComplexFloatToDouble(hipFloatComplex z) {
  return make_hipDoubleComplex(z.x, z.y);
}
