// SPDX-License-Identifier: Apache-2.0
// What needs an order: Kendall's tau, and the constant pick.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>
#include <utility>

#include "ambidex/validate.h"

namespace ambidex {
namespace {

/// Pairs of equal values in sorted `values`.
template <class Values>
double num_tied_pairs(const Values& values) {
  double pairs = 0;
  for (size_t begin = 0, end = 0; begin < values.size(); begin = end) {
    while (end < values.size() && values[end] == values[begin]) ++end;
    const auto run = static_cast<double>(end - begin);
    pairs += run * (run - 1) / 2;
  }
  return pairs;
}

/// Sorts, and returns the number of pairs that stood in the wrong order.
double sort_and_count(std::span<double> values, std::vector<double>& scratch) {
  if (values.size() < 2) return 0;
  const size_t half = values.size() / 2;
  double swaps = sort_and_count(values.first(half), scratch);
  swaps += sort_and_count(values.subspan(half), scratch);
  scratch.clear();
  size_t left = 0;
  size_t right = half;
  while (left < half || right < values.size()) {
    const bool takes_right =
        left == half || (right < values.size() && values[right] < values[left]);
    if (takes_right) swaps += static_cast<double>(half - left);
    scratch.push_back(takes_right ? values[right++] : values[left++]);
  }
  std::copy(scratch.begin(), scratch.end(), values.begin());
  return swaps;
}

struct ConfigMean {
  double sum_of_logs = 0;  // of best / time
  int64_t num_shapes = 0;
};

/// Place of each configuration in the order of constant picks; none if too few shapes have it.
std::vector<std::optional<int32_t>> constant_places(std::span<const ShapeTrial> trials) {
  std::vector<ConfigMean> means;
  for (const ShapeTrial& trial : trials) {
    const double best = trial.candidates[best_of(trial)].measured_seconds;
    for (const Candidate& candidate : trial.candidates) {
      const auto index = static_cast<size_t>(candidate.config);
      if (index >= means.size()) means.resize(index + 1);
      means[index].sum_of_logs += std::log(best / candidate.measured_seconds);
      ++means[index].num_shapes;
    }
  }
  std::vector<std::pair<double, int32_t>> order;  // sorts the best first
  for (size_t i = 0; i < means.size(); ++i) {
    const auto& [sum, num] = means[i];
    if (num * 10 < std::ssize(trials) * 3 || num == 0) continue;
    order.emplace_back(-sum / static_cast<double>(num), static_cast<int32_t>(i));
  }
  std::sort(order.begin(), order.end());
  std::vector<std::optional<int32_t>> places(means.size());
  for (size_t i = 0; i < order.size(); ++i) {
    places[static_cast<size_t>(order[i].second)] = static_cast<int32_t>(i);
  }
  return places;
}

}  // namespace

std::optional<double> kendall_tau(std::span<const double> x, std::span<const double> y) {
  check(x.size() == y.size(), "tau needs as many x as y");
  std::vector<std::pair<double, double>> points;
  for (size_t i = 0; i < x.size(); ++i) points.emplace_back(x[i], y[i]);
  std::sort(points.begin(), points.end());
  std::vector<double> first;
  std::vector<double> second;
  for (const auto& [a, b] : points) {
    first.push_back(a);
    second.push_back(b);
  }
  const double tied_x = num_tied_pairs(first);
  const double tied_both = num_tied_pairs(points);
  std::vector<double> scratch;
  const double discordant = sort_and_count(second, scratch);
  const double tied_y = num_tied_pairs(second);
  const double pairs = static_cast<double>(x.size()) * (static_cast<double>(x.size()) - 1) / 2;
  const double scale = std::sqrt(pairs - tied_x) * std::sqrt(pairs - tied_y);
  if (!(scale > 0)) return std::nullopt;
  return (pairs - tied_x - tied_y + tied_both - 2 * discordant) / scale;
}

void set_constant_picks(std::span<ShapeTrial> trials) {
  const std::vector<std::optional<int32_t>> places = constant_places(trials);
  for (ShapeTrial& trial : trials) {
    const double best = trial.candidates[best_of(trial)].measured_seconds;
    std::optional<int32_t> first;
    trial.constant_efficiency.reset();
    for (const Candidate& candidate : trial.candidates) {
      const std::optional<int32_t> place = places[static_cast<size_t>(candidate.config)];
      if (!place || (first && *first <= *place)) continue;
      first = place;
      trial.constant_efficiency = best / candidate.measured_seconds;
    }
  }
}

}  // namespace ambidex
