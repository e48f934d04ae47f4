// SPDX-License-Identifier: Apache-2.0
// Directed rounding, which HIP lacks, and PTX's approximate functions.
#ifndef AMBIDEX_PORT_FLOATS_H  // a name, since a port brings its own copy
#define AMBIDEX_PORT_FLOATS_H

#include "ambidex_port/platform.h"

namespace ambidex_port {

// By the bits, since fast arithmetic may take it that there is nothing else.
AMBIDEX_PORT_BOTH int exponent_of(float x) { return bits_as<unsigned>(x) >> 23 & 0xffu; }
AMBIDEX_PORT_BOTH int exponent_of(double x) {
  return static_cast<int>(bits_as<unsigned long long>(x) >> 52) & 0x7ff;
}
template <class T>
AMBIDEX_PORT_INLINE bool is_finite(T x) {
  return exponent_of(x) != (sizeof(T) == 4 ? 0xff : 0x7ff);
}

namespace rounding {

enum Direction { nearest, to_zero, up, down };

// The sum of a and b is sum + error, exactly.
AMBIDEX_PORT_BOTH double two_sum(double a, double b, double* error) {
#pragma clang fp reassociate(off) contract(off)
  const double sum = a + b, from_b = sum - a;
  *error = (a - (sum - from_b)) + (b - from_b);
  return sum;
}
// -1, 0 or 1: the sign of the exact sum of four doubles.
AMBIDEX_PORT_BOTH int sign_of_sum(double a, double b, double c, double d) {
  const double terms[4] = {a, b, c, d};
  double parts[4] = {};  // do not overlap, and grow in size
  for (int i = 0; i < 4; ++i) {
    double carried = terms[i];
    for (int j = 0; j < i; ++j) carried = two_sum(carried, parts[j], &parts[j]);
    parts[i] = carried;
  }
  int sign = 0;
  for (int i = 0; i < 4; ++i) {
    if (parts[i] != 0.0) sign = parts[i] > 0.0 ? 1 : -1;
  }
  return sign;
}

// The neighbour of a finite x, or what an overflow comes to when rounded away from it.
AMBIDEX_PORT_BOTH float next(float x, bool upwards) {
  if (x == 0.0f) return upwards ? 0x1p-149f : -0x1p-149f;
  const unsigned bits = bits_as<unsigned>(x);
  return bits_as<float>((x > 0.0f) == upwards ? bits + 1u : bits - 1u);
}
AMBIDEX_PORT_BOTH double next(double x, bool upwards) {
  if (x == 0.0) return upwards ? 0x1p-1074 : -0x1p-1074;
  const unsigned long long bits = bits_as<unsigned long long>(x);
  return bits_as<double>((x > 0.0) == upwards ? bits + 1u : bits - 1u);
}

// `rounded` is the exact value to nearest; `beyond` the sign of exact - rounded.
template <Direction direction, class T>
AMBIDEX_PORT_BOTH T direct(T rounded, int beyond, bool is_negative) {
  if (direction == nearest || beyond == 0) return rounded;
  const bool upwards = direction == up || (direction == to_zero && is_negative);
  if (upwards) return beyond > 0 ? next(rounded, true) : rounded;
  return beyond < 0 ? next(rounded, false) : rounded;
}

// A sum that is exactly zero has the sign of the direction, unless both terms have one sign.
template <Direction direction, class T>
AMBIDEX_PORT_BOTH T zero_sum(T a, T b) {
  if (a == T(0) && b == T(0) && __builtin_signbit(a) == __builtin_signbit(b)) return a;
  return direction == down ? -T(0) : T(0);
}

// a * b + c. Exact for floats; for doubles while |a * b| is 0 or above 2^-960.
template <Direction direction>
AMBIDEX_PORT_BOTH float multiply_add(float a, float b, float c) {
#pragma clang fp contract(off)
  const float result = __builtin_fmaf(a, b, c);
  if (!is_finite(a) || !is_finite(b) || !is_finite(c)) return result;
  const double product = static_cast<double>(a) * static_cast<double>(b);
  const int sign = sign_of_sum(product, c, 0.0, 0.0);
  if (sign == 0)
    return zero_sum<direction, float>(static_cast<float>(product == 0.0 ? product : 1.0), c);
  const int beyond =
      is_finite(result) ? sign_of_sum(product, c, -static_cast<double>(result), 0.0) : -sign;
  return direct<direction>(result, beyond, sign < 0);
}
template <Direction direction>
AMBIDEX_PORT_BOTH double multiply_add(double a, double b, double c) {
#pragma clang fp contract(off)
  const double result = __builtin_fma(a, b, c);
  if (!is_finite(a) || !is_finite(b) || !is_finite(c)) return result;
  // Where the product overflows, all is judged at a smaller scale.
  const double scale = is_finite(a * b) ? 1.0 : 0x1p-600;
  const bool a_is_larger = __builtin_fabs(a) > __builtin_fabs(b);
  const double x = a_is_larger ? a * scale : a, y = a_is_larger ? b : b * scale, z = c * scale;
  const double product = x * y;
  const double rest = __builtin_fma(x, y, -product);
  const int sign = sign_of_sum(rest, product, z, 0.0);
  if (sign == 0) return zero_sum<direction, double>(product == 0.0 ? product : 1.0, c);
  const int beyond = is_finite(result) ? sign_of_sum(rest, product, z, -result * scale) : -sign;
  return direct<direction>(result, beyond, sign < 0);
}

template <Direction direction, class T>
AMBIDEX_PORT_BOTH T divide(T a, T b) {
#pragma clang fp contract(off)
  const T result = a / b;
  if (!is_finite(a) || !is_finite(b) || b == T(0) || a == T(0)) return result;
  const bool is_negative = (a < T(0)) != (b < T(0));
  if (!is_finite(result)) return direct<direction>(result, is_negative ? 1 : -1, is_negative);
  const double product = static_cast<double>(result) * b;  // exact for floats
  const double rest = __builtin_fma(static_cast<double>(result), static_cast<double>(b), -product);
  const int sign = sign_of_sum(-rest, -product, a, 0.0);
  return direct<direction>(result, b > T(0) ? sign : -sign, is_negative);
}
template <Direction direction, class T>
AMBIDEX_PORT_BOTH T square_root(T x) {
#pragma clang fp contract(off)
  const T result =
      sizeof(T) == 4 ? T(__builtin_sqrtf(static_cast<float>(x))) : T(__builtin_sqrt(x));
  if (!is_finite(result) || x == T(0)) return result;
  const double root = result, product = root * root;
  const double rest = __builtin_fma(root, root, -product);
  return direct<direction>(result, sign_of_sum(-rest, -product, x, 0.0), false);
}

}  // namespace rounding

// fadd_rz, dmul_ru, fmaf_rd, fma_rn, fdiv_rz, ddiv_ru, fsqrt_rd, dsqrt_rn, frcp_rz, drcp_ru ...
// [N14]
#define AMBIDEX_PORT_ROUNDED(T, t, fma_name, suffix, direction)                              \
  AMBIDEX_PORT_BOTH T fma_name##_##suffix(T a, T b, T c) {                                   \
    return rounding::multiply_add<rounding::direction>(a, b, c);                             \
  }                                                                                          \
  AMBIDEX_PORT_BOTH T t##add_##suffix(T a, T b) { return fma_name##_##suffix(a, T(1), b); }  \
  AMBIDEX_PORT_BOTH T t##sub_##suffix(T a, T b) { return fma_name##_##suffix(a, T(1), -b); } \
  AMBIDEX_PORT_BOTH T t##mul_##suffix(T a, T b) {                                            \
    const bool is_negative = __builtin_signbit(a) != __builtin_signbit(b);                   \
    return fma_name##_##suffix(a, b, is_negative ? -T(0) : T(0));                            \
  }                                                                                          \
  AMBIDEX_PORT_BOTH T t##div_##suffix(T a, T b) {                                            \
    return rounding::divide<rounding::direction>(a, b);                                      \
  }                                                                                          \
  AMBIDEX_PORT_BOTH T t##rcp_##suffix(T x) { return t##div_##suffix(T(1), x); }              \
  AMBIDEX_PORT_BOTH T t##sqrt_##suffix(T x) {                                                \
    return rounding::square_root<rounding::direction>(x);                                    \
  }
#define AMBIDEX_PORT_ROUNDED_ALL(T, t, fma_name)    \
  AMBIDEX_PORT_ROUNDED(T, t, fma_name, rn, nearest) \
  AMBIDEX_PORT_ROUNDED(T, t, fma_name, rz, to_zero) \
  AMBIDEX_PORT_ROUNDED(T, t, fma_name, ru, up)      \
  AMBIDEX_PORT_ROUNDED(T, t, fma_name, rd, down)
AMBIDEX_PORT_ROUNDED_ALL(float, f, fmaf)
AMBIDEX_PORT_ROUNDED_ALL(double, d, fma)
#undef AMBIDEX_PORT_ROUNDED_ALL
#undef AMBIDEX_PORT_ROUNDED

// PTX's .approx.f32: as exact or better here [N13].
AMBIDEX_PORT_DEVICE float ex2_approx(float x) { return exp2f(x); }
AMBIDEX_PORT_DEVICE float lg2_approx(float x) { return log2f(x); }
AMBIDEX_PORT_DEVICE float rcp_approx(float x) { return 1.0f / x; }
AMBIDEX_PORT_DEVICE float rsqrt_approx(float x) { return rsqrtf(x); }
AMBIDEX_PORT_DEVICE float sqrt_approx(float x) { return sqrtf(x); }
AMBIDEX_PORT_DEVICE float sin_approx(float x) { return __sinf(x); }
AMBIDEX_PORT_DEVICE float cos_approx(float x) { return __cosf(x); }
AMBIDEX_PORT_DEVICE float tanh_approx(float x) { return tanhf(x); }
// To 0..1; NaN gives 0, as CUDA's __saturatef.
AMBIDEX_PORT_BOTH float saturate(float x) { return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f; }

}  // namespace ambidex_port

#endif  // AMBIDEX_PORT_FLOATS_H
