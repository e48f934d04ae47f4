// SPDX-License-Identifier: Apache-2.0
// The oracle of translate: a CUDA program on warps of 32 lanes and its port on waves of 64 and of
// 32 lanes print the same in the executor, whose checkers find nothing wrong in the port.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "base/files.h"
#include "port/frontend.h"
#include "port/process.h"
#include "port/translate.h"
#include "scratch.h"

namespace ambidex {
namespace {

using Json = nlohmann::json;

std::string module_of(const std::string& source, const char* dialect, const std::string& output) {
  const Json answer = ask_frontend("module", {{"files", {source}},
                                              {"dialect", dialect},
                                              {"arguments", Json::array()},
                                              {"checked", true},
                                              {"output", output}});
  EXPECT_TRUE(answer.at("ok").get<bool>()) << answer.at("diagnostics").dump(1);
  return output;
}

Json run_module(const std::string& module, int wave_width, bool lockstep, int seed,
                bool lockstep_volatile = false) {
  const Json request{
      {"module", module},         {"mode", "program"},
      {"wave_width", wave_width}, {"convergence", lockstep ? "lockstep" : "independent"},
      {"checked", true},          {"seed", seed},
      {"trusted", true},          {"lockstep_volatile", lockstep_volatile}};
  const ProcessResult result =
      run_process({AMBIDEX_BINARY_DIR "/ambidex-simt"}, request.dump(), 60);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  return Json::parse(result.out, nullptr, false);
}

TEST(TranslateRun, idioms_of_32_lanes_mean_the_same_on_64) {
  const ScratchFolder scratch;
  const std::string source = AMBIDEX_SOURCE_DIR "/tests/translate/idioms.cu";
  const TranslatedTree tree = translate_tree(source, {});
  ASSERT_TRUE(tree.files[0].refusals.empty());
  write_tree(tree, scratch.path() + "/port");
  const Json original =
      run_module(module_of(source, "cuda", scratch.path() + "/cuda.so"), 32, false, 0);
  const std::string port =
      module_of(scratch.path() + "/port/idioms.hip", "hip", scratch.path() + "/hip.so");
  const std::string expected = original.at("stdout");
  EXPECT_THAT(expected, ::testing::HasSubstr("early "));
  for (const int wave_width : {64, 32}) {
    for (const int seed : {0, 7}) {
      const Json ported = run_module(port, wave_width, true, seed);
      EXPECT_EQ(ported.at("stdout"), expected) << wave_width;
      EXPECT_TRUE(ported.at("problems").empty()) << ported.at("problems").dump(1);
    }
  }
}

// What a program of the corpus prints, on warps of 32 lanes as before Volta, and ported on waves of
// 64.
void expect_same(const std::string& name) {
  const ScratchFolder scratch;
  const std::string source = std::string(AMBIDEX_SOURCE_DIR "/tests/corpus/") + name + ".cu";
  const TranslatedTree tree = translate_tree(source, {});
  ASSERT_TRUE(tree.files[0].refusals.empty()) << tree.files[0].refusals[0].reason;
  write_tree(tree, scratch.path() + "/port");
  const Json original =
      run_module(module_of(source, "cuda", scratch.path() + "/cuda.so"), 32, true, 0, true);
  const Json ported = run_module(
      module_of(scratch.path() + "/port/" + name + ".hip", "hip", scratch.path() + "/hip.so"), 64,
      true, 3);
  EXPECT_NE(original.at("stdout"), "");
  EXPECT_EQ(ported.at("stdout"), original.at("stdout"));
  EXPECT_TRUE(ported.at("problems").empty()) << ported.at("problems").dump(1);
}

TEST(TranslateRun, fragments_of_tensor_cores_mean_the_same) { expect_same("gemm_wmma"); }

TEST(TranslateRun, random_numbers_are_the_same) { expect_same("curand_uniform_mean"); }

TEST(TranslateRun, a_warp_in_lockstep_adds_the_same) { expect_same("warp_tail_volatile"); }

TEST(TranslateRun, a_lock_held_inside_of_its_loop_is_no_deadlock) {
  expect_same("spin_lock_inside");
}

TEST(TranslateRun, lanes_that_are_together_count_themselves_alike) {
  expect_same("compact_coalesced");
}

TEST(TranslateRun, ptx_with_vectors_and_carries_means_the_same) { expect_same("ptx_big_numbers"); }

TEST(TranslateRun, calls_of_libraries_mean_the_same) { expect_same("library_calls"); }

// A program that judges itself by definitions: right as it is, and right ported.
void expect_right(const std::string& name) {
  const ScratchFolder scratch;
  const std::string source = std::string(AMBIDEX_SOURCE_DIR "/tests/translate/") + name + ".cu";
  const TranslatedTree tree = translate_tree(source, {});
  ASSERT_TRUE(tree.files[0].refusals.empty()) << tree.files[0].refusals[0].reason;
  write_tree(tree, scratch.path() + "/port");
  const Json original =
      run_module(module_of(source, "cuda", scratch.path() + "/cuda.so"), 32, false, 0);
  EXPECT_EQ(original.at("stdout"), "0 differences\n");
  const std::string port =
      module_of(scratch.path() + "/port/" + name + ".hip", "hip", scratch.path() + "/hip.so");
  for (const int wave_width : {64, 32}) {
    const Json ported = run_module(port, wave_width, true, 1);
    EXPECT_EQ(ported.at("stdout"), "0 differences\n") << wave_width;
    EXPECT_TRUE(ported.at("problems").empty()) << ported.at("problems").dump(1);
  }
}

TEST(TranslateRun, functions_that_hip_lacks_mean_the_same) { expect_right("functions"); }

TEST(TranslateRun, calls_of_the_runtime_mean_the_same) { expect_right("host_calls"); }

TEST(TranslateRun, a_variable_that_only_the_leader_sets_may_be_shuffled) {
  expect_same("claim_by_leader");
}

TEST(TranslateRun, structures_with_vectors_lie_in_constant_memory_alike) {
  expect_same("planes_constant");
}

TEST(TranslateRun, graphs_captured_and_made_node_by_node_run_alike) { expect_same("graph_heat"); }

TEST(TranslateRun, flags_of_blocks_become_releases_and_acquires) { expect_same("scan_chained"); }

TEST(TranslateRun, threads_that_return_together_from_a_loop_may) { expect_same("blur_pitched"); }

}  // namespace
}  // namespace ambidex
