// SPDX-License-Identifier: Apache-2.0
#include "data/split.h"

#include <cmath>

#include "ambidex/base.h"
#include "base/random.h"

namespace ambidex {
namespace {

constexpr uint64_t kSplitPurpose = 1;

SplitPart part_of(const Split& split, int64_t number) {
  const SplitSpec& spec = split.spec;
  if (spec.kind == SplitKind::random) {
    const double unit = random_unit(split.key, static_cast<uint64_t>(number));
    if (unit < spec.test_ratio) return SplitPart::test;
    return unit < spec.test_ratio + spec.valid_ratio ? SplitPart::valid : SplitPart::train;
  }
  const auto count = [&](double ratio) {
    return std::llround(ratio * static_cast<double>(split.num_records));
  };
  const int64_t num_test = count(spec.test_ratio);
  const int64_t num_valid = count(spec.valid_ratio);
  if (number >= split.num_records - num_test) return SplitPart::test;
  return number >= split.num_records - num_test - num_valid ? SplitPart::valid : SplitPart::train;
}

}  // namespace

Split make_split(const SplitSpec& spec, int64_t num_records) {
  check(spec.kind != SplitKind::tail || num_records >= 0, "a tail split knows the data's size");
  return {.spec = spec,
          .num_records = num_records,
          .key = random_key(static_cast<uint64_t>(spec.seed), kSplitPurpose)};
}

bool is_in_part(const Split& split, SplitPart part, int64_t number) {
  if (part == SplitPart::all) return true;
  if (split.spec.kind == SplitKind::none) return part == SplitPart::train;
  return part_of(split, number) == part;
}

}  // namespace ambidex
