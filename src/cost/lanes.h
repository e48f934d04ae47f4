// SPDX-License-Identifier: Apache-2.0
// What a formula over many candidates is written in: branch-free functions of doubles that are
// inlined into one loop, and that loop compiled twice, for any CPU and for AVX2. Both give the same
// bits: additions, multiplications, divisions, square roots and roundings only, and nothing
// contracted.
#pragma once

#include <cmath>

#define AMBIDEX_LANE [[gnu::always_inline]] inline
// Before a loop: no iteration reads what another writes.
#if defined(__clang__)
#define AMBIDEX_NO_ALIAS _Pragma("clang loop vectorize(assume_safety)")
#else
#define AMBIDEX_NO_ALIAS _Pragma("GCC ivdep")
#endif

#if defined(__x86_64__)
#define AMBIDEX_WIDE [[gnu::target("avx2")]]
#else
#define AMBIDEX_WIDE
#endif

namespace ambidex {

/// Whether this CPU runs functions that are marked AMBIDEX_WIDE.
inline bool has_wide_lanes() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx2") != 0;
#else
  return false;
#endif
}

// By value: through std::min's references the loops do not vectorise.
AMBIDEX_LANE double least(double a, double b) { return b < a ? b : a; }
AMBIDEX_LANE double most(double a, double b) { return a < b ? b : a; }

AMBIDEX_LANE double fourth_power(double x) {
  const double square = x * x;
  return square * square;
}
AMBIDEX_LANE double fourth_root(double x) { return std::sqrt(std::sqrt(x)); }
AMBIDEX_LANE double norm4(double a, double b, double c) {
  return fourth_root(fourth_power(a) + fourth_power(b) + fourth_power(c));
}

}  // namespace ambidex
