// SPDX-License-Identifier: Apache-2.0
// Types by width, and atomic operations, counted before and after a patch.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "base/word_list.h"
#include "port/code_words.h"
#include "port/repair_cheats.h"

namespace ambidex::repair {
namespace {

// Floats by rising width.
enum Width : size_t { kFp8, kHalf, kFloat, kDouble, kNumWidths };
constexpr std::array<std::string_view, kNumWidths> kWidthNames{"8-bit floats", "half", "float",
                                                               "double"};

struct Census {
  std::array<int64_t, kNumWidths> floats{};
  int64_t num_float_literals = 0;  // 1.0f
  int64_t num_short_integers = 0;  // of 8 or 16 bits
  int64_t num_long_integers = 0;   // of 64 bits
  int64_t num_atomics = 0;         // and fences
  int64_t at_most(size_t width) const {
    int64_t count = 0;
    for (size_t i = 0; i <= width; ++i) count += floats[i];
    return count;
  }
};

void count_float(std::string_view name, Census& census) {
  const std::string low = to_lower(name);
  const auto holds = [&](std::string_view part) { return low.find(part) != std::string::npos; };
  if (holds("fp8") || holds("fp6") || holds("fp4")) {
    ++census.floats[kFp8];
  } else if (holds("half") || holds("bfloat16") || holds("float16") || holds("fp16") ||
             is_any(name, {"__hadd", "__hsub", "__hmul", "__hfma", "__hdiv", "__hadd2", "__hsub2",
                           "__hmul2", "__hfma2"})) {
    ++census.floats[kHalf];
  } else if (is_any(name, {"float", "float2", "float3", "float4"})) {
    ++census.floats[kFloat];
  } else if (is_any(name, {"double", "double2", "double3", "double4"})) {
    ++census.floats[kDouble];
  }
}

Census census_of(const std::string& text) {
  Census census;
  for (const code::Word& word : code::words_of(text).words) {
    if (word.kind == code::WordKind::number) {
      const bool hex = word.text.starts_with("0x") || word.text.starts_with("0X");
      census.num_float_literals += !hex && (word.text.back() == 'f' || word.text.back() == 'F');
    }
    if (!word.is_name()) continue;
    count_float(word.text, census);
    const bool atomic = word.text.starts_with("atomic") || word.text.starts_with("__hip_atomic");
    census.num_atomics += atomic || word.text.starts_with("__threadfence");
    census.num_short_integers +=
        is_any(word.text, {"char", "short", "int8_t", "uint8_t", "int16_t", "uint16_t"});
    census.num_long_integers += is_any(
        word.text, {"long", "int64_t", "uint64_t", "size_t", "ssize_t", "ptrdiff_t", "longlong2"});
  }
  return census;
}

size_t widest(const Census& census) {
  size_t width = 0;
  for (size_t i = 0; i < kNumWidths; ++i) {
    if (census.floats[i] > 0) width = i;
  }
  return width;
}

}  // namespace

std::string less_in(const Subject& subject) {
  const Census original = census_of(subject.original), before = census_of(subject.before),
               after = census_of(subject.after);
  const size_t width = std::max(widest(original), widest(before));
  for (size_t i = 0; i < width; ++i) {
    const int64_t had = std::max(before.at_most(i), original.at_most(i));
    // Operands of matrix instructions are named; narrower_in looks at what is done with them.
    if (after.at_most(i) <= had || (subject.native && i <= kHalf && had > 0)) continue;
    return fmt::format(
        "{} or narrower is used {} times, before {}: sums and products stay in the "
        "original's types",
        kWidthNames[i], after.at_most(i), before.at_most(i));
  }
  if (width == kDouble && after.num_float_literals > before.num_float_literals) {
    return "literals of type float are added to arithmetic in double";
  }
  const bool has_operands =
      subject.native && std::max(before.at_most(kHalf), original.at_most(kHalf)) > 0;
  if (!has_operands &&
      after.num_short_integers > std::max(before.num_short_integers, original.num_short_integers)) {
    return "integers of 8 or 16 bits are added: counts and indices stay as wide as they were";
  }
  if (after.num_long_integers < std::min(before.num_long_integers, original.num_long_integers)) {
    return "integers of 64 bits were taken away: counts and indices stay as wide as they were";
  }
  // A lost update shows only in some order of the threads, and no test tries all.
  if (after.num_atomics < std::min(before.num_atomics, original.num_atomics)) {
    return "atomic operations or fences were taken away: what they guard is then a race";
  }
  return "";
}

}  // namespace ambidex::repair
