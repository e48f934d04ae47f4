// SPDX-License-Identifier: Apache-2.0
#include "port/build_flags.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

namespace ambidex {
namespace {

using testing::HasSubstr;

TEST(BuildFlags, build_files_are_known_by_name) {
  for (const char* path : {"CMakeLists.txt", "a/b/CMakeLists.txt", "Makefile", "x/rules.mk",
                           "cmake/cuda.cmake", "setup.py", "BUILD.bazel"}) {
    EXPECT_TRUE(is_build_file(path)) << path;
  }
  for (const char* path : {"a.cu", "Makefile.cu", "setup.pyc", "cmake", "README.md"}) {
    EXPECT_FALSE(is_build_file(path)) << path;
  }
}

// A line of a probe says in a comment what is expected of it: `# expect: N12 S0`.
TEST(BuildFlags, the_probes_of_n12_are_found_line_by_line) {
  for (const char* name : {"CMakeLists.txt", "Makefile", "setup.py"}) {
    const std::string path = std::string(AMBIDEX_SOURCE_DIR "/tests/hazards/N12/") + name;
    std::ifstream file(path);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    std::vector<std::string> expected;
    int64_t number = 1;
    for (size_t at = 0; at < text.size(); ++number) {
      const size_t end = std::min(text.find('\n', at), text.size());
      const std::string line = text.substr(at, end - at);
      const size_t mark = line.find("expect: N12 ");
      if (mark != std::string::npos) {
        expected.push_back(std::to_string(number) + " " + line.substr(mark + 12, 2));
      }
      at = end + 1;
    }
    std::vector<std::string> found;
    for (const Finding& finding : scan_build_file(path, text)) {
      EXPECT_EQ(finding.id, "N12");
      found.push_back(std::to_string(finding.line) + " " + std::string(name_of(finding.severity)));
    }
    EXPECT_EQ(found, expected) << path;
    EXPECT_GE(expected.size(), 2u) << path;
  }
}

TEST(BuildFlags, a_finding_has_its_place_and_what_to_do) {
  const std::vector<Finding> found =
      scan_build_file("Makefile", "all:\n\tnvcc --use_fast_math a.cu");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].line, 2);
  EXPECT_EQ(found[0].column, 9);
  EXPECT_EQ(found[0].evidence, "nvcc --use_fast_math a.cu");
  EXPECT_THAT(found[0].message, HasSubstr("-fgpu-flush-denormals-to-zero"));
}

TEST(BuildFlags, parts_of_other_words_and_comments_are_not_flags) {
  EXPECT_TRUE(scan_build_file("Makefile", "# -use_fast_math\nX = use_fast_math\n").empty());
  EXPECT_TRUE(scan_build_file("Makefile", "X = -Ofaster -fmad=falsehood\n").empty());
  EXPECT_EQ(scan_build_file("setup.py", "f = ['#', '-use_fast_math']  # --use_fast_math").size(),
            1u);
}

}  // namespace
}  // namespace ambidex
