// SPDX-License-Identifier: Apache-2.0
// PTX and its port. The programs of tests/ptx compare what PTX computed with plain C++ on the host:
// the originals in the executor, and their ports on waves of 64 and of 32 lanes, in lockstep.
#include <filesystem>

#include "ported.h"
#include "runner_support.h"

namespace ambidex {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

std::string folder() { return std::string(AMBIDEX_SOURCE_DIR) + "/tests/ptx/"; }

// `check.h` beside the program, in either language.
TestProgram original_of(const std::string& name) {
  return TestProgram({{"program.cu", read_file(folder() + name + ".cu", 1 << 20)},
                      {"check.h", read_file(folder() + "check.h", 1 << 20)}});
}

void expect_nothing_wrong(const nlohmann::json& answer) {
  EXPECT_EQ(answer["status"], "ended") << answer.dump(1).substr(0, 4000);
  const std::string text = answer.value("stdout", "");
  EXPECT_EQ(answer["exit_code"], 0) << text;
  EXPECT_THAT(text, HasSubstr("0 of ")) << text;
  EXPECT_EQ(answer["problems"].size(), 0u) << problems_of(answer).substr(0, 4000);
}

void expect_right_and_ported(const std::string& name) {
  TestProgram original = original_of(name);
  expect_nothing_wrong(original.run());
  const ScratchFolder scratch;
  std::filesystem::create_directory(scratch.path("source"));
  write_file(scratch.path("source/program.cu"), read_file(folder() + name + ".cu", 1 << 20));
  write_file(scratch.path("source/check.h"), read_file(folder() + "check.h", 1 << 20));
  const TranslatedTree tree = translate_tree(scratch.path("source"), {});
  for (const auto& file : tree.files) {
    for (const TranslateRefusal& refusal : file.refusals) {
      ADD_FAILURE() << refusal.line << ": " << refusal.hazard << " " << refusal.reason;
    }
    EXPECT_THAT(file.new_text, Not(HasSubstr("asm")));
  }
  write_tree(tree, scratch.path("port"));
  ModuleSources asked;
  asked.dialect = "hip";
  asked.folder = scratch.path("cache");
  asked.files = {scratch.path("port/program.hip")};
  const Module module = build_module(asked);
  for (const CompilerMessage& message : module.messages) {
    EXPECT_NE(message.severity, "error")
        << message.file << ":" << message.line << ": " << message.message;
  }
  ASSERT_TRUE(module.ok);
  for (const int wave_width : {64, 32}) {
    expect_nothing_wrong(run_module({{"module", module.path},
                                     {"folder", scratch.path("contents")},
                                     {"wave_width", wave_width},
                                     {"convergence", "lockstep"}},
                                    30.0));
  }
}

TEST(PtxPort, integers_are_those_of_plain_code) { expect_right_and_ported("integers"); }

TEST(PtxPort, floats_are_those_of_plain_code) { expect_right_and_ported("floats"); }

TEST(PtxPort, memory_and_atomics_are_those_of_plain_code) { expect_right_and_ported("memory"); }

TEST(PtxPort, warps_and_barriers_are_those_of_plain_code) { expect_right_and_ported("warps"); }

}  // namespace
}  // namespace ambidex
