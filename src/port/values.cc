// SPDX-License-Identifier: Apache-2.0
#include "port/values.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "ambidex/base.h"
#include "base/random.h"

namespace ambidex {
namespace {

constexpr std::array<std::string_view, kNumValuePatterns> kNames{
    "normal", "wide", "equal", "one_hot", "offset", "tiny", "limits", "special"};

double normal_value(uint64_t key, uint64_t i) {
  const double radius = std::sqrt(-2 * std::log(1 - random_unit(key, 2 * i)));
  return radius * std::cos(2 * std::numbers::pi * random_unit(key, 2 * i + 1));
}

// The square of the largest stays finite, that of the smallest normal.
double wide_value(Element element, uint64_t key, uint64_t i) {
  const double exponents = 0.45 * std::log2(element_max(element));
  const double magnitude = std::exp2((2 * random_unit(key, 2 * i) - 1) * exponents);
  return (random_bits(key, 2 * i + 1) & 1) != 0 ? magnitude : -magnitude;
}

double tiny_value(Element element, uint64_t key, uint64_t i) {
  const double normal = 4 / element_max(element);  // within a power of two of the least normal
  const std::array<double, 6> values{0.0, -0.0, normal, -normal, normal / 8, -normal / 16};
  return values[random_bits(key, i) % values.size()];
}

double special_value(uint64_t key, uint64_t i) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  switch (random_bits(random_key(key, 1), i) % 48) {
    case 0:
      return std::numeric_limits<double>::quiet_NaN();
    case 1:
      return kInfinity;
    case 2:
      return -kInfinity;
    default:
      return normal_value(key, i);
  }
}

double float_value(Element element, ValuePattern pattern, uint64_t key, uint64_t i, uint64_t hot) {
  switch (pattern) {
    case ValuePattern::normal:
      return normal_value(key, i) * (i % 10 == 9 ? 4.0 : 1.0);
    case ValuePattern::wide:
    case ValuePattern::limits:
      return wide_value(element, key, i);
    case ValuePattern::equal:
      return 0.75 + 0.25 * static_cast<double>(key % 5);
    case ValuePattern::one_hot:
      return i == hot ? 1.0 : 0.0;
    case ValuePattern::offset:
      return std::min(1000.0, element_max(element) / 4) + normal_value(key, i);
    case ValuePattern::tiny:
      return tiny_value(element, key, i);
    case ValuePattern::special:
      return special_value(key, i);
  }
  return 0.0;
}

double integer_value(ValuePattern pattern, IntegerRange range, uint64_t key, uint64_t i,
                     uint64_t hot) {
  const auto width = static_cast<uint64_t>(range.high) - static_cast<uint64_t>(range.low);
  const auto from_low = [&](uint64_t step) {
    return static_cast<double>(range.low + static_cast<int64_t>(step));
  };
  switch (pattern) {
    case ValuePattern::equal:
      return from_low(key % width);
    case ValuePattern::one_hot:
      return from_low(i == hot ? width - 1 : 0);
    case ValuePattern::limits:
      return from_low((random_bits(key, i) & 1) != 0 ? width - 1 : 0);
    default:
      return from_low(random_bits(key, i) % width);
  }
}

}  // namespace

std::string_view name_of(ValuePattern pattern) { return kNames[static_cast<size_t>(pattern)]; }

void fill_values(Element element, ValuePattern pattern, uint64_t key, IntegerRange range,
                 std::span<std::byte> buffer) {
  check(range.high > range.low, "a range of integers holds one at least");
  const auto stride = static_cast<size_t>(element_bytes(element));
  const uint64_t num_elements = buffer.size() / stride;
  const uint64_t hot = num_elements == 0 ? 0 : random_bits(key, ~uint64_t{0}) % num_elements;
  std::fill(buffer.begin(), buffer.end(), std::byte{0});
  for (uint64_t i = 0; i < num_elements; ++i) {
    const double value = is_float(element) ? float_value(element, pattern, key, i, hot)
                                           : integer_value(pattern, range, key, i, hot);
    encode(element, value, buffer.data() + i * stride);
  }
}

}  // namespace ambidex
