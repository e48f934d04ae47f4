// SPDX-License-Identifier: Apache-2.0
// Metrics and learning rates of a training run.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "train/metrics.h"
#include "train/schedule.h"

namespace ambidex {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

struct Samples {
  std::vector<float> logits;
  std::vector<float> labels;
};

/// Labels drawn by the logit's own probability, logits rounded to `grid` if that is > 0.
Samples drawn_samples(int count, uint32_t seed, float grid = 0, float centre = -1) {
  std::mt19937 bits(seed);
  std::normal_distribution<float> normal(centre, 1.5f);
  std::uniform_real_distribution<float> uniform(0, 1);
  Samples out;
  for (int i = 0; i < count; ++i) {
    float logit = normal(bits);
    if (grid > 0) logit = std::round(logit / grid) * grid;
    out.logits.push_back(logit);
    out.labels.push_back(uniform(bits) < 1 / (1 + std::exp(-logit)) ? 1.0f : 0.0f);
  }
  return out;
}

/// Every pair of a positive and a negative, one after the other.
double auc_of_pairs(const Samples& samples) {
  double in_order = 0;
  double pairs = 0;
  for (size_t p = 0; p < samples.logits.size(); ++p) {
    if (samples.labels[p] == 0) continue;
    for (size_t n = 0; n < samples.logits.size(); ++n) {
      if (samples.labels[n] == 1) continue;
      pairs += 1;
      in_order += samples.logits[p] > samples.logits[n]    ? 1
                  : samples.logits[p] == samples.logits[n] ? 0.5
                                                           : 0;
    }
  }
  return in_order / pairs;
}

Metrics metrics_of(const Samples& samples) {
  return ambidex::metrics_of(samples.logits, samples.labels);
}

TEST(Metrics, auc_is_the_share_of_pairs_in_order) {
  for (const float grid : {0.0f, 0.5f, 3.0f}) {
    for (const int count : {2, 3, 10, 333, 2000}) {
      Samples samples = drawn_samples(count, 7, grid);
      samples.labels[0] = 1;
      samples.labels[1] = 0;
      EXPECT_DOUBLE_EQ(metrics_of(samples).auc, auc_of_pairs(samples)) << count << " " << grid;
    }
  }
}

TEST(Metrics, hand_values_of_four_samples) {
  // Probabilities 1/5, 1/2, 4/5, 4/5 for labels 0, 1, 1, 0.
  const auto four = static_cast<float>(std::log(4.0));
  const Metrics got = metrics_of({{-four, 0, four, four}, {0, 1, 1, 0}});
  EXPECT_EQ(got.num_samples, 4);
  EXPECT_DOUBLE_EQ(got.auc, 2.5 / 4);
  EXPECT_NEAR(got.log_loss, -(std::log(0.8) + std::log(0.5) + std::log(0.8) + std::log(0.2)) / 4,
              1e-7);
  EXPECT_NEAR(got.normalized_entropy, got.log_loss / std::log(2.0), 1e-12);
  EXPECT_NEAR(got.calibration, (0.2 + 0.5 + 0.8 + 0.8) / 2, 1e-7);
  EXPECT_DOUBLE_EQ(got.accuracy, 0.75);
  EXPECT_DOUBLE_EQ(got.label_rate, 0.5);
}

TEST(Metrics, perfect_order_is_1_inverted_order_0_and_all_ties_a_half) {
  EXPECT_EQ(metrics_of({{-2, -1, 1, 2}, {0, 0, 1, 1}}).auc, 1);
  EXPECT_EQ(metrics_of({{2, 1, -1, -2}, {0, 0, 1, 1}}).auc, 0);
  EXPECT_EQ(metrics_of({{0.5f, 0.5f, 0.5f}, {0, 1, 1}}).auc, 0.5);
  EXPECT_EQ(metrics_of({{-0.0f, 0.0f}, {1, 0}}).auc, 0.5);
}

TEST(Metrics, predicting_the_label_rate_has_a_normalized_entropy_and_a_calibration_of_1) {
  Samples samples;
  for (int i = 0; i < 1000; ++i) {
    samples.logits.push_back(static_cast<float>(std::log(0.25 / 0.75)));
    samples.labels.push_back(i % 4 == 0 ? 1.0f : 0.0f);
  }
  EXPECT_NEAR(metrics_of(samples).normalized_entropy, 1, 1e-7);
  EXPECT_NEAR(metrics_of(samples).calibration, 1, 1e-7);
  EXPECT_DOUBLE_EQ(metrics_of(samples).accuracy, 0.75);
}

TEST(Metrics, large_logits_cost_their_size_and_infinite_ones_that_are_right_nothing) {
  EXPECT_DOUBLE_EQ(metrics_of({{-1000, 2000}, {1, 0}}).log_loss, 1500);
  const Metrics right = metrics_of({{-kInfinity, kInfinity}, {0, 1}});
  EXPECT_EQ(right.log_loss, 0);
  EXPECT_EQ(right.auc, 1);
  EXPECT_EQ(right.calibration, 1);
  const Metrics wrong = metrics_of({{-kInfinity, kInfinity}, {1, 0}});
  EXPECT_EQ(wrong.log_loss, kInfinity);
  EXPECT_EQ(wrong.auc, 0);
}

TEST(Metrics, one_class_alone_has_no_auc) {
  for (const float label : {0.0f, 1.0f}) {
    const Metrics got = metrics_of({{0, 1}, {label, label}});
    EXPECT_TRUE(std::isnan(got.auc));
    EXPECT_TRUE(std::isnan(got.normalized_entropy));
    EXPECT_EQ(std::isnan(got.calibration), label == 0);
    EXPECT_GT(got.log_loss, 0);
  }
}

TEST(Metrics, nothing_and_nan_have_no_value) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const Samples& samples : {Samples{}, Samples{{0, nan, 1}, {0, 1, 1}}}) {
    BinnedMetrics bins;
    bins.add(samples.logits, samples.labels);
    for (const Metrics& got : {metrics_of(samples), bins.metrics()}) {
      EXPECT_EQ(got.num_samples, std::ssize(samples.logits));
      for (const double value :
           {got.auc, got.log_loss, got.normalized_entropy, got.calibration, got.accuracy}) {
        EXPECT_TRUE(std::isnan(value));
      }
    }
  }
}

TEST(BinnedMetrics, auc_is_close_to_the_exact_one_also_of_logits_in_a_narrow_range) {
  for (const float scale : {1.0f, 0.1f, 30.0f}) {
    Samples samples = drawn_samples(50000, 3);
    for (float& logit : samples.logits) logit = -3 + scale * (logit + 1);
    BinnedMetrics bins;
    bins.add(samples.logits, samples.labels);
    const Metrics exact = metrics_of(samples);
    const Metrics binned = bins.metrics();
    EXPECT_NEAR(binned.auc, exact.auc, 1e-4) << scale;
    EXPECT_DOUBLE_EQ(binned.log_loss, exact.log_loss);
    EXPECT_DOUBLE_EQ(binned.calibration, exact.calibration);
    EXPECT_DOUBLE_EQ(binned.accuracy, exact.accuracy);
    EXPECT_DOUBLE_EQ(binned.label_rate, exact.label_rate);
  }
}

TEST(BinnedMetrics, parts_merge_into_the_whole) {
  const Samples samples = drawn_samples(3000, 5);
  const std::span<const float> logits(samples.logits);
  const std::span<const float> labels(samples.labels);
  BinnedMetrics whole;
  whole.add(logits, labels);
  BinnedMetrics first;
  first.add(logits.first(1000), labels.first(1000));
  BinnedMetrics rest;
  rest.add(logits.subspan(1000), labels.subspan(1000));
  first.merge(rest);
  EXPECT_EQ(first.metrics().num_samples, 3000);
  EXPECT_DOUBLE_EQ(first.metrics().auc, whole.metrics().auc);
  EXPECT_NEAR(first.metrics().log_loss, whole.metrics().log_loss, 1e-12);
}

TEST(StreamedMetrics, few_samples_are_exact_and_many_are_binned) {
  const Samples samples = drawn_samples(4000, 11);
  for (const int64_t limit : {4000, 3999}) {
    StreamedMetrics stream(limit);
    for (size_t at = 0; at < samples.logits.size(); at += 500) {
      stream.add(std::span(samples.logits).subspan(at, 500),
                 std::span(samples.labels).subspan(at, 500));
    }
    EXPECT_EQ(stream.is_exact(), limit == 4000);
    EXPECT_EQ(stream.metrics().num_samples, 4000);
    EXPECT_NEAR(stream.metrics().auc, auc_of_pairs(samples), limit == 4000 ? 1e-12 : 1e-4);
  }
}

TEST(Metrics, every_field_is_visited) {
  std::vector<std::string_view> names;
  visit_fields([&](std::string_view name, auto) { names.push_back(name); }, Metrics{});
  EXPECT_EQ(names.size(), 7u);
  EXPECT_EQ(names.front(), "num_samples");
}

// ---- schedule

TEST(Schedule, constant_is_1_forever) {
  for (const int64_t step : {0, 1, 1000000}) EXPECT_EQ(lr_factor({}, step), 1);
}

TEST(Schedule, warm_up_learns_from_the_first_step_and_is_done_after_the_last) {
  const ScheduleSpec schedule{.warmup_steps = 4, .decay_start_step = 4};
  EXPECT_DOUBLE_EQ(lr_factor(schedule, 0), 0.25);
  EXPECT_DOUBLE_EQ(lr_factor(schedule, 2), 0.75);
  EXPECT_DOUBLE_EQ(lr_factor(schedule, 3), 1);
  EXPECT_DOUBLE_EQ(lr_factor(schedule, 4), 1);
}

TEST(Schedule, polynomial_hand_values) {
  const ScheduleSpec schedule{.kind = ScheduleKind::polynomial,
                              .decay_start_step = 10,
                              .decay_steps = 4,
                              .power = 2,
                              .end_ratio = 0.2};
  EXPECT_DOUBLE_EQ(lr_factor(schedule, 9), 1);
  EXPECT_DOUBLE_EQ(lr_factor(schedule, 10), 1);
  EXPECT_DOUBLE_EQ(lr_factor(schedule, 11), 0.2 + 0.8 * 0.5625);
  EXPECT_DOUBLE_EQ(lr_factor(schedule, 12), 0.2 + 0.8 * 0.25);
  EXPECT_DOUBLE_EQ(lr_factor(schedule, 14), 0.2);
  EXPECT_DOUBLE_EQ(lr_factor(schedule, 1000), 0.2);
}

TEST(Schedule, cosine_hand_values) {
  const ScheduleSpec schedule{
      .kind = ScheduleKind::cosine, .decay_start_step = 0, .decay_steps = 6, .end_ratio = 0.1};
  EXPECT_DOUBLE_EQ(lr_factor(schedule, 0), 1);
  EXPECT_DOUBLE_EQ(lr_factor(schedule, 2), 0.1 + 0.9 * 0.75);
  EXPECT_DOUBLE_EQ(lr_factor(schedule, 3), 0.1 + 0.9 * 0.5);
  EXPECT_DOUBLE_EQ(lr_factor(schedule, 4), 0.1 + 0.9 * 0.25);
  EXPECT_DOUBLE_EQ(lr_factor(schedule, 6), 0.1);
}

TEST(Schedule, it_rises_then_falls_without_a_jump_and_stays_between_0_and_1) {
  for (const ScheduleKind kind : {ScheduleKind::polynomial, ScheduleKind::cosine}) {
    for (const double end_ratio : {0.0, 0.3, 0.7, 1.0}) {
      const ScheduleSpec schedule{.kind = kind,
                                  .warmup_steps = 100,
                                  .decay_start_step = 150,
                                  .decay_steps = 200,
                                  .power = 2,
                                  .end_ratio = end_ratio};
      double before = 0;
      for (int64_t step = 0; step < 500; ++step) {
        const double factor = lr_factor(schedule, step);
        EXPECT_LE(factor, 1);
        EXPECT_GE(factor, 0);
        EXPECT_LE(std::abs(factor - before), 0.0101) << step;
        EXPECT_TRUE(step <= 150 ? factor >= before : factor <= before) << step;
        before = factor;
      }
      EXPECT_DOUBLE_EQ(before, end_ratio);
    }
  }
}

}  // namespace
}  // namespace ambidex
