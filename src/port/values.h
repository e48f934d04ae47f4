// SPDX-License-Identifier: Apache-2.0
// Contents of input buffers that bring mistakes to light. A pattern and a key give the same bytes
// everywhere.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "port/element.h"

namespace ambidex {

enum class ValuePattern : uint8_t {
  normal,   // N(0, 1), a tenth of them beyond 3 by scaling: what most data looks like
  wide,     // magnitudes over the type's exponent range, without overflow of a product of two
  equal,    // all the same
  one_hot,  // one element is 1, its place drawn: shows where a value goes
  offset,   // around a large number: what needs max-subtraction or a stable variance
  tiny,     // denormals, signed zeros, smallest normals
  limits,   // integers at the ends of their range; floats as `wide`
  special,  // as `normal`, with NaN and infinities among them; integers uniform
};
inline constexpr int kNumValuePatterns = 8;

std::string_view name_of(ValuePattern pattern);

/// Integers are drawn from [low, high), which stands for what the kernel may be given: indices
/// below a size, counts. Patterns other than `limits`, `equal` and `one_hot` draw them uniformly.
struct IntegerRange {
  int64_t low = -100;
  int64_t high = 100;
};

/// Fills `buffer` with whole elements; a rest of bytes is zero.
void fill_values(Element element, ValuePattern pattern, uint64_t key, IntegerRange range,
                 std::span<std::byte> buffer);

}  // namespace ambidex
