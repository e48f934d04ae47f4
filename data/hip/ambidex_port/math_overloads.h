// SPDX-License-Identifier: Apache-2.0
// Mathematical functions that CUDA gives to host code too, and HIP to kernels only; and their
// overloads for float. They stand beside HIP's own, in the global namespace: a caller takes the one
// of its side. As templates they give way where a C library or a newer HIP has the name for the
// host [N21].
#ifndef AMBIDEX_PORT_MATH_OVERLOADS_H  // a name, since a port brings its own copy
#define AMBIDEX_PORT_MATH_OVERLOADS_H

#include <cmath>

#include "ambidex_port/platform.h"

namespace ambidex_port {
namespace overloads {

constexpr double kPi = 3.14159265358979323846;

// Folded first, so that sin(pi x) is exact where it is 0, 1 and -1.
inline double sinpi(double x) {
  const double folded = x - 2.0 * std::rint(x * 0.5);  // [-1, 1]
  if (folded == 1.0 || folded == -1.0) return std::copysign(0.0, x);
  if (folded > 0.5) return std::sin(kPi * (1.0 - folded));
  if (folded < -0.5) return -std::sin(kPi * (1.0 + folded));
  return std::sin(kPi * folded);
}
inline double cospi(double x) {
  const double folded = std::fabs(x - 2.0 * std::rint(x * 0.5));  // [0, 1]
  if (folded == 0.5) return 0.0;
  if (folded > 0.5) return -std::sin(kPi * (folded - 0.5));
  return folded < 0.25 ? std::cos(kPi * folded) : std::sin(kPi * (0.5 - folded));
}
// exp(x * x) erfc(x); for large x by its asymptotic series, whose square does not overflow.
inline double erfcx(double x) {
  if (x < 25.0) return std::exp(x * x) * std::erfc(x);
  const double y = 1.0 / (x * x);
  return (1.0 - y * (0.5 - y * (0.75 - y * 1.875))) / (x * 1.7724538509055160273);
}
constexpr double kTwoOverRootPi = 1.1283791670955125739;  // slope of erf at 0
// Newton's method on erf or erfc, whichever keeps digits, from Winitzki's approximation.
inline double erfinv(double x) {
  if (!(x > -1.0 && x < 1.0)) {
    return x == 1.0 ? HUGE_VAL : x == -1.0 ? -HUGE_VAL : std::nan("");
  }
  const double log_part = std::log1p(-x * x);
  const double t = 4.3307467508 + 0.5 * log_part;  // 2 / (pi * 0.147)
  double y = std::copysign(std::sqrt(std::sqrt(t * t - log_part / 0.147) - t), x);
  for (int i = 0; i < 4; ++i) {
    const double error = std::fabs(x) < 0.5 ? std::erf(y) - x
                         : x > 0            ? (1.0 - x) - std::erfc(y)
                                            : std::erfc(-y) - (1.0 + x);
    y -= error / (kTwoOverRootPi * std::exp(-y * y));
  }
  return y;
}
inline double erfcinv(double x) {
  if (x > 0.25) return erfinv(1.0 - x);
  if (!(x > 0.0)) return x == 0.0 ? HUGE_VAL : std::nan("");
  double y = std::sqrt(-std::log(x));
  for (int i = 0; i < 60; ++i) {
    const double step = (std::erfc(y) - x) / (kTwoOverRootPi * std::exp(-y * y));
    y += step;
    if (std::fabs(step) <= 1e-16 * y) break;
  }
  return y;
}

}  // namespace overloads
}  // namespace ambidex_port

#define AMBIDEX_PORT_HOST \
  template <int = 0>      \
  __host__ inline
// Overloads for float of names that HIP has for double only, for kernels too.
#define AMBIDEX_PORT_OVERLOAD \
  template <int = 0>          \
  __host__ __device__ inline

// For double; for float computed in double and rounded once.
#define AMBIDEX_PORT_HOST_1(name, expression)                    \
  AMBIDEX_PORT_HOST double name(double x) { return expression; } \
  AMBIDEX_PORT_HOST float name##f(float value) {                 \
    const double x = value;                                      \
    return static_cast<float>(expression);                       \
  }                                                              \
  AMBIDEX_PORT_OVERLOAD float name(float x) { return name##f(x); }
AMBIDEX_PORT_HOST_1(rsqrt, 1.0 / std::sqrt(x))
AMBIDEX_PORT_HOST_1(rcbrt, 1.0 / std::cbrt(x))
AMBIDEX_PORT_HOST_1(sinpi, ambidex_port::overloads::sinpi(x))
AMBIDEX_PORT_HOST_1(cospi, ambidex_port::overloads::cospi(x))
AMBIDEX_PORT_HOST_1(normcdf, 0.5 * std::erfc(-x * 0.70710678118654752440))
AMBIDEX_PORT_HOST_1(normcdfinv, -1.41421356237309504880 * ambidex_port::overloads::erfcinv(2.0 * x))
AMBIDEX_PORT_HOST_1(erfinv, ambidex_port::overloads::erfinv(x))
AMBIDEX_PORT_HOST_1(erfcinv, ambidex_port::overloads::erfcinv(x))
AMBIDEX_PORT_HOST_1(erfcx, ambidex_port::overloads::erfcx(x))
#undef AMBIDEX_PORT_HOST_1

#define AMBIDEX_PORT_HOST_TURN(T, f)                             \
  AMBIDEX_PORT_HOST void sincospi##f(T x, T* sine, T* cosine) {  \
    *sine = static_cast<T>(ambidex_port::overloads::sinpi(x));   \
    *cosine = static_cast<T>(ambidex_port::overloads::cospi(x)); \
  }
AMBIDEX_PORT_HOST_TURN(double, )
AMBIDEX_PORT_HOST_TURN(float, f)
#undef AMBIDEX_PORT_HOST_TURN
AMBIDEX_PORT_OVERLOAD void sincos(float x, float* sine, float* cosine) {
  *sine = sinf(x);
  *cosine = cosf(x);
}
AMBIDEX_PORT_OVERLOAD void sincospi(float x, float* sine, float* cosine) {
  sincospif(x, sine, cosine);
}
AMBIDEX_PORT_OVERLOAD float exp10(float x) { return exp10f(x); }
AMBIDEX_PORT_OVERLOAD float fdivide(float x, float y) { return x / y; }
AMBIDEX_PORT_OVERLOAD double fdivide(double x, double y) { return x / y; }

// On the host HIP has min(int, int) alone, and takes floats for it; in kernels it compares two
// types of integers as doubles. In CUDA the wider type decides, of one width the unsigned one.
#define AMBIDEX_PORT_INTEGER_BOUNDS(T, A, B)                                              \
  AMBIDEX_PORT_OVERLOAD constexpr T min(A a, B b) {                                       \
    return static_cast<T>(b) < static_cast<T>(a) ? static_cast<T>(b) : static_cast<T>(a); \
  }                                                                                       \
  AMBIDEX_PORT_OVERLOAD constexpr T max(A a, B b) {                                       \
    return static_cast<T>(a) < static_cast<T>(b) ? static_cast<T>(b) : static_cast<T>(a); \
  }
#define AMBIDEX_PORT_SIGNED_BOUNDS(I, U) \
  AMBIDEX_PORT_INTEGER_BOUNDS(I, I, I)   \
  AMBIDEX_PORT_INTEGER_BOUNDS(U, U, U)   \
  AMBIDEX_PORT_INTEGER_BOUNDS(U, I, U)   \
  AMBIDEX_PORT_INTEGER_BOUNDS(U, U, I)
AMBIDEX_PORT_SIGNED_BOUNDS(int, unsigned)
AMBIDEX_PORT_SIGNED_BOUNDS(long, unsigned long)
AMBIDEX_PORT_SIGNED_BOUNDS(long long, unsigned long long)
#undef AMBIDEX_PORT_SIGNED_BOUNDS
#undef AMBIDEX_PORT_INTEGER_BOUNDS
#define AMBIDEX_PORT_FLOAT_BOUNDS(T, A, B, f)                                         \
  AMBIDEX_PORT_OVERLOAD constexpr T min(A a, B b) { return __builtin_fmin##f(a, b); } \
  AMBIDEX_PORT_OVERLOAD constexpr T max(A a, B b) { return __builtin_fmax##f(a, b); }
AMBIDEX_PORT_FLOAT_BOUNDS(float, float, float, f)
AMBIDEX_PORT_FLOAT_BOUNDS(double, double, double, )
AMBIDEX_PORT_FLOAT_BOUNDS(double, float, double, )
AMBIDEX_PORT_FLOAT_BOUNDS(double, double, float, )
#undef AMBIDEX_PORT_FLOAT_BOUNDS
#undef AMBIDEX_PORT_OVERLOAD
#undef AMBIDEX_PORT_HOST

#endif  // AMBIDEX_PORT_MATH_OVERLOADS_H
