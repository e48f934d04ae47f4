// SPDX-License-Identifier: Apache-2.0
// Complex numbers as vectors of two.
#pragma once
#pragma GCC system_header

#include "cuda_runtime.h"

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

#define AMBIDEX_COMPLEX(C, T, suffix, make, hypot)                                \
  AMBIDEX_HD C make(T r, T i) { return C{r, i}; }                                 \
  AMBIDEX_HD T cuCreal##suffix(C x) { return x.x; }                               \
  AMBIDEX_HD T cuCimag##suffix(C x) { return x.y; }                               \
  AMBIDEX_HD C cuConj##suffix(C x) { return C{x.x, -x.y}; }                       \
  AMBIDEX_HD C cuCadd##suffix(C x, C y) { return C{x.x + y.x, x.y + y.y}; }       \
  AMBIDEX_HD C cuCsub##suffix(C x, C y) { return C{x.x - y.x, x.y - y.y}; }       \
  AMBIDEX_HD C cuCmul##suffix(C x, C y) {                                         \
    return C{x.x * y.x - x.y * y.y, x.x * y.y + x.y * y.x};                       \
  }                                                                               \
  /* Scaled so that the squares do not overflow. */                               \
  AMBIDEX_HD C cuCdiv##suffix(C x, C y) {                                         \
    const T size = (y.x < 0 ? -y.x : y.x) + (y.y < 0 ? -y.y : y.y);               \
    const C a{x.x / size, x.y / size}, b{y.x / size, y.y / size};                 \
    const T square = b.x * b.x + b.y * b.y;                                       \
    return C{(a.x * b.x + a.y * b.y) / square, (a.y * b.x - a.x * b.y) / square}; \
  }                                                                               \
  AMBIDEX_HD T cuCabs##suffix(C x) { return hypot(x.x, x.y); }                    \
  AMBIDEX_HD C cuCfma##suffix(C x, C y, C d) { return cuCadd##suffix(cuCmul##suffix(x, y), d); }
AMBIDEX_COMPLEX(cuFloatComplex, float, f, make_cuFloatComplex, __builtin_hypotf)
AMBIDEX_COMPLEX(cuDoubleComplex, double, , make_cuDoubleComplex, __builtin_hypot)
AMBIDEX_HD cuComplex make_cuComplex(float x, float y) { return cuComplex{x, y}; }
AMBIDEX_HD cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex x) {
  return cuFloatComplex{float(x.x), float(x.y)};
}
AMBIDEX_HD cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex x) {
  return cuDoubleComplex{x.x, x.y};
}
