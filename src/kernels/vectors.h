// SPDX-License-Identifier: Apache-2.0
// Sixteen floats at a time in the compiler's own vectors: one source for every instruction set.
// Only within functions that are inlined into a version of with_isa.
#pragma once

#include <cstdint>
#include <cstring>

#include "ambidex/base.h"
#include "base/random.h"
#include "kernels/isa.h"

namespace ambidex {

inline constexpr int64_t kLanes = 16;
using Lanes = float __attribute__((vector_size(64)));
using LanesU32 = uint32_t __attribute__((vector_size(64)));
using LanesU16 = uint16_t __attribute__((vector_size(32)));

#define AMBIDEX_INLINE_FUNCTION [[gnu::always_inline]] inline

AMBIDEX_INLINE_FUNCTION void load(const float* from, Lanes& to) {
  std::memcpy(&to, from, sizeof(to));
}

AMBIDEX_INLINE_FUNCTION void store(const Lanes& from, float* to) {
  std::memcpy(to, &from, sizeof(from));
}

/// The lanes in one fixed order, so that a sum has the same bits in every version.
AMBIDEX_INLINE_FUNCTION float sum_of(const Lanes& lanes) {
  float values[kLanes];
  std::memcpy(values, &lanes, sizeof(values));
  for (int64_t width = kLanes / 2; width > 0; width /= 2) {
    for (int64_t i = 0; i < width; ++i) values[i] += values[i + width];
  }
  return values[0];
}

/// Stored elements of a table. The 16-bit types are named by what they hold.
struct Bf16 {
  uint16_t bits;
};
struct F16 {
  uint16_t bits;
};

AMBIDEX_INLINE_FUNCTION float float_of_bits(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

AMBIDEX_INLINE_FUNCTION uint32_t bits_of_float(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

AMBIDEX_INLINE_FUNCTION float to_float(float value) { return value; }
AMBIDEX_INLINE_FUNCTION float to_float(Bf16 value) {
  return float_of_bits(static_cast<uint32_t>(value.bits) << 16);
}

// Of f16, the exponent's bias differs by 112 from that of f32, and numbers below 2^-14 are
// multiples of 2^-24. No subnormal f32 is met on the way: Workers take those as 0.
inline constexpr uint32_t kF16Bias = 112u << 23;
inline constexpr uint32_t kF16Normal = 113u << 23;  // 2^-14 in f32

AMBIDEX_INLINE_FUNCTION float to_float(F16 value) {
  const uint32_t half = value.bits & 0x7fffu;
  const uint32_t sign = static_cast<uint32_t>(value.bits & 0x8000u) << 16;
  const uint32_t small = bits_of_float(static_cast<float>(static_cast<int32_t>(half)) * 0x1p-24f);
  const uint32_t normal = (half << 13) + kF16Bias;
  const uint32_t finite = half < 0x400u ? small : normal;
  const uint32_t other = half << 13 | 0x7f800000u;  // infinite, or not a number
  return float_of_bits(sign | (half >= 0x7c00u ? other : finite));
}

/// Rounds up with the probability that keeps the expectation; what is exact stays. Numbers beyond
/// the largest finite one become it.
AMBIDEX_INLINE_FUNCTION void round_to(float value, uint64_t random, Bf16& to) {
  const uint32_t bits = bits_of_float(value);
  const uint32_t magnitude = bits & 0x7fffffffu;
  const uint32_t rounded = (magnitude + (static_cast<uint32_t>(random) & 0xffffu)) >> 16;
  const uint32_t finite = rounded > 0x7f7fu ? 0x7f7fu : rounded;
  const uint32_t other = (magnitude >> 16) | (magnitude > 0x7f800000u ? 0x40u : 0u);
  to.bits =
      static_cast<uint16_t>((bits >> 16 & 0x8000u) | (magnitude >= 0x7f800000u ? other : finite));
}

AMBIDEX_INLINE_FUNCTION void round_to(float value, uint64_t random, F16& to) {
  const uint32_t bits = bits_of_float(value);
  const uint32_t magnitude = bits & 0x7fffffffu;
  // In 2^-13 of a unit: at 2^-14 the fixed point meets the bits of the floating point.
  const bool is_small = magnitude < kF16Normal;
  const float fixed = is_small ? float_of_bits(magnitude) * 0x1p37f + 0.5f : 0.0f;
  const uint32_t scaled =
      is_small ? static_cast<uint32_t>(static_cast<int32_t>(fixed)) : magnitude - kF16Bias;
  const uint32_t rounded = (scaled + (static_cast<uint32_t>(random) & 0x1fffu)) >> 13;
  const uint32_t finite = rounded > 0x7bffu ? 0x7bffu : rounded;
  const uint32_t other = magnitude > 0x7f800000u ? 0x7e00u : 0x7c00u;
  to.bits =
      static_cast<uint16_t>((bits >> 16 & 0x8000u) | (magnitude >= 0x7f800000u ? other : finite));
}

AMBIDEX_INLINE_FUNCTION void load(const Bf16* from, Lanes& to) {
  LanesU16 bits;
  std::memcpy(&bits, from, sizeof(bits));
  const LanesU32 wide = __builtin_convertvector(bits, LanesU32) << 16;
  std::memcpy(&to, &wide, sizeof(to));
}

AMBIDEX_INLINE_FUNCTION void load(const F16* from, Lanes& to) {
  float values[kLanes];
  for (int64_t i = 0; i < kLanes; ++i) values[i] = to_float(from[i]);
  load(values, to);
}

/// Calls body(const Element*) with the element type of a table.
template <class Body>
void with_element(DType dtype, const Body& body) {
  switch (dtype) {
    case DType::bf16:
      return body(static_cast<const Bf16*>(nullptr));
    case DType::f16:
      return body(static_cast<const F16*>(nullptr));
    default:
      return body(static_cast<const float*>(nullptr));
  }
}

inline void prefetch(const void* address, int64_t bytes) {
  const char* line = static_cast<const char*>(address);
  for (int64_t i = 0; i < bytes; i += 64) __builtin_prefetch(line + i);
}

}  // namespace ambidex
