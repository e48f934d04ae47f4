// SPDX-License-Identifier: Apache-2.0
// sin, cos, tan of floats by short series in double precision: at most 0.51 ulp.
#pragma once

#include "ambidex_hip/math/trigonometry.h"

namespace ambidex_math {

AMBIDEX_MATH Angle reduce_float(float x) {
  AMBIDEX_MATH_EXACT
  const double wide = x;
  if (__builtin_fabs(wide) > 0x1p28) return reduce_large(wide);
  const double k = __builtin_rint(wide * 0x1.45f306dc9c883p-1);
  const double rest = __builtin_fma(-k, 0x1.921fb54442d18p+0, wide);
  return {static_cast<int>(k), __builtin_fma(-k, 0x1.1a62633145c07p-54, rest), 0.0};
}
// Series to x^13 and x^14: 1e-11 of the value is left out.
AMBIDEX_MATH double short_sine(double x) {
  AMBIDEX_MATH_EXACT
  const double s = x * x;
  double p = 1.0 / 6227020800.0;
  p = __builtin_fma(p, s, -1.0 / 39916800.0);
  p = __builtin_fma(p, s, 1.0 / 362880.0);
  p = __builtin_fma(p, s, -1.0 / 5040.0);
  p = __builtin_fma(p, s, 1.0 / 120.0);
  p = __builtin_fma(p, s, -1.0 / 6.0);
  return __builtin_fma(p, s * x, x);
}
AMBIDEX_MATH double short_cosine(double x) {
  AMBIDEX_MATH_EXACT
  const double s = x * x;
  double p = -1.0 / 87178291200.0;
  p = __builtin_fma(p, s, 1.0 / 479001600.0);
  p = __builtin_fma(p, s, -1.0 / 3628800.0);
  p = __builtin_fma(p, s, 1.0 / 40320.0);
  p = __builtin_fma(p, s, -1.0 / 720.0);
  p = __builtin_fma(p, s, 1.0 / 24.0);
  p = __builtin_fma(p, s, -0.5);
  return __builtin_fma(p, s, 1.0);
}
AMBIDEX_MATH bool is_finite(float x) { AMBIDEX_MATH_EXACT return x - x == 0.0f; }
AMBIDEX_MATH float sin_float(float x) {
  AMBIDEX_MATH_EXACT
  if (!is_finite(x)) return x - x;
  if (x == 0.0f) return x;
  const Angle angle = reduce_float(x);
  const double value =
      (angle.quadrant & 1) != 0 ? short_cosine(angle.high) : short_sine(angle.high);
  return static_cast<float>((angle.quadrant & 2) != 0 ? -value : value);
}
AMBIDEX_MATH float cos_float(float x) {
  AMBIDEX_MATH_EXACT
  if (!is_finite(x)) return x - x;
  const Angle angle = reduce_float(x);
  const double value =
      (angle.quadrant & 1) != 0 ? short_sine(angle.high) : short_cosine(angle.high);
  return static_cast<float>(((angle.quadrant + 1) & 2) != 0 ? -value : value);
}
AMBIDEX_MATH float tan_float(float x) {
  AMBIDEX_MATH_EXACT
  if (!is_finite(x)) return x - x;
  if (x == 0.0f) return x;
  const Angle angle = reduce_float(x);
  const double sine = short_sine(angle.high), cosine = short_cosine(angle.high);
  return static_cast<float>((angle.quadrant & 1) != 0 ? -cosine / sine : sine / cosine);
}

}  // namespace ambidex_math
