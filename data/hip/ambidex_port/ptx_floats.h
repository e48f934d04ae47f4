// SPDX-License-Identifier: Apache-2.0
// PTX's floating point where C++ has no word for it: denormals flushed, minima of numbers and
// NaNs, ordered comparisons, classes, tf32 [N01 N14].
#ifndef AMBIDEX_PORT_PTX_FLOATS_H  // a name, since a port brings its own copy
#define AMBIDEX_PORT_PTX_FLOATS_H

#include "ambidex_port/floats.h"
#include "ambidex_port/platform.h"

namespace ambidex_port {

// .ftz: a denormal becomes a zero of its sign.
AMBIDEX_PORT_BOTH float ftz(float x) {
  const unsigned raw = bits_as<unsigned>(x);
  return (raw & 0x7f800000u) == 0u ? bits_as<float>(raw & 0x80000000u) : x;
}

AMBIDEX_PORT_BOTH bool sign_of(float x) { return bits_as<unsigned>(x) >> 31 != 0u; }
AMBIDEX_PORT_BOTH bool sign_of(double x) { return bits_as<unsigned long long>(x) >> 63 != 0u; }
AMBIDEX_PORT_BOTH float quiet_nan(float) { return bits_as<float>(0x7fffffffu); }
AMBIDEX_PORT_BOTH double quiet_nan(double) { return bits_as<double>(0x7fffffffffffffffull); }

// min and max: of a number and a NaN the number; -0 is below +0. _nan: a NaN wins.
template <class T>
AMBIDEX_PORT_INLINE T min_number(T a, T b) {
  if (a != a) return b != b ? quiet_nan(a) : b;
  if (b != b) return a;
  return a == b ? (sign_of(a) ? a : b) : (a < b ? a : b);
}
template <class T>
AMBIDEX_PORT_INLINE T max_number(T a, T b) {
  if (a != a) return b != b ? quiet_nan(a) : b;
  if (b != b) return a;
  return a == b ? (sign_of(a) ? b : a) : (a < b ? b : a);
}
template <class T>
AMBIDEX_PORT_INLINE T min_nan(T a, T b) {
  return a != a || b != b ? quiet_nan(a) : min_number(a, b);
}
template <class T>
AMBIDEX_PORT_INLINE T max_nan(T a, T b) {
  return a != a || b != b ? quiet_nan(a) : max_number(a, b);
}

template <class T>
AMBIDEX_PORT_INLINE bool ordered(T a, T b) {
  return a == a && b == b;
}
template <class T>
AMBIDEX_PORT_INLINE bool ordered_unequal(T a, T b) {
  return a < b || a > b;
}
// slct: a if the selector is zero or more; a NaN is not, -0 is.
template <class T, class Selector>
AMBIDEX_PORT_INLINE T slct(T a, T b, Selector selector) {
  return selector >= Selector(0) ? a : b;
}

// testp.
template <class T>
AMBIDEX_PORT_INLINE bool is_number(T x) {
  return x == x;
}
template <class T>
AMBIDEX_PORT_INLINE bool is_infinite(T x) {
  return !is_finite(x) && is_number(x);
}
template <class T>
AMBIDEX_PORT_INLINE bool is_subnormal(T x) {
  return exponent_of(x) == 0 && x != T(0);
}
template <class T>
AMBIDEX_PORT_INLINE bool is_normal(T x) {
  return is_finite(x) && exponent_of(x) != 0;
}

// To tf32: a float whose fraction has 10 bits. rna: ties away from zero.
AMBIDEX_PORT_BOTH unsigned tf32_of(float x, unsigned up) {
  const unsigned raw = bits_as<unsigned>(x);
  if ((raw & 0x7f800000u) == 0x7f800000u) return raw;
  return (raw + up) & ~0x1fffu;
}
AMBIDEX_PORT_BOTH unsigned tf32_rna(float x) { return tf32_of(x, 0x1000u); }
AMBIDEX_PORT_BOTH unsigned tf32_rn(float x) {
  return tf32_of(x, 0xfffu + (bits_as<unsigned>(x) >> 13 & 1u));
}
AMBIDEX_PORT_BOTH unsigned tf32_rz(float x) { return tf32_of(x, 0u); }

}  // namespace ambidex_port

#endif  // AMBIDEX_PORT_PTX_FLOATS_H
