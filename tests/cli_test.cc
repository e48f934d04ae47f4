// SPDX-License-Identifier: Apache-2.0
// Runs every case of tests/cli/*.test as a test of its own.
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "cli_script.h"

namespace ambidex {
namespace {

namespace fs = std::filesystem;

std::string read_file(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

// As it was printed, ready to be pasted into the test.
std::string joined(const Lines& lines) { return fmt::format("{}\n", fmt::join(lines, "\n")); }

struct Outcome {
  Lines out;
  Lines err;
  int exit_code;
};

// Runs a command as a person would: in a shell, in the folder of the sources, with `ambidex` on
// the path. `folder` takes what it prints, and is its $SCRATCH.
Outcome run_shell(const std::string& command, const fs::path& folder) {
  std::ofstream(folder / "script")
      << "PATH=" AMBIDEX_BINARY_DIR ":$PATH\nSCRATCH='" << folder.string() << "'\n"
      << command << "\n";
  const std::string line =
      fmt::format("cd '{}' && timeout 300 /bin/sh '{}/script' >'{}/out' 2>'{}/err' </dev/null",
                  AMBIDEX_SOURCE_DIR, folder.string(), folder.string(), folder.string());
  const int status = std::system(line.c_str());
  return {split_lines(read_file(folder / "out")), split_lines(read_file(folder / "err")),
          WIFEXITED(status) ? WEXITSTATUS(status) : -1};
}

class ScriptTest : public testing::Test {
 public:
  ScriptTest(fs::path file, ScriptCase one) : file_(std::move(file)), case_(std::move(one)) {}

  void TestBody() override {
    std::string name = (fs::temp_directory_path() / "ambidex_cli_XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    EXPECT_FALSE(case_.steps.empty()) << file_ << ": no command under: " << case_.what;
    for (const ScriptStep& step : case_.steps) run_step(step, name);
    fs::remove_all(name);
  }

 private:
  void run_step(const ScriptStep& step, const fs::path& folder) const {
    const Outcome got = run_shell(step.command, folder);
    const std::string where = fmt::format("{}:{}: {}", file_.string(), step.line, step.command);
    EXPECT_EQ(got.exit_code, step.exit_code) << where;
    EXPECT_TRUE(lines_match(step.out, got.out)) << where << "\nstdout was:\n" << joined(got.out);
    EXPECT_TRUE(lines_match(step.err, got.err)) << where << "\nstderr was:\n" << joined(got.err);
  }

  fs::path file_;
  ScriptCase case_;
};

std::string test_name(const std::string& what) {
  std::string name = what;
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return !std::isalnum(c); }, '_');
  return name;
}

// Stages of a port that ask ambidex-clang, which AMBIDEX_PORT=OFF does not build.
bool can_run(const fs::path& file) {
#ifdef AMBIDEX_HAS_PORT
  return !file.empty();
#else
  const std::string stem = file.stem().string();
  return !stem.starts_with("port_") || stem == "port_explain";
#endif
}

void register_scripts() {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(AMBIDEX_SOURCE_DIR "/tests/cli")) {
    if (entry.path().extension() == ".test" && can_run(entry.path())) {
      files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  for (const fs::path& file : files) {
    for (const ScriptCase& one : parse_script(read_file(file))) {
      testing::RegisterTest(file.stem().c_str(), test_name(one.what).c_str(), nullptr, nullptr,
                            file.c_str(), 1,
                            [=]() -> testing::Test* { return new ScriptTest(file, one); });
    }
  }
}

TEST(Script, dots_stand_for_any_text_and_any_lines) {
  EXPECT_TRUE(line_matches("a...c", "abbc"));
  EXPECT_TRUE(line_matches("...", ""));
  EXPECT_FALSE(line_matches("a...c", "abb"));
  EXPECT_FALSE(line_matches("abc", "abcd"));
  EXPECT_TRUE(lines_match({"a", "...", "z"}, {"a", "z"}));
  EXPECT_TRUE(lines_match({"a", "..."}, {"a", "b", "c"}));
  EXPECT_FALSE(lines_match({"a", "...", "z"}, {"a", "b"}));
  EXPECT_FALSE(lines_match({}, {"a"}));
  EXPECT_FALSE(lines_match({"a"}, {}));
}

TEST(Script, lines_go_where_their_first_letters_say) {
  const auto cases = parse_script("# what: x\n# why\n$ c\nout\n! not_found: e\n\n$ d\n? 7\n");
  ASSERT_EQ(cases.size(), 1u);
  ASSERT_EQ(cases[0].steps.size(), 2u);
  EXPECT_EQ(cases[0].steps[0].out, Lines{"out"});
  EXPECT_EQ(cases[0].steps[0].err, Lines{"not_found: e"});
  EXPECT_EQ(cases[0].steps[0].exit_code, 3);
  EXPECT_EQ(cases[0].steps[1].exit_code, 7);
  EXPECT_THROW(parse_script("stray\n"), std::runtime_error);
}

TEST(Script, a_command_is_judged_by_stdout_stderr_and_exit_code) {
  std::string name = (fs::temp_directory_path() / "ambidex_cli_XXXXXX").string();
  ASSERT_NE(mkdtemp(name.data()), nullptr);
  const Outcome got = run_shell("echo a; echo b >&2; exit 9", name);
  fs::remove_all(name);
  EXPECT_EQ(got.out, Lines{"a"});
  EXPECT_EQ(got.err, Lines{"b"});
  EXPECT_EQ(got.exit_code, 9);
}

}  // namespace
}  // namespace ambidex

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  ambidex::register_scripts();
  return RUN_ALL_TESTS();
}
