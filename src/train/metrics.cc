// SPDX-License-Identifier: Apache-2.0
#include "train/metrics.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "ambidex/base.h"

namespace ambidex {
namespace {

constexpr double kNoValue = std::numeric_limits<double>::quiet_NaN();
constexpr int kBinBits = 20;
constexpr int kDigitBits = 11;
constexpr uint32_t kNumDigits = 1u << kDigitBits;

bool is_positive(float label) { return label > 0.5f; }

/// An unsigned number in the order of the floats; -0 is 0. Not for NaN.
uint32_t key_of(float value) {
  const auto bits = std::bit_cast<uint32_t>(value + 0.0f);
  return (bits & 0x80000000u) != 0 ? ~bits : bits | 0x80000000u;
}

/// Radix sort; `spare` is as long as `keys` and holds anything afterwards.
void sort_keys(std::vector<uint32_t>& keys, std::vector<uint32_t>& spare) {
  for (int shift = 0; shift < 32; shift += kDigitBits) {
    std::array<size_t, kNumDigits> starts{};
    for (const uint32_t key : keys) ++starts[(key >> shift) % kNumDigits];
    size_t start = 0;
    for (size_t& count : starts) start += std::exchange(count, start);
    for (const uint32_t key : keys) spare[starts[(key >> shift) % kNumDigits]++] = key;
    keys.swap(spare);
  }
}

/// Twice the number of pairs that are in order, ties counted half; fits for up to 4e9 samples.
class PairCount {
 public:
  /// The next higher value, which so many samples share.
  void add(uint64_t positives, uint64_t negatives) {
    twice_ += positives * (2 * negatives_below_ + negatives);
    negatives_below_ += negatives;
    num_positives_ += positives;
  }
  double auc() const {
    const double pairs =
        static_cast<double>(num_positives_) * static_cast<double>(negatives_below_);
    return pairs > 0 ? static_cast<double>(twice_) / 2 / pairs : kNoValue;
  }

 private:
  uint64_t twice_ = 0;
  uint64_t negatives_below_ = 0;
  uint64_t num_positives_ = 0;
};

/// Goes past the keys that equal `key` and counts them.
uint64_t take(const std::vector<uint32_t>& keys, size_t& at, uint32_t key) {
  const size_t start = at;
  while (at < keys.size() && keys[at] == key) ++at;
  return at - start;
}

double exact_auc(std::span<const float> logits, std::span<const float> labels,
                 int64_t num_positives) {
  std::vector<uint32_t> positives;
  std::vector<uint32_t> negatives;
  positives.reserve(static_cast<size_t>(num_positives));
  negatives.reserve(logits.size() - static_cast<size_t>(num_positives));
  for (size_t i = 0; i < logits.size(); ++i) {
    (is_positive(labels[i]) ? positives : negatives).push_back(key_of(logits[i]));
  }
  std::vector<uint32_t> spare(positives.size());
  sort_keys(positives, spare);
  spare.resize(negatives.size());
  sort_keys(negatives, spare);
  PairCount pairs;
  size_t p = 0;
  size_t n = 0;
  while (p < positives.size() || n < negatives.size()) {
    const bool is_next_positive =
        n == negatives.size() || (p < positives.size() && positives[p] <= negatives[n]);
    const uint32_t key = is_next_positive ? positives[p] : negatives[n];
    const uint64_t num_equal_positives = take(positives, p, key);
    pairs.add(num_equal_positives, take(negatives, n, key));
  }
  return pairs.auc();
}

double entropy(double rate) {
  return rate > 0 && rate < 1 ? -(rate * std::log(rate) + (1 - rate) * std::log1p(-rate)) : 0;
}

/// All but the AUC. A NaN among the logits has gone into the sum of log_loss.
Metrics metrics_of(const MetricSums& sums) {
  Metrics out{.num_samples = sums.num_samples,
              .auc = kNoValue,
              .log_loss = kNoValue,
              .normalized_entropy = kNoValue,
              .calibration = kNoValue,
              .accuracy = kNoValue,
              .label_rate = kNoValue};
  if (sums.num_samples == 0) return out;
  const auto count = static_cast<double>(sums.num_samples);
  out.label_rate = static_cast<double>(sums.num_positives) / count;
  if (std::isnan(sums.log_loss)) return out;
  out.log_loss = sums.log_loss / count;
  const double base = entropy(out.label_rate);
  if (base > 0) out.normalized_entropy = out.log_loss / base;
  if (sums.num_positives > 0) {
    out.calibration = sums.probability / static_cast<double>(sums.num_positives);
  }
  out.accuracy = static_cast<double>(sums.num_right) / count;
  return out;
}

}  // namespace

void MetricSums::add(float logit, float label) {
  const bool positive = is_positive(label);
  const double x = logit;
  const double tail = std::exp(-std::abs(x));  // never overflows
  const double miss = positive ? -x : x;       // > 0: on the wrong side
  num_samples += 1;
  num_positives += positive;
  num_right += (logit >= 0) == positive;
  log_loss += (miss > 0 ? miss : 0) + std::log1p(tail);
  probability += (x >= 0 ? 1 : tail) / (1 + tail);
}

void MetricSums::merge(const MetricSums& other) {
  num_samples += other.num_samples;
  num_positives += other.num_positives;
  num_right += other.num_right;
  log_loss += other.log_loss;
  probability += other.probability;
}

Metrics metrics_of(std::span<const float> logits, std::span<const float> labels) {
  check(logits.size() == labels.size(), "logits and labels are not equally many");
  MetricSums sums;
  for (size_t i = 0; i < logits.size(); ++i) sums.add(logits[i], labels[i]);
  Metrics out = metrics_of(sums);
  if (!std::isnan(out.log_loss)) out.auc = exact_auc(logits, labels, sums.num_positives);
  return out;
}

BinnedMetrics::BinnedMetrics() : positives_(1u << kBinBits), negatives_(1u << kBinBits) {}

void BinnedMetrics::add(std::span<const float> logits, std::span<const float> labels) {
  check(logits.size() == labels.size(), "logits and labels are not equally many");
  for (size_t i = 0; i < logits.size(); ++i) {
    sums_.add(logits[i], labels[i]);
    const uint32_t bin = key_of(logits[i]) >> (32 - kBinBits);
    ++(is_positive(labels[i]) ? positives_ : negatives_)[bin];
  }
}

void BinnedMetrics::merge(const BinnedMetrics& other) {
  sums_.merge(other.sums_);
  for (size_t i = 0; i < positives_.size(); ++i) {
    positives_[i] += other.positives_[i];
    negatives_[i] += other.negatives_[i];
  }
}

Metrics BinnedMetrics::metrics() const {
  Metrics out = metrics_of(sums_);
  if (std::isnan(out.log_loss)) return out;
  PairCount pairs;
  for (size_t i = 0; i < positives_.size(); ++i) {
    pairs.add(static_cast<uint64_t>(positives_[i]), static_cast<uint64_t>(negatives_[i]));
  }
  out.auc = pairs.auc();
  return out;
}

StreamedMetrics::StreamedMetrics(int64_t max_exact_samples)
    : max_exact_samples_(max_exact_samples) {}

void StreamedMetrics::add(std::span<const float> logits, std::span<const float> labels) {
  check(logits.size() == labels.size(), "logits and labels are not equally many");
  if (is_exact() && std::ssize(logits_) + std::ssize(logits) <= max_exact_samples_) {
    logits_.insert(logits_.end(), logits.begin(), logits.end());
    labels_.insert(labels_.end(), labels.begin(), labels.end());
    return;
  }
  if (is_exact()) {
    bins_.emplace_back();
    bins_.front().add(logits_, labels_);
    logits_ = {};
    labels_ = {};
  }
  bins_.front().add(logits, labels);
}

Metrics StreamedMetrics::metrics() const {
  return is_exact() ? metrics_of(logits_, labels_) : bins_.front().metrics();
}

}  // namespace ambidex
