// SPDX-License-Identifier: Apache-2.0
// The functions of <cmath> that GPUs get from data/hip/ambidex_hip/math, compiled for this machine
// and held against the C library in extended precision.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#define AMBIDEX_MATH inline
#define AMBIDEX_MATH_EXACT
#define AMBIDEX_MATH_TABLE inline constexpr
#include "ambidex_hip/math/float_trigonometry.h"
#include "ambidex_hip/math/special.h"

namespace {

namespace gpu = ambidex_math;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// Distance in units of the last place of what is wanted; 0 if both are NaN.
template <class T>
double ulps(T got, long double wanted) {
  const T near = static_cast<T>(wanted);
  if (near == got || (std::isnan(near) && std::isnan(got))) return 0;
  if (!std::isfinite(near) || !std::isfinite(got)) return 1e30;
  const T unit =
      std::nextafter(std::fabs(near), std::numeric_limits<T>::infinity()) - std::fabs(near);
  return static_cast<double>(std::fabs(got - wanted) / unit);
}

struct Range {
  double low, high;
  bool by_exponent;
};
struct Case {
  const char* name;
  double (*function)(double);
  long double (*oracle)(long double);
  Range range;
  double bound;  // ulp
};

double draw(std::mt19937_64& random, const Range& range) {
  const double u = static_cast<double>(random() >> 11) * 0x1p-53;
  if (!range.by_exponent) return range.low + u * (range.high - range.low);
  return std::exp(std::log(range.low) + u * (std::log(range.high) - std::log(range.low)));
}

const Case kCases[] = {
    {"exp", gpu::exp, expl, {-746, 710, false}, 1},
    {"exp", gpu::exp, expl, {1e-20, 1, true}, 1},
    {"exp2", gpu::exp2, exp2l, {-1075, 1025, false}, 1},
    {"exp10", gpu::exp10, exp10l, {-323, 308.3, false}, 1},
    {"expm1", gpu::expm1, expm1l, {-40, 705, false}, 1},
    {"expm1", gpu::expm1, expm1l, {1e-20, 1, true}, 1},
    {"log", gpu::log, logl, {0.5, 2, false}, 1},
    {"log", gpu::log, logl, {1e-310, 1e308, true}, 1},
    {"log2", gpu::log2, log2l, {1e-310, 1e308, true}, 1},
    {"log10", gpu::log10, log10l, {1e-310, 1e308, true}, 1},
    {"log1p", gpu::log1p, log1pl, {-0.999, 3, false}, 1},
    {"log1p", gpu::log1p, log1pl, {1e-20, 1e300, true}, 1},
    {"sinh", gpu::sinh, sinhl, {-710, 710, false}, 2.5},
    {"sinh", gpu::sinh, sinhl, {1e-9, 40, true}, 2.5},
    {"cosh", gpu::cosh, coshl, {-710, 710, false}, 1.5},
    {"tanh", gpu::tanh, tanhl, {1e-9, 25, true}, 2.5},
    {"asinh", gpu::asinh, asinhl, {1e-9, 1e300, true}, 2},
    {"acosh", gpu::acosh, acoshl, {1, 1e300, true}, 2},
    {"acosh", gpu::acosh, acoshl, {1, 1.1, false}, 2},
    {"atanh", gpu::atanh, atanhl, {-1, 1, false}, 2},
    {"cbrt", gpu::cbrt, cbrtl, {1e-310, 1e308, true}, 1},
    {"sin", gpu::sin, sinl, {-10, 10, false}, 1},
    {"sin", gpu::sin, sinl, {1e-300, 1e18, true}, 1},
    {"cos", gpu::cos, cosl, {1e-9, 1e18, true}, 1},
    {"tan", gpu::tan, tanl, {1e-9, 1e18, true}, 2},
    {"atan", gpu::atan, atanl, {1e-300, 1e300, true}, 1},
    {"asin", gpu::asin, asinl, {-1, 1, false}, 2},
    {"acos", gpu::acos, acosl, {-1, 1, false}, 2},
    {"erf", gpu::erf, erfl, {-7, 7, false}, 2},
    {"erfc", gpu::erfc, erfcl, {-6, 26, false}, 5},
    {"tgamma", gpu::tgamma, tgammal, {1e-300, 171.6, true}, 10},
    {"tgamma", gpu::tgamma, tgammal, {-30, 30, false}, 10},
    {"lgamma", gpu::lgamma, lgammal, {1e-9, 1e300, true}, 10},
    {"lgamma", gpu::lgamma, lgammal, {0.5, 12, false}, 10},
};

TEST(HipMath, doubles_are_within_their_stated_error) {
  for (const Case& row : kCases) {
    std::mt19937_64 random(7);
    double worst = 0, at = 0;
    for (int i = 0; i < 20000; ++i) {
      const double x = draw(random, row.range);
      const double error = ulps(row.function(x), row.oracle(x));
      if (error > worst) {
        worst = error;
        at = x;
      }
    }
    EXPECT_LE(worst, row.bound) << row.name << " of " << at;
  }
}

TEST(HipMath, functions_of_two_numbers_are_within_their_stated_error) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 30000; ++i) {
    const double x = draw(random, {1e-9, 1e9, true}), y = draw(random, {-30, 30, false});
    EXPECT_LE(ulps(gpu::pow(x, y), powl(x, y)), 1.5) << x << " " << y;
    const int power = static_cast<int>(random() % 200) - 100;
    const double a = std::ldexp(draw(random, {-1, 1, false}), power), b = y;
    EXPECT_LE(ulps(gpu::atan2(a, b), atan2l(a, b)), 1) << a << " " << b;
    EXPECT_LE(ulps(gpu::hypot(a, b), hypotl(a, b)), 1) << a << " " << b;
    EXPECT_EQ(gpu::fmod(a, b), std::fmod(a, b)) << a << " " << b;
    EXPECT_EQ(gpu::remainder(a, b), std::remainder(a, b)) << a << " " << b;
  }
}

TEST(HipMath, floats_are_nearly_exact) {
  std::mt19937_64 random(5);
  for (int i = 0; i < 30000; ++i) {
    const float x = static_cast<float>(draw(random, {1e-30, 3e38, true}));
    EXPECT_LE(ulps(gpu::sin_float(x), sinl(static_cast<double>(x))), 0.51) << x;
    EXPECT_LE(ulps(gpu::cos_float(-x), cosl(static_cast<double>(x))), 0.51) << x;
    EXPECT_LE(ulps(gpu::tan_float(x), tanl(static_cast<double>(x))), 0.52) << x;
  }
}

TEST(HipMath, inverses_of_erf_lead_back) {
  for (double y = -0.9995; y < 1; y += 0.0007) {
    EXPECT_NEAR(std::erf(gpu::erfinv(y)), y, 4e-16 * std::max(std::fabs(y), 1e-3)) << y;
  }
  for (double y = 1e-300; y < 2; y *= 1.7) {
    const double x = gpu::erfcinv(y);
    EXPECT_NEAR(std::erfc(x) / y, 1, 1e-15 * (1 + x * x)) << y;
  }
}

// C's Annex F.
TEST(HipMath, special_values_are_those_of_the_standard) {
  using Function = double (*)(double);
  const std::pair<Function, double (*)(double)> pairs[] = {
      {gpu::exp, std::exp},     {gpu::exp2, std::exp2},    {gpu::expm1, std::expm1},
      {gpu::log, std::log},     {gpu::log2, std::log2},    {gpu::log10, std::log10},
      {gpu::log1p, std::log1p}, {gpu::sinh, std::sinh},    {gpu::cosh, std::cosh},
      {gpu::tanh, std::tanh},   {gpu::asinh, std::asinh},  {gpu::acosh, std::acosh},
      {gpu::atanh, std::atanh}, {gpu::cbrt, std::cbrt},    {gpu::sin, std::sin},
      {gpu::cos, std::cos},     {gpu::tan, std::tan},      {gpu::atan, std::atan},
      {gpu::asin, std::asin},   {gpu::acos, std::acos},    {gpu::erf, std::erf},
      {gpu::erfc, std::erfc},   {gpu::tgamma, std::tgamma}};
  int index = 0;
  for (const auto& [function, oracle] : pairs) {
    for (const double x : {0.0, -0.0, 1.0, -1.0, 2.5, kInfinity, -kInfinity, kNan, 1e-320, -3.0}) {
      const double got = function(x), wanted = oracle(x);
      if (std::isnan(wanted)) {
        EXPECT_TRUE(std::isnan(got)) << index << " of " << x << " gave " << got;
      } else {
        EXPECT_LE(ulps(got, wanted), 6) << index << " of " << x;
        EXPECT_EQ(std::signbit(got), std::signbit(wanted)) << index << " of " << x;
      }
    }
    ++index;
  }
  for (const double x : {0.0, -0.0, 0.5, -0.5, 1.0, -1.0, 3.0, -2.0, kInfinity, -kInfinity, kNan}) {
    for (const double y : {0.0, -0.0, 1.0, -1.0, 3.0, -3.0, 2.5, 1e300, kInfinity, -kInfinity}) {
      const double got = gpu::pow(x, y), wanted = std::pow(x, y);
      EXPECT_TRUE(got == wanted || (std::isnan(got) && std::isnan(wanted)) ||
                  ulps(got, wanted) <= 1)
          << x << " to " << y << ": " << got;
      if (!std::isnan(wanted)) {
        EXPECT_EQ(std::signbit(got), std::signbit(wanted)) << x << y;
      }
      EXPECT_LE(ulps(gpu::atan2(x, y), std::atan2(x, y)), 1) << x << ", " << y;
    }
  }
}

}  // namespace
