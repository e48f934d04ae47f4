// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ambidex/base.h"
#include "base/random.h"
#include "kernels/dense.h"
#include "kernels_support.h"

namespace ambidex {
namespace {

constexpr int64_t kSizes[] = {1, 7, 64, 1000, 40000};

TEST(BceLoss, agrees_with_its_twin) {
  Workers workers(2);
  for (const int64_t size : kSizes) {
    const Floats logits = random_floats(size, 1, 30);
    Floats labels = random_floats(size, 2);
    for (float& label : labels) label = label > 0 ? 1.0f : 0.0f;
    Floats dlogits(logits.size());
    Floats expected(logits.size());
    const double loss = bce_loss(workers, logits.data(), labels.data(), dlogits.data(), size);
    EXPECT_NEAR(loss, twin::bce_loss(logits.data(), labels.data(), expected.data(), size), 1e-12);
    expect_near(dlogits, expected, 1e-7);
    EXPECT_EQ(loss, bce_loss(workers, logits.data(), labels.data(), nullptr, size));
  }
}

TEST(BceLoss, is_the_logarithm_of_the_probability_of_the_label) {
  Workers workers(1);
  const Floats logits{0.0f, 1.0f, -2.0f};
  const Floats labels{1.0f, 0.0f, 1.0f};
  const double expected =
      -(std::log(0.5) + std::log(1 - 1 / (1 + std::exp(-1.0))) + std::log(1 / (1 + std::exp(2.0))));
  EXPECT_NEAR(bce_loss(workers, logits.data(), labels.data(), nullptr, 3), expected / 3, 1e-12);
  EXPECT_EQ(bce_loss(workers, nullptr, nullptr, nullptr, 0), 0);
}

TEST(BceLoss, stays_finite_for_sure_answers) {
  Workers workers(1);
  const Floats logits{1000.0f, -1000.0f};
  const Floats labels{0.0f, 1.0f};
  Floats dlogits(2);
  EXPECT_EQ(bce_loss(workers, logits.data(), labels.data(), dlogits.data(), 2), 1000);
  EXPECT_THAT(dlogits, testing::ElementsAre(0.5f, -0.5f));
}

TEST(BceLoss, gradient_agrees_with_finite_differences) {
  Workers workers(1);
  Floats logits = random_floats(20, 1, 4);
  Floats labels = random_floats(20, 2);
  for (float& label : labels) label = label > 0 ? 1.0f : 0.0f;
  Floats dlogits(20);
  bce_loss(workers, logits.data(), labels.data(), dlogits.data(), 20);
  expect_gradient(
      logits, dlogits, [&] { return bce_loss(workers, logits.data(), labels.data(), nullptr, 20); },
      1e-3, 1e-6);
  twin::bce_loss(logits.data(), labels.data(), dlogits.data(), 20);
  expect_gradient(
      logits, dlogits, [&] { return twin::bce_loss(logits.data(), labels.data(), nullptr, 20); },
      1e-3, 1e-6);
}

TEST(Sigmoid, is_a_probability) {
  Workers workers(2);
  const Floats logits{0.0f, 2.0f, -2.0f, 200.0f, -200.0f};
  Floats probabilities(5);
  sigmoid(workers, logits.data(), probabilities.data(), 5);
  EXPECT_FLOAT_EQ(probabilities[0], 0.5f);
  EXPECT_FLOAT_EQ(probabilities[1], 0.88079708f);
  EXPECT_FLOAT_EQ(probabilities[1] + probabilities[2], 1.0f);
  EXPECT_EQ(probabilities[3], 1.0f);
  EXPECT_EQ(probabilities[4], 0.0f);
}

TEST(Dropout, zeroes_what_the_random_number_says) {
  for_each_isa([] {
    Workers workers(2);
    const Floats before = random_floats(40000, 1);
    Floats x = before;
    dropout(workers, x.data(), 40000, 0.3, 5);
    int64_t num_dropped = 0;
    for (size_t i = 0; i < x.size(); ++i) {
      const bool is_dropped = random_unit(5, i) < 0.3;
      num_dropped += is_dropped;
      ASSERT_EQ(x[i], is_dropped ? 0.0f : before[i] * static_cast<float>(1 / 0.7));
    }
    EXPECT_NEAR(static_cast<double>(num_dropped), 12000, 400);  // over four deviations
  });
  Workers workers(1);
  EXPECT_THAT([&] { dropout(workers, nullptr, 0, 1.0, 1); },
              testing::ThrowsMessage<Error>(testing::HasSubstr("a dropout ratio in [0, 1)")));
}

TEST(Dropout, of_ratio_0_changes_nothing) {
  Workers workers(1);
  Floats x = random_floats(100, 1);
  const Floats before = x;
  dropout(workers, x.data(), 100, 0, 5);
  EXPECT_EQ(x, before);
}

TEST(Add, adds) {
  for_each_isa([] {
    Workers workers(2);
    for (const int64_t size : kSizes) {
      const Floats x = random_floats(size, 1);
      const Floats y = random_floats(size, 2);
      Floats sum = y;
      add(workers, x.data(), sum.data(), size);
      for (size_t i = 0; i < x.size(); ++i) ASSERT_EQ(sum[i], x[i] + y[i]);
    }
  });
}

struct Parameter {
  Floats gradient, w, state1, state2;
  explicit Parameter(int64_t size)
      : gradient(random_floats(size, 1)),
        w(random_floats(size, 2)),
        state1(static_cast<size_t>(size), 0.1f),
        state2(static_cast<size_t>(size), 0.2f) {}
};

std::vector<OptimizerSpec> optimizers() {
  return {{.kind = OptimizerKind::sgd, .lr = 0.1},
          {.kind = OptimizerKind::sgd, .lr = 0.1, .weight_decay = 0.02},
          {.kind = OptimizerKind::sgd, .lr = 0.1, .momentum = 0.9, .weight_decay = 0.02},
          {.kind = OptimizerKind::adagrad, .lr = 0.1, .eps = 1e-3},
          {.kind = OptimizerKind::rowwise_adagrad, .lr = 0.1, .weight_decay = 0.02},
          {.kind = OptimizerKind::adam, .lr = 0.1, .eps = 1e-3},
          {.kind = OptimizerKind::rowwise_adam, .lr = 0.1, .beta1 = 0.8, .weight_decay = 0.02}};
}

TEST(DenseUpdate, agrees_with_its_twin) {
  Workers workers(2);
  for_each_isa([&] {
    for (const OptimizerSpec& optimizer : optimizers()) {
      for (const int64_t size : kSizes) {
        Parameter ours(size);
        Parameter expected(size);
        const bool has_state = optimizer.kind != OptimizerKind::sgd || optimizer.momentum != 0;
        for (int64_t step = 1; step <= 3; ++step) {
          dense_update(workers, optimizer, 0.5, step, ours.gradient.data(), ours.w.data(),
                       has_state ? ours.state1.data() : nullptr, ours.state2.data(), size);
          twin::dense_update(optimizer, 0.5, step, expected.gradient.data(), expected.w.data(),
                             has_state ? expected.state1.data() : nullptr, expected.state2.data(),
                             size);
        }
        expect_near(ours.w, expected.w, 2e-6);
        expect_near(ours.state1, expected.state1, 1e-6);
        expect_near(ours.state2, expected.state2, 1e-6);
      }
    }
  });
}

// One weight, by the formulas as papers write them.
TEST(DenseUpdate, follows_the_formulas) {
  Workers workers(1);
  const float g = 0.5f;
  float w = 1;
  float first = 0;
  float second = 0;
  dense_update(workers, {.kind = OptimizerKind::sgd, .lr = 0.1}, 0.5, 1, &g, &w, nullptr, nullptr,
               1);
  EXPECT_FLOAT_EQ(w, 1 - 0.05f * 0.5f);

  w = 1;
  const OptimizerSpec momentum{.kind = OptimizerKind::sgd, .lr = 0.1, .momentum = 0.9};
  for (int64_t step = 1; step <= 2; ++step) {
    dense_update(workers, momentum, 1, step, &g, &w, &first, nullptr, 1);
  }
  EXPECT_FLOAT_EQ(w, static_cast<float>(1 - 0.1 * 0.5 - 0.1 * (0.9 * 0.5 + 0.5)));

  w = 1;
  first = 0.11f;
  const OptimizerSpec adagrad{.kind = OptimizerKind::adagrad, .lr = 0.1, .eps = 0.01};
  dense_update(workers, adagrad, 1, 1, &g, &w, &first, nullptr, 1);
  EXPECT_FLOAT_EQ(first, 0.36f);
  EXPECT_FLOAT_EQ(w, static_cast<float>(1 - 0.1 * 0.5 / (0.6 + 0.01)));

  // The first step of Adam is lr * sign(g) but for eps; the second, with the same g, too.
  w = 1;
  first = 0;
  for (int64_t step = 1; step <= 2; ++step) {
    dense_update(workers, {.kind = OptimizerKind::adam, .lr = 0.1}, 1, step, &g, &w, &first,
                 &second, 1);
  }
  EXPECT_NEAR(w, 1 - 0.1 - 0.1, 1e-6);
}

TEST(FillUniform, is_uniform_within_its_bound_and_a_function_of_key_and_place) {
  for_each_isa([] {
    Workers workers(3);
    Floats w(100000);
    fill_uniform(workers, w.data(), 100000, 0.25, 3);
    double sum = 0;
    double squares = 0;
    for (size_t i = 0; i < w.size(); ++i) {
      const double unit = std::floor(random_unit(3, i) * 0x1p24) * 0x1p-24;
      ASSERT_EQ(w[i], static_cast<float>((2 * unit - 1) * 0.25));
      ASSERT_GE(w[i], -0.25f);
      ASSERT_LT(w[i], 0.25f);
      sum += w[i];
      squares += static_cast<double>(w[i]) * w[i];
    }
    EXPECT_NEAR(sum / 1e5, 0, 0.002);
    EXPECT_NEAR(squares / 1e5, 0.0625 / 3, 0.0003);
  });
}

TEST(FillNormal, has_the_moments_of_a_normal_distribution) {
  Workers workers(3);
  Floats w(100000);
  fill_normal(workers, w.data(), 100000, 2, 3);
  double moments[5] = {};
  for (const float value : w) {
    for (int power = 1; power < 5; ++power) moments[power] += std::pow(value, power) / 1e5;
  }
  EXPECT_NEAR(moments[1], 0, 0.03);
  EXPECT_NEAR(moments[2], 4, 0.08);
  EXPECT_NEAR(moments[3], 0, 0.4);
  EXPECT_NEAR(moments[4], 48, 3);
}

TEST(Dense, gives_the_same_bits_with_any_number_of_threads) {
  const Floats logits = random_floats(5000, 1);
  const Floats labels(5000, 1.0f);
  expect_same_bits([&](Workers& workers) {
    Floats dlogits(5000);
    const double loss = bce_loss(workers, logits.data(), labels.data(), dlogits.data(), 5000);
    Floats bits(2);
    std::memcpy(bits.data(), &loss, sizeof(loss));
    dlogits.insert(dlogits.end(), bits.begin(), bits.end());
    return dlogits;
  });
  expect_same_bits([&](Workers& workers) {
    Floats w(100000);
    fill_normal(workers, w.data(), 50000, 1, 3);
    fill_uniform(workers, w.data() + 50000, 50000, 1, 3);
    dropout(workers, w.data(), 100000, 0.5, 3);
    return w;
  });
  for (const OptimizerSpec& optimizer : optimizers()) {
    expect_same_bits([&](Workers& workers) {
      Parameter ours(40000);
      dense_update(workers, optimizer, 0.5, 3, ours.gradient.data(), ours.w.data(),
                   ours.state1.data(), ours.state2.data(), 40000);
      return ours.w;
    });
  }
}

}  // namespace
}  // namespace ambidex
