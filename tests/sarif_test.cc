// SPDX-License-Identifier: Apache-2.0
#include "report/sarif.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace ambidex {
namespace {

using Json = nlohmann::json;

SarifLog example() {
  return {.tool = "tool",
          .version = "1.2.3",
          .rules = {{"A1", "first", "# A1\n", "error"}, {"B2", "second", "# B2\n", "note"}},
          .results = {{"B2", "note", "slow", "a dir/x#1.cu", 7, 3, "int x;"},
                      {"A1", "error", "wrong", "/root.cu", 0, 0, ""}}};
}

// The required properties of SARIF 2.1.0, sections 3.13, 3.14, 3.19, 3.27, 3.29 and 3.30.
TEST(Sarif, has_the_properties_that_the_standard_requires) {
  const Json log = Json::parse(sarif_of(example()));
  EXPECT_EQ(log.at("version"), "2.1.0");
  const Json& run = log.at("runs").at(0);
  const Json& driver = run.at("tool").at("driver");
  EXPECT_EQ(driver.at("name"), "tool");
  for (const Json& result : run.at("results")) {
    EXPECT_TRUE(result.at("message").at("text").is_string());
    const size_t rule = result.at("ruleIndex");
    EXPECT_EQ(driver.at("rules").at(rule).at("id"), result.at("ruleId"));
    EXPECT_EQ(result.at("locations").size(), 1u);
  }
  EXPECT_EQ(driver.at("rules").at(0).at("help").at("text"), "# A1\n");
  EXPECT_EQ(driver.at("rules").at(1).at("defaultConfiguration").at("level"), "note");
}

TEST(Sarif, places_are_uri_references_with_lines_from_one) {
  const Json log = Json::parse(sarif_of(example()));
  const Json& results = log.at("runs").at(0).at("results");
  const Json& first = results.at(0).at("locations").at(0).at("physicalLocation");
  EXPECT_EQ(first.at("artifactLocation").at("uri"), "a%20dir/x%231.cu");
  EXPECT_EQ(first.at("region").at("startLine"), 7);
  EXPECT_EQ(first.at("region").at("startColumn"), 3);
  EXPECT_EQ(first.at("region").at("snippet").at("text"), "int x;");
  const Json& second = results.at(1).at("locations").at(0).at("physicalLocation");
  EXPECT_EQ(second.at("artifactLocation").at("uri"), "file:///root.cu");
  EXPECT_FALSE(second.contains("region"));
}

TEST(Sarif, bytes_that_are_no_utf8_are_replaced) {
  SarifLog log = example();
  log.results[0].snippet = "\xff\xfe";
  EXPECT_TRUE(Json::parse(sarif_of(log)).is_object());  // it throws on bytes that are no UTF-8
}

}  // namespace
}  // namespace ambidex
