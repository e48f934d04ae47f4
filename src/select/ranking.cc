// SPDX-License-Identifier: Apache-2.0
#include "select/ranking.h"

#include <algorithm>
#include <limits>

namespace ambidex {
namespace {

// pi / sqrt(6): standard deviation of the Gumbel distribution of unit scale.
constexpr double kGumbelDeviation = 1.2825498301618641;

constexpr double kMaxExponent = 400;
constexpr int64_t kNegligible = 32;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// By multiplications alone: std::pow may differ between machines.
double power(double base, int64_t exponent) {
  double result = 1;
  for (double square = base; exponent > 0; exponent /= 2) {
    if (exponent % 2 == 1) result *= square;
    square *= square;
  }
  return result;
}

int64_t exponent_of(double sigma) {
  const double exponent = kGumbelDeviation / (sigma * kIndependentRatio) + 0.5;
  return exponent < kMaxExponent ? std::max<int64_t>(1, static_cast<int64_t>(exponent))
                                 : static_cast<int64_t>(kMaxExponent);
}

}  // namespace

// If the errors of ln(time) have a Gumbel distribution of scale 1 / b, then candidate i is the
// fastest with a chance in proportion to (1 / seconds[i])^b, and the fastest of a set A comes
// within a factor f of the fastest of the others with the chance f^b A / (f^b A + others): a
// closed form, and with whole b one of multiplications alone.
Confidence confidence_of(std::span<const double> seconds, std::span<const int32_t> order,
                         double sigma, const SelectOptions& options) {
  const int64_t exponent = exponent_of(sigma);
  const double best = seconds[order[0]];
  double all = 0;
  // Most candidates are far behind; one half as fast weighs less than 2^-kNegligible.
  const double limit = exponent >= kNegligible ? 2 * best : kInfinity;
  for (const double other : seconds) {
    if (other < limit) all += power(best / other, exponent);
  }
  const double close = power(1 + options.close_ratio, exponent);
  const auto chance = [&](double some) { return close * some / (close * some + (all - some)); };
  double some = 1;
  Confidence confidence{.first = std::min(1.0, chance(some))};
  const int64_t last = std::min<int64_t>(kMaxMeasured, static_cast<int64_t>(order.size()));
  while (confidence.measure_k < last && chance(some) < options.measure_confidence) {
    some += power(best / seconds[order[confidence.measure_k]], exponent);
    ++confidence.measure_k;
  }
  return confidence;
}

int64_t sort_fastest(std::span<const double> seconds, std::span<int32_t> order) {
  const auto is_faster = [&](int32_t a, int32_t b) {
    return seconds[a] < seconds[b] || (seconds[a] == seconds[b] && a < b);
  };
  int64_t num_kept = 0;
  // A heap of the fastest so far, its slowest on top.
  const auto kept = order.begin();
  for (int32_t i = 0; i < static_cast<int32_t>(seconds.size()); ++i) {
    if (seconds[i] == kInfinity) continue;
    if (num_kept < static_cast<int64_t>(order.size())) {
      kept[num_kept++] = i;
      std::push_heap(kept, kept + num_kept, is_faster);
    } else if (num_kept > 0 && is_faster(i, kept[0])) {
      std::pop_heap(kept, kept + num_kept, is_faster);
      kept[num_kept - 1] = i;
      std::push_heap(kept, kept + num_kept, is_faster);
    }
  }
  std::sort_heap(kept, kept + num_kept, is_faster);
  return num_kept;
}

}  // namespace ambidex
