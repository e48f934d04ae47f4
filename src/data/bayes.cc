// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <vector>

#include "ambidex/data.h"
#include "data/synthetic.h"

namespace ambidex {
namespace {

constexpr int64_t kOptimumRecords = 500'000;

/// log(1 + exp(x)) without overflow.
double softplus(double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))); }

/// Neighbours in a sorted sample, by their mean.
struct Group {
  double logit = 0;
  double weight = 0;
};

/// The same as `expected_auc` for sorted groups of one logit each.
double grouped_auc(const std::vector<Group>& groups, double scale, double bias) {
  double positives = 0, negatives = 0, won = 0;
  for (const Group& group : groups) {
    const double probability = sigmoid(scale * group.logit + bias);
    const double positive = group.weight * probability;
    const double negative = group.weight * (1 - probability);
    won += positive * (negatives + negative / 2);
    positives += positive;
    negatives += negative;
  }
  return won / (positives * negatives);
}

std::vector<Group> equal_logits(const std::vector<double>& sorted) {
  std::vector<Group> groups;
  for (const double logit : sorted) {
    if (groups.empty() || groups.back().logit != logit) groups.push_back({.logit = logit});
    groups.back().weight += 1;
  }
  return groups;
}

/// Equally many neighbours each, so that a search need not visit every logit.
std::vector<Group> quantiles(const std::vector<double>& sorted) {
  constexpr size_t kGroups = 1024;
  const size_t size = std::max<size_t>(sorted.size() / kGroups, 1);
  std::vector<Group> groups;
  for (size_t i = 0; i < sorted.size(); ++i) {
    if (i % size == 0) groups.push_back({});
    groups.back().logit += sorted[i];
    groups.back().weight += 1;
  }
  for (Group& group : groups) group.logit /= group.weight;
  return groups;
}

double bias_for(const std::vector<Group>& groups, double scale, double label_rate) {
  double total = 0, farthest = 0;
  for (const Group& group : groups) {
    total += group.weight;
    farthest = std::max(farthest, std::abs(scale * group.logit));
  }
  double low = -farthest - 10, high = farthest + 10;  // sigmoid(-10) is below every label_rate
  for (int i = 0; i < 45; ++i) {
    const double bias = (low + high) / 2;
    double sum = 0;
    for (const Group& group : groups) sum += group.weight * sigmoid(scale * group.logit + bias);
    (sum < label_rate * total ? low : high) = bias;
  }
  return (low + high) / 2;
}

}  // namespace

double sigmoid(double logit) { return 1 / (1 + std::exp(-logit)); }

double expected_auc(std::vector<double> logits) {
  std::sort(logits.begin(), logits.end());
  return grouped_auc(equal_logits(logits), 1, 0);
}

Calibration calibrate(std::vector<double> raw, double auc, double label_rate) {
  constexpr double kMaxScale = 100;  // of logits of variance 1: labels are all but certain
  std::sort(raw.begin(), raw.end());
  const std::vector<Group> groups = quantiles(raw);
  double low = 0, high = kMaxScale;
  for (int i = 0; i < 40; ++i) {
    const double scale = (low + high) / 2;
    (grouped_auc(groups, scale, bias_for(groups, scale, label_rate)) < auc ? low : high) = scale;
  }
  Calibration found{.scale = (low + high) / 2};
  found.bias = bias_for(groups, found.scale, label_rate);
  found.auc = grouped_auc(groups, found.scale, found.bias);
  return found;
}

BayesOptimum bayes_optimum(const ModelSpec& model, const std::string& path) {
  const SyntheticWords words = parse_synthetic(path);
  const PlantedModel planted = plant(words, model);
  std::vector<double> logits(static_cast<size_t>(kOptimumRecords));
  constexpr int64_t kPiece = 4096;
  std::vector<float> dense(static_cast<size_t>(kPiece) * planted.dense_weights.size());
  std::vector<int32_t> ids(static_cast<size_t>(kPiece * planted.num_lookups));
  for (int64_t i = 0; i < kOptimumRecords; i += kPiece) {
    // Behind the data set: none of these is trained on.
    draw_records(planted, words.samples + i, std::min(kPiece, kOptimumRecords - i), dense.data(),
                 ids.data(), logits.data() + i);
  }
  BayesOptimum optimum;
  for (const double logit : logits) {
    const double probability = sigmoid(logit);
    optimum.label_rate += probability / static_cast<double>(kOptimumRecords);
    optimum.log_loss += (probability * softplus(-logit) + (1 - probability) * softplus(logit)) /
                        static_cast<double>(kOptimumRecords);
  }
  optimum.auc = expected_auc(std::move(logits));
  return optimum;
}

}  // namespace ambidex
