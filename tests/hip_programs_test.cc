// SPDX-License-Identifier: Apache-2.0
// HIP's words and ambidex_port.h in the executor: programs of tests/hip that compare what kernels
// do with plain loops, on waves of 64 and of 32.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "port/frontend.h"
#include "port/process.h"
#include "scratch.h"

namespace ambidex {
namespace {

std::string build(const std::string& name, const ScratchFolder& folder, bool checked) {
  const std::string module = folder.path("module.so");
  const nlohmann::json answer = ask_frontend(
      "module", {{"files", {std::string(AMBIDEX_SOURCE_DIR) + "/tests/hip/" + name + ".hip"}},
                 {"dialect", "hip"},
                 {"checked", checked},
                 {"output", module}});
  EXPECT_TRUE(answer.at("ok").get<bool>()) << answer.at("diagnostics").dump(1).substr(0, 3000);
  return module;
}

void run(const std::string& module, int width, bool checked) {
  const nlohmann::json request = {
      {"module", module},   {"mode", "program"},         {"wave_width", width},
      {"device", "mi300x"}, {"convergence", "lockstep"}, {"checked", checked},
      {"trusted", true}};
  const ProcessResult result =
      run_process({std::string(AMBIDEX_BINARY_DIR) + "/ambidex-simt"}, request.dump(), 60);
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto answer = nlohmann::json::parse(result.out);
  EXPECT_EQ(answer.at("status"), "ended");
  EXPECT_EQ(answer.value("exit_code", -1), 0) << "width " << width << "\n"
                                              << answer.at("stdout").get<std::string>();
  EXPECT_TRUE(answer.at("problems").empty()) << answer.at("problems").dump(1).substr(0, 2000);
}

class Programs : public ::testing::TestWithParam<const char*> {};

TEST_P(Programs, agree_with_plain_loops_on_both_widths) {
  const ScratchFolder folder;
  const std::string module = build(GetParam(), folder, true);
  for (const int width : {64, 32}) run(module, width, true);
}

INSTANTIATE_TEST_SUITE_P(Hip, Programs,
                         ::testing::Values("waves", "logical_warps", "fragments", "numbers",
                                           "rounding", "collectives", "groups", "matrix_waves",
                                           "matrix_instructions"),
                         [](const auto& instance) { return std::string(instance.param); });

}  // namespace
}  // namespace ambidex
