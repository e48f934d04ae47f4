// SPDX-License-Identifier: Apache-2.0
// Our CUDA headers: the programs of tests/cuda, compiled to modules and run in the executor. Each
// judges itself by plain loops and known answers, and is valid CUDA for nvcc.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "port/process.h"
#include "scratch.h"

namespace ambidex {
namespace {

using nlohmann::json;

json answer_of(const std::vector<std::string>& words, const json& request) {
  const ProcessResult result = run_process(words, request.dump(), 120.0);
  EXPECT_EQ(result.exit_code, 0) << result.err << result.out;
  return json::parse(result.out, nullptr, false);
}

// What the program printed, and the problems that the checkers found, empty if it is well.
json run_program(const std::string& source, const std::vector<std::string>& arguments = {}) {
  const ScratchFolder folder;
  const std::string module = folder.path() + "/module.so";
  std::vector<std::string> words{"-std=c++17", "-include", "cuda_runtime.h"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  const json compiled =
      answer_of({AMBIDEX_BINARY_DIR "/ambidex-clang", "module"}, {{"files", {source}},
                                                                  {"dialect", "cuda"},
                                                                  {"arguments", words},
                                                                  {"checked", true},
                                                                  {"output", module}});
  if (!compiled.value("ok", false)) return compiled;
  return answer_of({AMBIDEX_BINARY_DIR "/ambidex-simt"},
                   {{"module", module},
                    {"mode", "program"},
                    {"program", {{"arguments", json::array()}}},
                    {"options", {{"wave_width", 32}, {"checked", true}}},
                    {"limits", {{"trusted", true}, {"sandbox", false}, {"max_seconds", 60}}}});
}

class Programs : public testing::TestWithParam<const char*> {};

TEST_P(Programs, find_no_difference_and_no_problem) {
  const json answer =
      run_program(std::string(AMBIDEX_SOURCE_DIR "/tests/cuda/") + GetParam() + ".cu");
  EXPECT_EQ(answer.value("exit_code", -1), 0) << answer.dump(1).substr(0, 2000);
  EXPECT_EQ(answer.value("stdout", ""), "0 differences\n");
  EXPECT_EQ(answer.value("problems", json{}), json::array());
}

INSTANTIATE_TEST_SUITE_P(All, Programs,
                         testing::Values("capture", "cub", "groups", "half", "integer", "objects",
                                         "random", "rounding", "thrust", "warp", "wmma"),
                         [](const auto& one) { return std::string(one.param); });

}  // namespace
}  // namespace ambidex
