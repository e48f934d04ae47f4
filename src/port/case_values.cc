// SPDX-License-Identifier: Apache-2.0
// Launches with other values in their buffers.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

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

double number_in(Element element, const std::string& bytes) {
  return decode(element, reinterpret_cast<const std::byte*>(bytes.data()));
}

double drawn_number(Element element, uint64_t key) {
  std::string bytes = encoded(element, 0);
  fill_values(element, ValuePattern::normal, key, {},
              std::as_writable_bytes(std::span(bytes.data(), bytes.size())));
  return number_in(element, bytes);
}

// Half to one and a half of the recorded number: what it may well be, too.
double number_around(double recorded, uint64_t key) {
  return recorded * (0.5 + random_unit(key, 0));
}

}  // namespace

std::vector<size_t> float_scalars(const TracedLaunch& launch, const KernelView& view) {
  std::vector<size_t> found;
  for (size_t i = 0; i < launch.arguments.size() && i < view.elements.size(); ++i) {
    const bool pointer =
        std::any_of(launch.pointers.begin(), launch.pointers.end(),
                    [&](const auto& p) { return p.parameter == static_cast<int64_t>(i); });
    const Element element = view.elements[i];
    if (!pointer && is_float(element) &&
        static_cast<int64_t>(launch.arguments[i].size()) == element_bytes(element)) {
      found.push_back(i);
    }
  }
  return found;
}

std::vector<LaunchCase> float_cases(const TracedLaunch& launch, const KernelView& view,
                                    uint64_t key) {
  constexpr size_t kMostNumbers = 6;  // arguments that are varied
  std::vector<LaunchCase> cases;
  std::vector<size_t> parameters = float_scalars(launch, view);
  parameters.resize(std::min(parameters.size(), kMostNumbers));
  for (const size_t i : parameters) {
    const Element element = view.elements[i];
    const uint64_t own_key = random_key(key, i);
    const double recorded = number_in(element, launch.arguments[i]);
    std::set<std::string> tried{launch.arguments[i]};
    for (const double value :
         {number_around(recorded, own_key), drawn_number(element, own_key), 0.0}) {
      const std::string bytes = encoded(element, value);
      if (!std::isfinite(number_in(element, bytes)) || !tried.insert(bytes).second) continue;
      LaunchCase made{.name = fmt::format("{} = {:.6g}", view.names[i], number_in(element, bytes)),
                      .launch = launch,
                      .needs_number = true};
      made.launch.arguments[i] = bytes;
      cases.push_back(std::move(made));
    }
  }
  return cases;
}

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
