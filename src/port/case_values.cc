// SPDX-License-Identifier: Apache-2.0
// Launches with other values in their buffers.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/random.h"
#include "port/cases.h"

namespace ambidex {
namespace {

constexpr ValuePattern kFloatPatterns[]{
    ValuePattern::normal, ValuePattern::wide, ValuePattern::equal,  ValuePattern::one_hot,
    ValuePattern::offset, ValuePattern::tiny, ValuePattern::special};
constexpr int64_t kWholeDoubles = int64_t{1} << 53;  // up to which a double holds every integer

// Buffers that had been written before the launch, at least in part.
template <class Wanted>
std::vector<int64_t> filled_buffers(const TracedLaunch& launch, const KernelView& view,
                                    Wanted wanted) {
  std::vector<int64_t> found;
  for (size_t i = 0; i < launch.buffers.size(); ++i) {
    const auto index = static_cast<int64_t>(i);
    if (!written_part(launch.buffers[i]).empty() &&
        wanted(element_of_buffer(view, launch, index))) {
      found.push_back(index);
    }
  }
  return found;
}

void fill(TracedLaunch& launch, int64_t buffer, Element element, ValuePattern pattern, uint64_t key,
          IntegerRange range) {
  std::string& bytes = launch.buffers[static_cast<size_t>(buffer)].before;
  fill_values(element, pattern, random_key(key, static_cast<uint64_t>(buffer)), range,
              std::as_writable_bytes(std::span(bytes.data(), bytes.size())));
}

IntegerRange type_range(Element element) {
  const auto limit = [&](double beyond) {
    std::array<std::byte, 8> stored{};
    encode(element, beyond, stored.data());
    const auto end = static_cast<double>(kWholeDoubles);
    return static_cast<int64_t>(std::clamp(decode(element, stored.data()), -end, end));
  };
  return {limit(-1e30), limit(1e30) + 1};
}

void add_integer_cases(const TracedLaunch& launch, const KernelView& view, uint64_t key,
                       std::vector<LaunchCase>& cases) {
  const std::vector<int64_t> integers = filled_buffers(launch, view, is_integer);
  if (integers.empty()) return;
  LaunchCase drawn{.name = "integers drawn", .launch = launch};
  LaunchCase ends{.name = "integers at the ends of their range", .launch = launch};
  LaunchCase limits{.name = "integers at the limits of their type", .launch = launch};
  for (const int64_t buffer : integers) {
    const Element element = element_of_buffer(view, launch, buffer);
    const auto range =
        integer_range(written_part(launch.buffers[static_cast<size_t>(buffer)]), element);
    if (range) fill(drawn.launch, buffer, element, ValuePattern::normal, key, *range);
    if (range) fill(ends.launch, buffer, element, ValuePattern::limits, key, *range);
    fill(limits.launch, buffer, element, ValuePattern::limits, key, type_range(element));
  }
  for (LaunchCase* made : {&drawn, &ends, &limits}) cases.push_back(std::move(*made));
}

}  // namespace

std::optional<IntegerRange> integer_range(const std::string& bytes, Element element) {
  const auto stride = static_cast<size_t>(element_bytes(element));
  double low = HUGE_VAL, high = -HUGE_VAL;
  for (size_t at = 0; at + stride <= bytes.size(); at += stride) {
    const double value = decode(element, reinterpret_cast<const std::byte*>(bytes.data()) + at);
    low = std::min(low, value);
    high = std::max(high, value);
  }
  const auto most = static_cast<double>(kWholeDoubles);
  if (!(low <= high) || low < -most || high > most) return std::nullopt;
  return IntegerRange{static_cast<int64_t>(low), static_cast<int64_t>(high) + 1};
}

std::vector<LaunchCase> value_cases(const TracedLaunch& launch, const KernelView& view,
                                    uint64_t key) {
  std::vector<LaunchCase> cases;
  const std::vector<int64_t> floats = filled_buffers(launch, view, is_float);
  for (const ValuePattern pattern : kFloatPatterns) {
    if (floats.empty()) break;
    LaunchCase made{.name = fmt::format("values {}", name_of(pattern)), .launch = launch};
    for (const int64_t buffer : floats) {
      fill(made.launch, buffer, element_of_buffer(view, launch, buffer), pattern, key, {});
    }
    cases.push_back(std::move(made));
  }
  add_integer_cases(launch, view, key, cases);
  return cases;
}

}  // namespace ambidex
