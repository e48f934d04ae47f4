// SPDX-License-Identifier: Apache-2.0
// The fast way through a line of Criteo's: label if any, integers and hexadecimal ids between tabs.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <vector>

#include "data/modulo.h"
#include "data/transform.h"

namespace ambidex {

static_assert(std::endian::native == std::endian::little,
              "words of text are read as little-endian");

inline constexpr int64_t kWordBytes = 8;

inline uint64_t word_at(const char* text) {
  uint64_t word = 0;
  std::memcpy(&word, text, sizeof word);
  return word;
}

/// The byte in all eight places.
constexpr uint64_t eight_of(uint8_t byte) { return 0x0101010101010101u * byte; }

/// Are all eight bytes hexadecimal digits? Adding 0x80 - x sets a byte's high bit from x on; bytes
/// below 0x80 do not carry into each other.
inline bool is_hex(uint64_t word) {
  const uint64_t small = word | eight_of(0x20);
  const uint64_t digit = (word + eight_of(0x80 - '0')) & ~(word + eight_of(0x80 - '9' - 1));
  const uint64_t letter = (small + eight_of(0x80 - 'a')) & ~(small + eight_of(0x80 - 'f' - 1));
  return ((digit | letter) & ~word & eight_of(0x80)) == eight_of(0x80);
}

/// The number that eight hexadecimal digits stand for, the first one highest.
inline uint32_t hex_value(uint64_t word) {
  uint64_t nibbles = (word & eight_of(0x0f)) + 9 * ((word >> 6) & eight_of(0x01));
  nibbles = __builtin_bswap64(nibbles);
  nibbles = (nibbles | nibbles >> 4) & 0x00ff00ff00ff00ffu;
  nibbles = (nibbles | nibbles >> 8) & 0x0000ffff0000ffffu;
  return static_cast<uint32_t>(nibbles | nibbles >> 16);
}

/// Where the numbers of a line go.
struct CriteoPlan {
  std::vector<DenseRule> rules;  // of the integers
  std::vector<Modulo> modulos;   // of the ids
  std::vector<int64_t> places;   // of the ids among all lookups
  const float* logs = small_logs();
  bool has_label = true;
};

/// Reads a line of label 0 or 1 (NaN if the plan has none), integers of up to nine digits and ids
/// of eight digits, blank ones included, into `label`, `dense` [rules] and `ids`. False if it is
/// not exactly that: then it is up to the slow way, which reads more and knows the words for what
/// is wrong.
///   kLinePadding bytes behind the line can be read
bool parse_criteo_line(const CriteoPlan& plan, const char* begin, const char* end, float& label,
                       float* dense, int32_t* ids);

}  // namespace ambidex
