// SPDX-License-Identifier: Apache-2.0
// Elements of a kernel's buffers as numbers: decoding and encoding of every type that kernels
// store, exact where the format is.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace ambidex {

enum class Element : uint8_t {
  i8,
  u8,
  i16,
  u16,
  i32,
  u32,
  i64,
  u64,
  f16,
  bf16,
  f32,
  f64,
  fp8_e4m3,
  fp8_e5m2,
  fp8_e4m3_fnuz,
  fp8_e5m2_fnuz,
  bytes,  // a struct or another type that is not looked into
};
inline constexpr int kNumElements = 17;

std::string_view name_of(Element element);
/// throws Error(bad_input) with the nearest names
Element element_from_name(std::string_view name);

int64_t element_bytes(Element element);
bool is_float(Element element);
bool is_integer(Element element);

/// Spacing of the type's numbers at 1, and the largest finite one; of float types.
double element_epsilon(Element element);
double element_max(Element element);

/// The element at `at` as a number; 64-bit integers beyond 2^53 are rounded.
double decode(Element element, const std::byte* at);
/// Writes the nearest element, ties to even; beyond the largest finite number float types give
/// infinity where they have one, else the largest; integers stop at their limits.
void encode(Element element, double value, std::byte* at);
/// Its bytes.
std::string encoded(Element element, double value);

}  // namespace ambidex
