// SPDX-License-Identifier: Apache-2.0
// HIP's words and ambidex_port.h in the executor: programs of tests/hip that compare what kernels
// do with plain loops, on waves of 64 and of 32.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/files.h"
#include "port/frontend.h"
#include "port/modules.h"
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
                         ::testing::Values("capture", "waves", "logical_warps", "fragments",
                                           "numbers", "rounding", "collectives", "groups",
                                           "matrix_waves", "matrix_instructions"),
                         [](const auto& instance) { return std::string(instance.param); });

TEST(HipPrograms, a_matrix_instruction_that_some_lanes_miss_ends_the_launch) {
  const ScratchFolder folder;
  write_file(folder.path("lanes.hip"), R"(
#include <hip/hip_runtime.h>
typedef float F4 __attribute__((ext_vector_type(4)));
__global__ void k(F4* c) {
  if (threadIdx.x != 5) c[0] = __builtin_amdgcn_mfma_f32_16x16x4f32(1, 1, c[0], 0, 0, 0);
}
int main() {
  F4* c;
  (void)hipMalloc(&c, 16);
  (void)hipMemset(c, 0, 16);
  k<<<1, 64>>>(c);
  return 0;
}
)");
  const nlohmann::json built = ask_frontend("module", {{"files", {folder.path("lanes.hip")}},
                                                       {"dialect", "hip"},
                                                       {"checked", true},
                                                       {"output", folder.path("lanes.so")}});
  ASSERT_TRUE(built.at("ok").get<bool>()) << built.dump(1).substr(0, 3000);
  const nlohmann::json answer =
      run_module({{"module", folder.path("lanes.so")}, {"wave_width", 64}, {"trusted", true}}, 60);
  ASSERT_FALSE(answer.at("problems").empty());
  EXPECT_EQ(answer.at("problems")[0].at("kind").get<std::string>(), "trap");
  EXPECT_NE(answer.at("problems")[0].at("message").get<std::string>().find("needs all 64 lanes"),
            std::string::npos);
}

}  // namespace
}  // namespace ambidex
