// SPDX-License-Identifier: Apache-2.0
#include "data/split.h"

#include <algorithm>
#include <cmath>

#include "ambidex/base.h"
#include "base/random.h"

namespace ambidex {
namespace {

constexpr uint64_t kSplitPurpose = 1;

SplitPart random_part(const Split& split, int64_t number) {
  const SplitSpec& spec = split.spec;
  const double unit = random_unit(split.key, static_cast<uint64_t>(number));
  if (unit < spec.test_ratio) return SplitPart::test;
  return unit < spec.test_ratio + spec.valid_ratio ? SplitPart::valid : SplitPart::train;
}

RecordRange tail_range(const Split& split, SplitPart part) {
  const auto count = [&](double ratio) {
    return std::llround(ratio * static_cast<double>(split.num_records));
  };
  const int64_t test = std::max<int64_t>(split.num_records - count(split.spec.test_ratio), 0);
  const int64_t valid = std::max<int64_t>(test - count(split.spec.valid_ratio), 0);
  if (part == SplitPart::test) return {.first = test};
  if (part == SplitPart::valid) return {.first = valid, .end = test};
  return {.end = valid};
}

}  // namespace

Split make_split(const SplitSpec& spec, int64_t num_records) {
  check(spec.kind != SplitKind::tail || num_records >= 0, "a tail split knows the data's size");
  return {.spec = spec,
          .num_records = num_records,
          .key = random_key(static_cast<uint64_t>(spec.seed), kSplitPurpose)};
}

RecordRange range_of(const Split& split, SplitPart part) {
  if (part == SplitPart::all || split.spec.kind == SplitKind::random) return {};
  if (split.spec.kind == SplitKind::tail) return tail_range(split, part);
  return part == SplitPart::train ? RecordRange{} : RecordRange{.end = 0};
}

bool is_in_part(const Split& split, SplitPart part, int64_t number) {
  if (part == SplitPart::all) return true;
  if (split.spec.kind == SplitKind::random) return random_part(split, number) == part;
  const RecordRange range = range_of(split, part);
  return number >= range.first && number < range.end;
}

}  // namespace ambidex
