// SPDX-License-Identifier: Apache-2.0
// What REPORT.md says of the way on.
#include "port/report_next.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

namespace ambidex {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

PortRun run_of(const std::string& build_file) {
  PortRun run;
  run.compiled.resize(1);
  run.compiled[0].file = "/port/hip/src/a.hip";
  run.programs.resize(1);
  run.kernels = {
      {.program = "a", .kernel = "add_locked", .verdict = PortVerdict::refused, .reason = {}},
      {.program = "a", .kernel = "never", .verdict = PortVerdict::partial, .reason = {}},
      {.program = "a", .kernel = "right", .verdict = PortVerdict::pass, .reason = {}}};
  run.tree.files.resize(1);
  run.tree.files[0].name = run.tree.files[0].new_name = build_file;
  run.tree.files[0].refusals = {
      {.line = 7, .hazard = "N21", .rule = "build.refuse", .reason = "why"}};
  return run;
}

const PortRunOptions kOptions{.path = "a.cu", .folder = "/port", .arguments = {"-DX=1"}};

TEST(ReportNext, gives_the_line_of_hipcc_where_no_build_file_is) {
  EXPECT_THAT(next_section(run_of("README"), kOptions),
              AllOf(HasSubstr("hipcc -std=c++17 -O2 --offload-arch=gfx942 --offload-arch=gfx950 "
                              "-Ihip -DX=1 hip/src/a.hip\n"),
                    HasSubstr("ROCm 7.0"), Not(HasSubstr("make -C"))));
}

TEST(ReportNext, builds_by_the_build_file_and_names_what_it_lacks) {
  EXPECT_THAT(next_section(run_of("Makefile"), kOptions),
              AllOf(HasSubstr("make -C hip\n"), HasSubstr("- Makefile:7: N21: why\n"),
                    Not(HasSubstr("hipcc -std"))));
  EXPECT_THAT(next_section(run_of("CMakeLists.txt"), kOptions), HasSubstr("cmake -S hip -B build"));
}

TEST(ReportNext, warns_of_kernels_that_did_not_pass) {
  const std::string text = next_section(run_of("README"), kOptions);
  EXPECT_THAT(text, HasSubstr("REFUSED: `add_locked`. "));
  EXPECT_THAT(text, HasSubstr("PARTIAL: `never`. "));
  EXPECT_THAT(text, AllOf(HasSubstr("port verify original COPY"), Not(HasSubstr("`right`"))));
}

TEST(ReportNext, says_what_every_file_is) {
  const std::string text = next_section(run_of("README"), kOptions);
  for (const char* name :
       {"original/", "hip/", "port.patch", "patches/", "edits.json", "hazards.sarif", "objects/",
        "verdict.json", "contracts/", "bundle.json", "work/"}) {
    EXPECT_THAT(text, HasSubstr(fmt::format("`{}`", name)));
  }
}

}  // namespace
}  // namespace ambidex
