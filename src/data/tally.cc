// SPDX-License-Identifier: Apache-2.0
#include "data/tally.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "base/random.h"

namespace ambidex {
namespace {

// The estimate's relative error is about 1 / sqrt(kNumSmallest).
constexpr size_t kNumSmallest = 2048;

int64_t estimated_distinct(const Tally& tally) {
  const double largest = static_cast<double>(*tally.smallest.rbegin()) * 0x1p-64;
  return std::llround(static_cast<double>(kNumSmallest - 1) / largest);
}

}  // namespace

// FNV-1a, and a finaliser so that all bits of similar words differ.
uint64_t hash_of(std::string_view text) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (const char letter : text) {
    hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001b3u;
  }
  return random_bits(hash, 0);
}

void add_number(Tally& tally, double value) {
  const bool is_first = tally.num_values == 0;
  tally.minimum = is_first ? value : std::min(tally.minimum, value);
  tally.maximum = is_first ? value : std::max(tally.maximum, value);
  tally.sum += value;
  ++tally.num_values;
}

void add_id(Tally& tally, uint64_t hash) {
  ++tally.num_values;
  const auto found = tally.counts.find(hash);
  if (found != tally.counts.end()) {
    ++found->second;
    return;
  }
  if (std::ssize(tally.counts) <= kMaxDistinct) tally.counts.emplace(hash, 1);
  if (tally.smallest.size() == kNumSmallest && hash >= *tally.smallest.rbegin()) return;
  tally.smallest.insert(hash);
  if (tally.smallest.size() > kNumSmallest) tally.smallest.erase(std::prev(tally.smallest.end()));
}

double zipf_exponent(std::vector<int64_t> counts) {
  constexpr size_t kFewest = 10;
  if (counts.size() < kFewest) return 0;
  std::sort(counts.begin(), counts.end(), std::greater<>());
  double num_points = 0;
  double sum_x = 0;
  double sum_y = 0;
  double sum_xx = 0;
  double sum_xy = 0;
  for (size_t rank = 1; rank <= counts.size() && counts[rank - 1] > 1; rank += 1 + rank / 8) {
    const double x = std::log(static_cast<double>(rank));
    const double y = std::log(static_cast<double>(counts[rank - 1]));
    num_points += 1;
    sum_x += x;
    sum_y += y;
    sum_xx += x * x;
    sum_xy += x * y;
  }
  const double spread = num_points * sum_xx - sum_x * sum_x;
  if (!(spread > 0)) return 0;
  return std::max(0.0, -(num_points * sum_xy - sum_x * sum_y) / spread);
}

void summarize(const Tally& tally, FieldSummary& summary) {
  summary.num_values = tally.num_values;
  summary.num_blank = tally.num_blank;
  if (tally.num_values == 0) return;
  const auto num_values = static_cast<double>(tally.num_values);
  if (summary.kind == "label" || summary.kind == "dense") {
    summary.minimum = tally.minimum;
    summary.maximum = tally.maximum;
    summary.mean = tally.sum / num_values;
    return;
  }
  std::vector<int64_t> counts;
  for (const auto& [hash, count] : tally.counts) counts.push_back(count);
  if (counts.empty()) return;
  summary.is_estimate = std::ssize(counts) > kMaxDistinct;
  summary.num_distinct = summary.is_estimate ? estimated_distinct(tally) : std::ssize(counts);
  const int64_t top = *std::max_element(counts.begin(), counts.end());
  summary.top_share_ratio = static_cast<double>(top) / num_values;
  summary.zipf_exponent = zipf_exponent(std::move(counts));
}

}  // namespace ambidex
