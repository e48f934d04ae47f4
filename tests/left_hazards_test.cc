// SPDX-License-Identifier: Apache-2.0
#include "port/left_hazards.h"

#include <gmock/gmock.h>

#include "port/report_tables.h"

namespace ambidex {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Finding found(const std::string& id, int64_t line, Severity severity = Severity::s0) {
  return {.id = id,
          .severity = severity,
          .file = "/p/original/a.cu",
          .line = line,
          .column = 1,
          .message = "m",
          .fix = FixKind::rule,
          .evidence = "e"};
}

PortRun run_with(const std::vector<Finding>& findings) {
  PortRun run;
  run.scan.findings = findings;
  TranslatedFile file;
  file.path = "/p/original/a.cu";
  file.name = file.new_name = "a.cu";
  file.edits.push_back({.line = 5, .replacement = "x", .rule = "memory.flag", .hazard = "S08"});
  file.edits.push_back({.line = 7, .replacement = "x", .rule = "other", .hazard = "W01"});
  file.refusals.push_back({.line = 6, .hazard = "S08", .reason = "r"});
  run.tree.files.push_back(file);
  return run;
}

TEST(LeftHazards, only_what_no_rule_has_answered_and_no_run_shows_is_left) {
  const PortRun run = run_with({found("S08", 5), found("S08", 6), found("S08", 7), found("W01", 9),
                                found("S09", 9, Severity::s3), found("S08", 8)});
  std::vector<int64_t> lines;
  for (const Finding& left : left_hazards(run.scan, run.tree)) lines.push_back(left.line);
  EXPECT_THAT(lines, ElementsAre(7, 8));
  EXPECT_EQ(left_text(run),
            "left in the port: S08 at /p/original/a.cu:7, not visible to the executor\n"
            "left in the port: S08 at /p/original/a.cu:8, not visible to the executor\n");
  EXPECT_THAT(hazard_section(run), HasSubstr("- S08 at /p/original/a.cu:7 (S0): m\n"));
}

TEST(LeftHazards, nothing_is_said_where_all_is_answered) {
  const PortRun run = run_with({found("S08", 5), found("W01", 9)});
  EXPECT_EQ(left_text(run), "");
  EXPECT_THAT(hazard_section(run), testing::Not(HasSubstr("Left in the port")));
}

}  // namespace
}  // namespace ambidex
