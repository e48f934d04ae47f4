// SPDX-License-Identifier: Apache-2.0
#include "select/ranking.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "select/memo.h"

namespace ambidex {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(Memo, tells_every_field_of_a_key_apart) {
  const MemoKey key{.op = {.m = 1, .n = 2, .k = 3}};
  std::vector<MemoKey> keys(15, key);
  keys[0].op.m = 2, keys[1].op.n = 1, keys[2].op.k = 4, keys[3].op.batch = 2;
  keys[4].op.dtype = DType::f16, keys[5].op.out_dtype = DType::f32;
  keys[6].op.layout = Layout::tn, keys[7].op.cold = true, keys[8].op.epilogue.relu = true;
  keys[9].options.num_units = 8, keys[10].options.deterministic = true;
  keys[11].options.workspace_bytes = 7, keys[12].options.allow_library = false;
  keys[13].options.close_ratio = 0.1, keys[14].options.min_confidence = 0.7;
  Memo memo;
  memo.put(key, hash_of(key), {.num_candidates = 42});
  Selection found;
  ASSERT_TRUE(memo.find(key, hash_of(key), found));
  EXPECT_EQ(found.num_candidates, 42);
  for (size_t i = 0; i < keys.size(); ++i) {
    EXPECT_FALSE(memo.find(keys[i], hash_of(key), found)) << i;  // even if hashes collide
    const bool is_threshold = i >= 13;
    EXPECT_EQ(hash_of(keys[i]) == hash_of(key), is_threshold) << i;
  }
}

TEST(Ranking, sorts_like_a_stable_sort) {
  std::mt19937 random(2);
  std::uniform_int_distribution<int> draw(0, 30);
  std::vector<double> seconds(200);
  for (double& each : seconds) each = draw(random);
  for (size_t i = 0; i < seconds.size(); i += 7) seconds[i] = kInfinity;
  std::vector<int32_t> plain;
  for (int32_t i = 0; i < 200; ++i) {
    if (seconds[i] < kInfinity) plain.push_back(i);
  }
  std::stable_sort(plain.begin(), plain.end(),
                   [&](int32_t a, int32_t b) { return seconds[a] < seconds[b]; });
  for (const size_t room : {size_t{1}, size_t{5}, plain.size(), seconds.size()}) {
    std::vector<int32_t> order(room);
    const size_t num_sorted = static_cast<size_t>(sort_fastest(seconds, order));
    ASSERT_EQ(num_sorted, std::min(room, plain.size()));
    EXPECT_TRUE(std::equal(order.begin(), order.begin() + num_sorted, plain.begin()));
  }
}

// Draws measured times and counts: the closed form has to come out.
TEST(Ranking, confidence_is_the_share_of_draws_that_come_close) {
  const std::vector<double> seconds{1.00, 1.01, 1.02, 1.05, 1.1, 1.2, kInfinity, 1.4, 2.0};
  const std::vector<int32_t> order{0, 1, 2, 3, 4, 5, 7, 8};
  const SelectOptions options;
  constexpr double kExponent = 20;  // whole, as the closed form takes it
  const double sigma = 1.2825498301618641 / kExponent / kIndependentRatio;
  const Confidence confidence = confidence_of(seconds, order, sigma, options);
  std::mt19937 random(3);
  std::uniform_real_distribution<double> uniform(1e-12, 1);
  constexpr int kNumDraws = 40000;
  int num_close = 0;
  int num_held = 0;
  for (int draw = 0; draw < kNumDraws; ++draw) {
    double best = kInfinity;
    double first = kInfinity;
    double held = kInfinity;
    for (size_t i = 0; i < order.size(); ++i) {
      const double noise = std::log(-std::log(uniform(random))) / kExponent;
      const double measured = seconds[order[i]] * std::exp(noise);
      best = std::min(best, measured);
      if (i == 0) first = measured;
      if (static_cast<int64_t>(i) < confidence.measure_k) held = std::min(held, measured);
    }
    num_close += first <= best * 1.03;
    num_held += held <= best * 1.03;
  }
  EXPECT_NEAR(confidence.first, num_close / double{kNumDraws}, 0.01);
  EXPECT_GE(num_held / double{kNumDraws}, 0.89);
  EXPECT_GT(confidence.measure_k, 1);
  EXPECT_LT(confidence.measure_k, 8);
}

TEST(Ranking, a_lone_candidate_is_certain) {
  const std::vector<double> seconds{kInfinity, 3};
  const std::vector<int32_t> order{1};
  const Confidence confidence = confidence_of(seconds, order, 0.5, {});
  EXPECT_EQ(confidence.first, 1);
  EXPECT_EQ(confidence.measure_k, 1);
}

TEST(Ranking, less_scatter_means_more_confidence) {
  const std::vector<double> seconds{1.0, 1.04, 1.06};
  const std::vector<int32_t> order{0, 1, 2};
  double before = 0;
  for (const double sigma : {0.5, 0.2, 0.1, 0.05, 0.02, 0.0}) {
    const double chance = confidence_of(seconds, order, sigma, {}).first;
    EXPECT_GT(chance, before) << sigma;
    before = chance;
  }
}

}  // namespace
}  // namespace ambidex
