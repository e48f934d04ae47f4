// SPDX-License-Identifier: Apache-2.0
#include "port/formula.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "caught.h"

namespace ambidex {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Formula, has_the_values_of_c) {
  const Variables variables{{"n", 1000}, {"rows", 7}, {"zero", 0}};
  EXPECT_EQ(formula_value("(n + 255) / 256", variables), (1000 + 255) / 256);
  EXPECT_EQ(formula_value("n - rows - 3", variables), 1000 - 7 - 3);
  EXPECT_EQ(formula_value("n / rows * rows + n % rows", variables), 1000);
  EXPECT_EQ(formula_value("1 << 3 + 1", variables), 1 << (3 + 1));
  EXPECT_EQ(formula_value("-7 / 2", variables), -7 / 2);
  EXPECT_EQ(formula_value("n < rows || n >= 1000 && rows != 7", variables), 0);
  EXPECT_EQ(formula_value("min(n, max(rows, 64)) * 4", variables), 256);
  EXPECT_EQ(formula_value("n > 512 ? 512 : n", variables), 512);
  EXPECT_EQ(formula_value("zero == 0 ? 1 : n / zero", variables), 1);
}

TEST(Formula, says_which_names_it_uses) {
  EXPECT_THAT(formula_names("(n + block - 1) / block * rows_2"),
              ElementsAre("n", "block", "rows_2"));
}

TEST(Formula, what_has_no_value_is_refused_with_its_place) {
  const Variables variables{{"n", 1000}, {"zero", 0}};
  const auto refused = [&](std::string_view text) {
    return caught([&] { formula_value(text, variables); }).message;
  };
  EXPECT_THAT(refused("n +"), HasSubstr("it ends too early at character 4"));
  EXPECT_THAT(refused("n / zero"), HasSubstr("division by zero"));
  EXPECT_THAT(refused("m"), HasSubstr("nothing is called \"m\""));
  EXPECT_THAT(refused("12ab"), HasSubstr("not an integer"));
  EXPECT_THAT(refused("n n"), HasSubstr("expected an operator or the end"));
  EXPECT_THAT(refused("min(n)"), HasSubstr("expected \",\""));
  EXPECT_THAT(refused("9223372036854775807 * n"), HasSubstr("does not fit into 64 bits"));
  EXPECT_THAT(refused("1 << n"), HasSubstr("does not fit into 64 bits"));
  EXPECT_THAT(refused(std::string(1000, '(')), HasSubstr("nested too deeply"));
  EXPECT_THAT(refused(std::string(100000, '-') + "1"), HasSubstr("nested too deeply"));
  EXPECT_THAT(refused("$"), HasSubstr("expected a number, a name or ("));
}

}  // namespace
}  // namespace ambidex
