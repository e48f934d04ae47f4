// SPDX-License-Identifier: Apache-2.0
#include "port/outputs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace ambidex {
namespace {

OutputSeen seen(double expected, double error, double allowed) {
  return {.name = "y",
          .element = Element::f32,
          .error_class = ErrorClass::elementwise,
          .num_different = 1,
          .has_number = true,
          .worst = ElementError{.expected = expected, .error = error, .allowed = allowed}};
}

std::string bytes_of(std::vector<float> values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)};
}

TEST(Outputs, errors_are_told_in_spacings_of_the_type) {
  for (const float value : {1.0f, 1.75f, 2.0f, -3.1e30f, 6.1e-38f}) {
    const double ulp = std::nextafter(std::fabs(value), std::numeric_limits<float>::infinity()) -
                       static_cast<double>(std::fabs(value));
    const nlohmann::json row = to_json({seen(value, 3 * ulp, 8 * ulp)}).at(0);
    EXPECT_DOUBLE_EQ(row.at("worst").at("error_ulp").get<double>(), 3) << value;
    EXPECT_THAT(text_of(*seen(value, 3 * ulp, 8 * ulp).worst, Element::f32),
                testing::HasSubstr("(3 of 8 ulp)"));
  }
  EXPECT_FALSE(to_json({seen(0, 1e-9, 1e-8)}).at(0).at("worst").contains("error_ulp"));
}

TEST(Outputs, the_worst_is_the_largest_part_of_what_is_allowed) {
  std::vector<OutputSeen> outputs;
  for (const auto& one : {seen(1, 1e-7, 4e-7), seen(1000, 1e-4, 9e-4), seen(1, 3e-7, 4e-7)}) {
    add_output(outputs, one);
  }
  ASSERT_EQ(outputs.size(), 1);
  EXPECT_EQ(outputs[0].num_different, 3);
  EXPECT_EQ(outputs[0].worst->error, 3e-7);
}

TEST(Outputs, only_numbers_that_are_new_count) {
  const float infinity = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const auto is_new = [](const std::vector<float>& before, const std::vector<float>& after) {
    return has_new_number(Element::f32, bytes_of(before), bytes_of(after));
  };
  EXPECT_TRUE(is_new({1, 2}, {1, 3}));
  EXPECT_FALSE(is_new({1, 2}, {1, infinity}));
  EXPECT_FALSE(is_new({1, 2}, {nan, -infinity}));
}

TEST(Outputs, an_output_of_integers_says_nothing_of_floats) {
  OutputSeen floats = seen(1, 0.5, 1);
  floats.has_number = false;
  const OutputSeen integers{.name = "count", .element = Element::i32, .worst = {}};
  EXPECT_TRUE(has_no_number(std::vector{floats, integers}));
  EXPECT_FALSE(has_no_number(std::vector{integers}));
  EXPECT_FALSE(has_no_number(std::vector{floats, seen(1, 0.5, 1)}));
}

}  // namespace
}  // namespace ambidex
