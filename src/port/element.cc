// SPDX-License-Identifier: Apache-2.0
#include "port/element.h"

#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>

#include "ambidex/base.h"

namespace ambidex {
namespace {

// A binary format: sign, exponent, fraction. `finite_only` formats have no infinity.
struct FloatFormat {
  int exponent_bits;
  int fraction_bits;
  int bias;
  double max;
  bool has_infinity;
  bool fnuz;  // no negative zero: its pattern is the one NaN
};

struct ElementInfo {
  std::string_view name;
  int64_t num_bytes;
  bool integer;
  FloatFormat format;  // exponent_bits 0: not a float
};

constexpr FloatFormat kNoFloat{};
constexpr std::array<ElementInfo, kNumElements> kElements{{
    {"i8", 1, true, kNoFloat},
    {"u8", 1, true, kNoFloat},
    {"i16", 2, true, kNoFloat},
    {"u16", 2, true, kNoFloat},
    {"i32", 4, true, kNoFloat},
    {"u32", 4, true, kNoFloat},
    {"i64", 8, true, kNoFloat},
    {"u64", 8, true, kNoFloat},
    {"f16", 2, false, {5, 10, 15, 65504.0, true, false}},
    {"bf16", 2, false, {8, 7, 127, 0x1.fep127, true, false}},
    {"f32", 4, false, {8, 23, 127, std::numeric_limits<float>::max(), true, false}},
    {"f64", 8, false, {11, 52, 1023, std::numeric_limits<double>::max(), true, false}},
    {"fp8_e4m3", 1, false, {4, 3, 7, 448.0, false, false}},
    {"fp8_e5m2", 1, false, {5, 2, 15, 57344.0, true, false}},
    {"fp8_e4m3_fnuz", 1, false, {4, 3, 8, 240.0, false, true}},
    {"fp8_e5m2_fnuz", 1, false, {5, 2, 16, 57344.0, false, true}},
    {"bytes", 1, false, kNoFloat},
}};

const ElementInfo& info(Element element) { return kElements[static_cast<size_t>(element)]; }

uint64_t load_bits(const std::byte* at, int64_t num_bytes) {
  uint64_t bits = 0;
  std::memcpy(&bits, at, static_cast<size_t>(num_bytes));
  return bits;
}

double decode_float(const FloatFormat& format, uint64_t bits) {
  const int width = 1 + format.exponent_bits + format.fraction_bits;
  const uint64_t fraction = bits & ((uint64_t{1} << format.fraction_bits) - 1);
  const int top = (1 << format.exponent_bits) - 1;
  const int exponent = static_cast<int>(bits >> format.fraction_bits) & top;
  const bool negative = (bits >> (width - 1) & 1) != 0;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  if (format.fnuz && negative && exponent == 0 && fraction == 0) return nan;
  if (format.has_infinity && exponent == top) {
    if (fraction != 0) return nan;
    return negative ? -HUGE_VAL : HUGE_VAL;
  }
  const bool all_ones = exponent == top && fraction + 1 == uint64_t{1} << format.fraction_bits;
  if (!format.has_infinity && !format.fnuz && all_ones) return nan;
  const double significand =
      static_cast<double>(fraction) + (exponent == 0 ? 0.0 : std::ldexp(1.0, format.fraction_bits));
  const int power = (exponent == 0 ? 1 : exponent) - format.bias - format.fraction_bits;
  const double magnitude = std::ldexp(significand, power);
  return negative ? -magnitude : magnitude;
}

uint64_t nan_bits(const FloatFormat& format) {
  if (format.fnuz) return uint64_t{1} << (format.exponent_bits + format.fraction_bits);
  return (uint64_t{1} << (format.exponent_bits + format.fraction_bits)) - 1;
}

// `magnitude` is finite or infinite, not negative.
uint64_t encode_magnitude(const FloatFormat& format, double magnitude) {
  const uint64_t infinity = ((uint64_t{1} << format.exponent_bits) - 1) << format.fraction_bits;
  const int lowest = 1 - format.bias;
  int exponent = lowest;
  if (magnitude > 0 && std::isfinite(magnitude)) exponent = std::max(lowest, std::ilogb(magnitude));
  const double scaled =
      std::isinf(magnitude)
          ? magnitude
          : std::nearbyint(std::ldexp(magnitude, format.fraction_bits - exponent));
  const double rounded =
      std::isinf(scaled) ? scaled : std::ldexp(scaled, exponent - format.fraction_bits);
  if (rounded > format.max) {
    if (format.has_infinity) return infinity;
    return encode_magnitude(format, format.max);
  }
  // A subnormal has no hidden bit; a carry out of the fraction moves into the exponent by itself.
  const uint64_t significand = static_cast<uint64_t>(scaled);
  const uint64_t hidden = uint64_t{1} << format.fraction_bits;
  if (significand < hidden) return significand;
  return (static_cast<uint64_t>(exponent + format.bias) << format.fraction_bits) +
         (significand - hidden);
}

uint64_t encode_float(const FloatFormat& format, double value) {
  if (std::isnan(value)) return nan_bits(format);
  const uint64_t magnitude = encode_magnitude(format, std::fabs(value));
  const bool negative = std::signbit(value) && !(format.fnuz && magnitude == 0);
  return magnitude |
         (static_cast<uint64_t>(negative) << (format.exponent_bits + format.fraction_bits));
}

template <class T>
void store(double value, std::byte* at) {
  constexpr double kLow = static_cast<double>(std::numeric_limits<T>::lowest());
  constexpr double kHigh = static_cast<double>(std::numeric_limits<T>::max());
  T stored = 0;
  if (value >= kHigh) {
    stored = std::numeric_limits<T>::max();
  } else if (value <= kLow) {
    stored = std::numeric_limits<T>::lowest();
  } else if (!std::isnan(value)) {
    stored = static_cast<T>(std::nearbyint(value));
  }
  std::memcpy(at, &stored, sizeof stored);
}

template <class T>
double load(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return static_cast<double>(value);
}

}  // namespace

std::string_view name_of(Element element) { return info(element).name; }

Element element_from_name(std::string_view name) {
  std::vector<std::string> known;
  for (int i = 0; i < kNumElements; ++i) {
    if (kElements[static_cast<size_t>(i)].name == name) return static_cast<Element>(i);
    known.emplace_back(kElements[static_cast<size_t>(i)].name);
  }
  throw Error(ErrorKind::bad_input, unknown_name("element type", name, known));
}

int64_t element_bytes(Element element) { return info(element).num_bytes; }
bool is_float(Element element) { return info(element).format.exponent_bits != 0; }
bool is_integer(Element element) { return info(element).integer; }
double element_epsilon(Element element) {
  return std::ldexp(1.0, -info(element).format.fraction_bits);
}
double element_max(Element element) { return info(element).format.max; }

double decode(Element element, const std::byte* at) {
  switch (element) {
    case Element::i8:
      return load<int8_t>(at);
    case Element::u8:
      return load<uint8_t>(at);
    case Element::i16:
      return load<int16_t>(at);
    case Element::u16:
      return load<uint16_t>(at);
    case Element::i32:
      return load<int32_t>(at);
    case Element::u32:
      return load<uint32_t>(at);
    case Element::i64:
      return load<int64_t>(at);
    case Element::u64:
      return load<uint64_t>(at);
    case Element::f32:
      return load<float>(at);
    case Element::f64:
      return load<double>(at);
    case Element::bytes:
      return load<uint8_t>(at);
    default:
      return decode_float(info(element).format, load_bits(at, element_bytes(element)));
  }
}

void encode(Element element, double value, std::byte* at) {
  switch (element) {
    case Element::i8:
      return store<int8_t>(value, at);
    case Element::u8:
      return store<uint8_t>(value, at);
    case Element::i16:
      return store<int16_t>(value, at);
    case Element::u16:
      return store<uint16_t>(value, at);
    case Element::i32:
      return store<int32_t>(value, at);
    case Element::u32:
      return store<uint32_t>(value, at);
    case Element::i64:
      return store<int64_t>(value, at);
    case Element::u64:
      return store<uint64_t>(value, at);
    case Element::bytes:
      return store<uint8_t>(value, at);
    case Element::f64:
      std::memcpy(at, &value, sizeof value);
      return;
    default:
      break;
  }
  const uint64_t bits = encode_float(info(element).format, value);
  std::memcpy(at, &bits, static_cast<size_t>(element_bytes(element)));
}

std::string encoded(Element element, double value) {
  std::string bytes(static_cast<size_t>(element_bytes(element)), '\0');
  encode(element, value, reinterpret_cast<std::byte*>(bytes.data()));
  return bytes;
}

}  // namespace ambidex
