// SPDX-License-Identifier: Apache-2.0
// How well logits rank and calibrate. Sums are taken in double, in the order of the samples.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "ambidex/train.h"

namespace ambidex {

/// Of all samples at once, the AUC exact. Up to 4e9 samples; works in 8 bytes for each.
///   logits, labels   [samples]; a label above 1/2 is a positive
Metrics metrics_of(std::span<const float> logits, std::span<const float> labels);

/// What needs no order, summed as samples come.
struct MetricSums {
  int64_t num_samples = 0;
  int64_t num_positives = 0;
  int64_t num_right = 0;
  double log_loss = 0;
  double probability = 0;

  void add(float logit, float label);
  void merge(const MetricSums& other);
};

/// The same in memory that does not grow: samples whose logits agree in their first 20 bits (11 of
/// the mantissa) count as ties. Only the AUC is touched by that, by less than 1e-4 on smooth data.
class BinnedMetrics {
 public:
  BinnedMetrics();

  void add(std::span<const float> logits, std::span<const float> labels);
  void merge(const BinnedMetrics& other);
  Metrics metrics() const;

 private:
  MetricSums sums_;
  std::vector<int64_t> positives_;  // [bins]
  std::vector<int64_t> negatives_;  // [bins]
};

/// Exact as long as the samples are few enough to be kept (8 bytes each), binned from there on.
class StreamedMetrics {
 public:
  static constexpr int64_t kMaxExactSamples = 100'000'000;

  explicit StreamedMetrics(int64_t max_exact_samples = kMaxExactSamples);

  void add(std::span<const float> logits, std::span<const float> labels);
  Metrics metrics() const;
  bool is_exact() const { return bins_.empty(); }

 private:
  int64_t max_exact_samples_;
  std::vector<float> logits_;
  std::vector<float> labels_;
  std::vector<BinnedMetrics> bins_;  // one, once there are too many samples
};

}  // namespace ambidex
