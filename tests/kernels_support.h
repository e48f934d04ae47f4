// SPDX-License-Identifier: Apache-2.0
// What the tests of kernels share: random arrays, comparison with a twin, finite differences.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <random>
#include <vector>

#include "base/parallel.h"
#include "kernels/isa.h"

namespace ambidex {

using Floats = std::vector<float>;

inline Floats random_floats(int64_t size, uint64_t seed, float bound = 1) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<float> uniform(-bound, bound);
  Floats values(static_cast<size_t>(size));
  for (float& value : values) value = uniform(random);
  return values;
}

/// |actual - expected| <= tolerance * (1 + |expected|) everywhere.
inline void expect_near(const Floats& actual, const Floats& expected, double tolerance) {
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < actual.size(); ++i) {
    ASSERT_NEAR(actual[i], expected[i], tolerance * (1 + std::abs(expected[i]))) << "at " << i;
  }
}

inline bool same_bits(const Floats& a, const Floats& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

/// The results of `compute` have the same bits with 1, 2 and 3 threads, and from run to run.
inline void expect_same_bits(const std::function<Floats(Workers&)>& compute) {
  Workers one(1);
  const Floats expected = compute(one);
  for (const int num_threads : {1, 2, 3}) {
    Workers workers(num_threads);
    for (int round = 0; round < 2; ++round) {
      EXPECT_TRUE(same_bits(compute(workers), expected)) << num_threads << " threads";
    }
  }
}

/// Runs `body` at each instruction set that this CPU has.
inline void for_each_isa(const std::function<void()>& body) {
  const Isa widest = isa();
  for (const Isa each : {Isa::plain, Isa::avx2, Isa::avx512}) {
    if (each > widest) continue;
    const IsaLimit limit(each);
    SCOPED_TRACE(testing::Message() << "instruction set " << static_cast<int>(each));
    body();
  }
}

/// Weighs the outputs of an op to one number, so that its gradient is one array.
inline double weigh(const Floats& values, const Floats& weights) {
  double sum = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    sum += static_cast<double>(values[i]) * weights[i];
  }
  return sum;
}

/// The gradient of `loss`, which reads `x`, by central differences. `loss` computes in f32, so the
/// step is large; the ops of the tests are at most quadratic, or smooth, over it.
inline void expect_gradient(Floats& x, const Floats& gradient, const std::function<double()>& loss,
                            double step, double tolerance) {
  ASSERT_EQ(x.size(), gradient.size());
  for (size_t i = 0; i < x.size(); ++i) {
    const float before = x[i];
    x[i] = static_cast<float>(before + step);
    const double width_up = static_cast<double>(x[i]) - before;
    const double up = loss();
    x[i] = static_cast<float>(before - step);
    const double width_down = static_cast<double>(before) - x[i];
    const double down = loss();
    x[i] = before;
    const double slope = (up - down) / (width_up + width_down);
    ASSERT_NEAR(gradient[i], slope, tolerance * (1 + std::abs(slope))) << "at " << i;
  }
}

}  // namespace ambidex
