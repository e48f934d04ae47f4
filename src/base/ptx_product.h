// SPDX-License-Identifier: Apache-2.0
// mma.sync of PTX as a word: what the front end writes into a call and the runner reads from it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ambidex {

enum class PtxElement : uint8_t { f16, bf16, tf32, s8, u8, f32, s32, e4m3, e5m2 };

/// mma.sync.aligned.m16n8k<depth>.row.col
struct PtxProduct {
  unsigned depth = 0;
  PtxElement a = PtxElement::f16, b = PtxElement::f16, c = PtxElement::f32, d = PtxElement::f32;
  unsigned saturate = 0;
};

constexpr unsigned bytes_of(PtxElement element) {
  switch (element) {
    case PtxElement::f16:
    case PtxElement::bf16:
      return 2;
    case PtxElement::tf32:
    case PtxElement::f32:
    case PtxElement::s32:
      return 4;
    default:
      return 1;
  }
}

/// Registers of a lane: 16 x depth, depth x 8 and 16 x 8 elements over 32 lanes.
constexpr size_t num_words_a(const PtxProduct& it) { return 16 * it.depth * bytes_of(it.a) / 128; }
constexpr size_t num_words_b(const PtxProduct& it) { return 8 * it.depth * bytes_of(it.b) / 128; }
constexpr size_t num_words_c(PtxElement element) { return element == PtxElement::f16 ? 2 : 4; }

/// Whether PTX has it, of those with 8 rows for each lane group: depths of 16, 32 or 64 bytes a
/// row.
constexpr bool is_product(const PtxProduct& it) {
  const unsigned row_bytes = it.depth * bytes_of(it.a);
  const bool of_integers = it.a == PtxElement::s8 || it.a == PtxElement::u8;
  const bool inputs = it.a != PtxElement::f32 && it.a != PtxElement::s32 &&
                      bytes_of(it.a) == bytes_of(it.b) &&
                      of_integers == (it.b == PtxElement::s8 || it.b == PtxElement::u8);
  const bool outputs = of_integers ? it.c == PtxElement::s32 && it.d == PtxElement::s32
                                   : (it.c == PtxElement::f32 || it.c == PtxElement::f16) &&
                                         (it.d == PtxElement::f32 || it.d == PtxElement::f16);
  return (row_bytes == 16 || row_bytes == 32) && inputs && outputs;
}

constexpr uint32_t packed(const PtxProduct& it) {
  return it.depth | static_cast<uint32_t>(it.a) << 8 | static_cast<uint32_t>(it.b) << 12 |
         static_cast<uint32_t>(it.c) << 16 | static_cast<uint32_t>(it.d) << 20 | it.saturate << 24;
}
constexpr PtxProduct unpacked(uint32_t bits) {
  return {bits & 0xff,
          static_cast<PtxElement>(bits >> 8 & 15),
          static_cast<PtxElement>(bits >> 12 & 15),
          static_cast<PtxElement>(bits >> 16 & 15),
          static_cast<PtxElement>(bits >> 20 & 15),
          bits >> 24 & 1};
}

}  // namespace ambidex
