// SPDX-License-Identifier: Apache-2.0
// Draws of popular and rare ranks against the law's definition; keys are fixed.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <vector>

#include "base/random.h"
#include "data/synthetic.h"

namespace ambidex {
namespace {

/// Pearson's statistic of counts, by ranks in bins of at least 50 expected; its mean is the number
/// of bins - 1.
struct ChiSquare {
  double statistic = 0;
  double bins = 0;
};
ChiSquare chi_square(const std::vector<double>& counts, const std::vector<double>& expected) {
  ChiSquare result;
  double count = 0, wanted = 0;
  for (size_t i = 0; i < counts.size(); ++i) {
    count += counts[i];
    wanted += expected[i];
    if (wanted < 50 && i + 1 < counts.size()) continue;
    result.statistic += (count - wanted) * (count - wanted) / wanted;
    result.bins += 1;
    count = wanted = 0;
  }
  return result;
}

/// Probabilities of the ranks, from the definition.
std::vector<double> zipf_law(int64_t rows, double exponent) {
  std::vector<double> law(static_cast<size_t>(rows));
  for (size_t i = 0; i < law.size(); ++i) law[i] = std::pow(double(i + 1), -exponent);
  const double sum = std::accumulate(law.begin(), law.end(), 0.0);
  for (double& probability : law) probability /= sum;
  return law;
}

TEST(Zipf, drawn_ranks_follow_the_law_of_zipf) {
  struct Case {
    int64_t rows;
    double exponent;
  };
  constexpr int kDraws = 400'000;
  for (const auto& [rows, exponent] : {Case{1, 1.2}, Case{3, 1}, Case{1000, 1.05}, Case{1000, 0},
                                       Case{65'536, 1.2}, Case{65'537, 1}, Case{300'000, 0.5},
                                       Case{300'000, 1}, Case{300'000, 1.3}, Case{1'000'000, 0}}) {
    const ZipfDraw zipf = make_zipf(rows, exponent);
    std::vector<double> counts(static_cast<size_t>(rows));
    for (uint64_t i = 0; i < kDraws; ++i) {
      const int64_t rank = rank_of(zipf, random_bits(5, i), [&] { return random_unit(6, i); });
      counts.at(static_cast<size_t>(rank)) += 1;
    }
    std::vector<double> expected = zipf_law(rows, exponent);
    for (double& probability : expected) probability *= kDraws;
    const ChiSquare fit = chi_square(counts, expected);
    EXPECT_LT(fit.statistic, fit.bins - 1 + 5 * std::sqrt(2 * fit.bins))
        << rows << " rows, exponent " << exponent;
  }
}

TEST(Zipf, ranks_without_an_entry_divide_their_part_by_the_law) {
  for (const double exponent : {0.0, 1.0, 1.5}) {
    constexpr int64_t kRows = 65'536 + 4;
    const ZipfDraw zipf = make_zipf(kRows, exponent);
    const std::vector<double> law = zipf_law(kRows, exponent);
    const double tail = std::accumulate(law.end() - 4, law.end(), 0.0);
    double begin = 0;
    for (int64_t rank = 65'536; rank < kRows; ++rank) {
      const double end = begin + law[static_cast<size_t>(rank)] / tail;
      EXPECT_EQ(tail_rank(zipf, begin + 1e-6), rank);
      EXPECT_EQ(tail_rank(zipf, end - 1e-6), rank);
      begin = end;
    }
  }
}

}  // namespace
}  // namespace ambidex
