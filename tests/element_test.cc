// SPDX-License-Identifier: Apache-2.0
#include "port/element.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>

#include "base/random.h"
#include "caught.h"

namespace ambidex {
namespace {

double through(Element element, double value) {
  std::array<std::byte, 8> stored{};
  encode(element, value, stored.data());
  return decode(element, stored.data());
}

double decoded_byte(Element element, int bits) {
  const auto byte = static_cast<std::byte>(bits);
  return decode(element, &byte);
}

// Values of the OCP 8-bit floating point specification 1.0, tables 1 and 2, and of the FNUZ
// formats as LLVM documents them.
TEST(Element, fp8_has_the_published_values) {
  EXPECT_EQ(decoded_byte(Element::fp8_e4m3, 0x7e), 448.0);
  EXPECT_EQ(decoded_byte(Element::fp8_e4m3, 0x08), 0x1p-6);
  EXPECT_EQ(decoded_byte(Element::fp8_e4m3, 0x01), 0x1p-9);
  EXPECT_TRUE(std::isnan(decoded_byte(Element::fp8_e4m3, 0x7f)));
  EXPECT_EQ(decoded_byte(Element::fp8_e5m2, 0x7b), 57344.0);
  EXPECT_EQ(decoded_byte(Element::fp8_e5m2, 0xfc), -HUGE_VAL);
  EXPECT_EQ(decoded_byte(Element::fp8_e5m2, 0x01), 0x1p-16);
  EXPECT_EQ(decoded_byte(Element::fp8_e4m3_fnuz, 0x7f), 240.0);
  EXPECT_EQ(decoded_byte(Element::fp8_e4m3_fnuz, 0x01), 0x1p-10);
  EXPECT_TRUE(std::isnan(decoded_byte(Element::fp8_e4m3_fnuz, 0x80)));
  EXPECT_EQ(decoded_byte(Element::fp8_e5m2_fnuz, 0x7f), 57344.0);
  EXPECT_EQ(decoded_byte(Element::fp8_e5m2_fnuz, 0x01), 0x1p-17);
}

TEST(Element, every_pattern_of_a_small_float_comes_back) {
  for (const Element element :
       {Element::fp8_e4m3, Element::fp8_e5m2, Element::fp8_e4m3_fnuz, Element::fp8_e5m2_fnuz}) {
    for (int bits = 0; bits < 256; ++bits) {
      const double value = decoded_byte(element, bits);
      if (std::isnan(value)) continue;
      std::byte stored{};
      encode(element, value, &stored);
      EXPECT_EQ(static_cast<int>(stored), bits) << name_of(element) << " " << value;
    }
  }
}

TEST(Element, nearest_of_all_values_is_stored) {
  for (const Element element :
       {Element::fp8_e4m3, Element::fp8_e5m2, Element::fp8_e4m3_fnuz, Element::fp8_e5m2_fnuz}) {
    for (uint64_t i = 0; i < 2000; ++i) {
      const double value = std::ldexp(random_unit(1, i) - 0.5, static_cast<int>(i % 20) - 10);
      const double stored = through(element, value);
      for (int bits = 0; bits < 256; ++bits) {
        const double other = decoded_byte(element, bits);
        if (std::isfinite(other)) {
          EXPECT_LE(std::fabs(stored - value), std::fabs(other - value)) << name_of(element);
        }
      }
    }
  }
}

TEST(Element, half_and_single_agree_with_the_compiler) {
  for (uint64_t i = 0; i < 20000; ++i) {
    const double value = std::ldexp(random_unit(2, i) - 0.5, static_cast<int>(i % 60) - 30);
    EXPECT_EQ(through(Element::f32, value), static_cast<double>(static_cast<float>(value)));
    if (std::fabs(value) < 65520.0) {
      // Rounded to the spacing of half at that magnitude.
      const int exponent = std::max(-14, std::ilogb(value));
      const double spacing = std::ldexp(1.0, exponent - 10);
      EXPECT_EQ(through(Element::f16, value), std::nearbyint(value / spacing) * spacing);
    }
  }
  EXPECT_EQ(through(Element::f16, 65520.0), HUGE_VAL);
  EXPECT_EQ(through(Element::bf16, 1.0 + 0x1p-8), 1.0);  // a tie goes to even
  EXPECT_EQ(through(Element::bf16, 1.0 + 0x1.8p-7), 1.0 + 0x1p-6);
  EXPECT_TRUE(std::signbit(through(Element::f16, -0.0)));
  EXPECT_FALSE(std::signbit(through(Element::fp8_e4m3_fnuz, -0.0)));
}

TEST(Element, a_format_without_infinity_stops_at_its_largest_number) {
  EXPECT_EQ(through(Element::fp8_e4m3, 1e9), 448.0);
  EXPECT_EQ(through(Element::fp8_e4m3_fnuz, -1e9), -240.0);
  EXPECT_EQ(through(Element::fp8_e5m2, 1e9), HUGE_VAL);
}

TEST(Element, integers_stop_at_their_limits) {
  EXPECT_EQ(through(Element::i8, 1000), 127);
  EXPECT_EQ(through(Element::u16, -3), 0);
  EXPECT_EQ(through(Element::i32, -2147483648.0), -2147483648.0);
  EXPECT_EQ(through(Element::i64, 1e30), static_cast<double>(INT64_MAX));
}

TEST(Element, an_unknown_name_has_neighbours) {
  EXPECT_EQ(element_from_name("bf16"), Element::bf16);
  EXPECT_THAT(caught([] { element_from_name("f31"); }).message, testing::HasSubstr("f32"));
}

}  // namespace
}  // namespace ambidex
