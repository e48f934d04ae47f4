// SPDX-License-Identifier: Apache-2.0
// Functions of <cmath> in double precision for GPUs, which have none: plain C++ over fma, sqrt and
// bits, so that the same text can be held against a library on the host. Errors are stated in
// units in the last place (ulp) and tested. The file that includes this defines AMBIDEX_MATH, how
// functions are declared, and AMBIDEX_MATH_TABLE, how tables are; and AMBIDEX_MATH_EXACT, what a
// function begins with so that no product and sum of its body become one instruction.
#pragma once

namespace ambidex_math {

AMBIDEX_MATH double from_bits(unsigned long long bits) {
  AMBIDEX_MATH_EXACT return __builtin_bit_cast(double, bits);
}
AMBIDEX_MATH unsigned long long to_bits(double x) {
  AMBIDEX_MATH_EXACT
  return __builtin_bit_cast(unsigned long long, x);
}
AMBIDEX_MATH double infinity() { AMBIDEX_MATH_EXACT return from_bits(0x7ffull << 52); }
AMBIDEX_MATH double not_a_number() { AMBIDEX_MATH_EXACT return from_bits(0x7ff8ull << 48); }
AMBIDEX_MATH bool is_nan(double x) { AMBIDEX_MATH_EXACT return !(x == x); }

// A sum of two doubles that holds more than one can.
struct Pair {
  double high, low;
};
AMBIDEX_MATH Pair two_sum(double a, double b) {
  AMBIDEX_MATH_EXACT
  const double sum = a + b, from_b = sum - a;
  return {sum, (a - (sum - from_b)) + (b - from_b)};
}
AMBIDEX_MATH Pair two_product(double a, double b) {
  AMBIDEX_MATH_EXACT
  const double product = a * b;
  return {product, __builtin_fma(a, b, -product)};
}
AMBIDEX_MATH Pair renormal(double high, double low) {
  AMBIDEX_MATH_EXACT
  const double sum = high + low;
  return {sum, low - (sum - high)};
}
AMBIDEX_MATH Pair multiply(Pair a, Pair b) {
  AMBIDEX_MATH_EXACT
  const Pair product = two_product(a.high, b.high);
  return renormal(product.high, product.low + (a.high * b.low + a.low * b.high));
}
AMBIDEX_MATH Pair add(Pair a, Pair b) {
  AMBIDEX_MATH_EXACT
  const Pair sum = two_sum(a.high, b.high);
  return renormal(sum.high, sum.low + (a.low + b.low));
}

// Coefficients, the highest power first.
template <int n>
AMBIDEX_MATH double polynomial(const double (&coefficients)[n], double x) {
  AMBIDEX_MATH_EXACT
  double sum = coefficients[0];
  for (int i = 1; i < n; ++i) sum = __builtin_fma(sum, x, coefficients[i]);
  return sum;
}

// 2^power, in the range of normal numbers.
AMBIDEX_MATH double power_of_two(int power) {
  AMBIDEX_MATH_EXACT
  return from_bits(static_cast<unsigned long long>(power + 1023) << 52);
}
// x 2^power, rounded once; any power that exponents of doubles can differ by.
AMBIDEX_MATH double scale(double x, int power) {
  AMBIDEX_MATH_EXACT
  if (power > 1023) {
    x *= power_of_two(1023);
    power -= 1023;
    if (power > 1023) power = 1023;
  } else if (power < -1022) {
    if (power < -1022 - 969) {
      x *= power_of_two(-969);
      power += 969;
      if (power < -1022) power = -1022;
    } else {
      return x * power_of_two(power + 969) * power_of_two(-969);
    }
  }
  return x * power_of_two(power);
}

}  // namespace ambidex_math
