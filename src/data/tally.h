// SPDX-License-Identifier: Apache-2.0
// What a stream of values of one field shows: range, how many different ones, how skewed.
#pragma once

#include <cstdint>
#include <set>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ambidex/data.h"

namespace ambidex {

/// Ids are known by 64-bit hashes. The first kMaxDistinct are counted one by one; of all of them
/// the smallest hashes are kept, whose density tells their number (Bar-Yossef et al. 2002).
struct Tally {
  int64_t num_values = 0;
  int64_t num_blank = 0;
  double sum = 0;
  double minimum = 0;
  double maximum = 0;
  std::unordered_map<uint64_t, int64_t> counts;
  std::set<uint64_t> smallest;
};

void add_number(Tally& tally, double value);
void add_id(Tally& tally, uint64_t hash);

uint64_t hash_of(std::string_view text);

/// -slope of log count over log rank, `counts` in any order; 0 of fewer than 10. Ranks are taken
/// evenly on the logarithmic axis, as far as ids come more than once.
double zipf_exponent(std::vector<int64_t> counts);

/// Into the fields of `summary` that its kind has.
void summarize(const Tally& tally, FieldSummary& summary);

}  // namespace ambidex
