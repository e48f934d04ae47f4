// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>

#include "ambidex/port.h"
#include "caught.h"
#include "port/hazard_page.h"

namespace ambidex {
namespace {

using testing::HasSubstr;

struct Group {
  char letter;
  int size;
};
constexpr Group kGroups[] = {{'W', 18}, {'S', 10}, {'R', 13}, {'N', 24}};

TEST(Hazards, the_catalogue_has_each_id_in_order) {
  std::vector<std::string> expected;
  for (const Group& group : kGroups) {
    for (int i = 1; i <= group.size; ++i) {
      expected.push_back(fmt::format("{}{:02}", group.letter, i));
    }
  }
  std::vector<std::string> ids;
  for (const Hazard& row : hazards()) ids.push_back(row.id);
  EXPECT_EQ(ids, expected);
  EXPECT_EQ(ids.size(), 65u);
}

TEST(Hazards, every_file_of_the_folder_is_compiled_in) {
  size_t num_files = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(AMBIDEX_SOURCE_DIR "/data/hazards")) {
    EXPECT_EQ(hazard(entry.path().stem().string()).id, entry.path().stem().string());
    ++num_files;
  }
  EXPECT_EQ(num_files, hazards().size());
}

TEST(Hazards, every_page_has_its_sections_code_and_sources) {
  for (const Hazard& row : hazards()) {
    for (const char* section :
         {"## What goes wrong\n", "\n## Wrong\n", "\n## Right\n", "\n## What ambidex port does\n",
          "\n## By hand\n", "\n## Sources\n"}) {
      EXPECT_THAT(row.page, HasSubstr(section)) << row.id;
    }
    EXPECT_THAT(row.page.substr(row.page.find("## Sources")), HasSubstr("https://")) << row.id;
    std::istringstream lines(row.page);
    int num_lines = 0;
    int num_fences = 0;
    for (std::string line; std::getline(lines, line); ++num_lines) {
      if (line.starts_with("```")) ++num_fences;
      const bool fits = line.size() <= 106 || line.find("https://") != std::string::npos;
      EXPECT_TRUE(fits) << row.id << ": " << line;
    }
    EXPECT_GE(num_lines, 25) << row.id;
    EXPECT_LE(num_lines, 50) << row.id;
    EXPECT_GE(num_fences, 4) << row.id;
    EXPECT_EQ(num_fences % 2, 0) << row.id;
  }
}

TEST(Hazards, ids_are_found_in_any_case_and_unknown_ones_name_their_neighbours) {
  EXPECT_EQ(hazard("w03").id, "W03");
  const Caught error = caught([] { hazard("W19"); });
  EXPECT_EQ(error.kind, ErrorKind::not_found);
  EXPECT_THAT(error.message, HasSubstr("no hazard \"W19\"; nearest: W09, W1"));
}

constexpr std::string_view kPage = "---\nid: W99\ntitle: T\nseverity: S1\nfix: agent\n---\nbody\n";

std::string replaced(std::string_view from, std::string_view to) {
  std::string text(kPage);
  return text.replace(text.find(from), from.size(), to);
}

TEST(Hazards, front_matter_is_read) {
  const Hazard row = parse_hazard(kPage, "data/hazards/W99.md");
  EXPECT_EQ(row.title, "T");
  EXPECT_EQ(row.severity, Severity::s1);
  EXPECT_EQ(row.fix, FixKind::agent);
  EXPECT_EQ(row.page, "body\n");
}

TEST(Hazards, what_the_executor_cannot_see_is_marked) {
  EXPECT_FALSE(parse_hazard(kPage, "W99.md").is_unseen);
  const std::string unseen = replaced("fix: agent", "fix: agent\nunseen_by_executor: true");
  EXPECT_TRUE(parse_hazard(unseen, "W99.md").is_unseen);
  EXPECT_TRUE(hazard("S08").is_unseen);  // caches, which the executor has none of
  EXPECT_FALSE(hazard("W01").is_unseen);
}

TEST(Hazards, a_broken_page_is_refused_with_its_place) {
  const auto message = [](const std::string& text) {
    return caught([&] { parse_hazard(text, "x/W99.md"); }).message;
  };
  EXPECT_EQ(message("no"), "x/W99.md: expected front matter between two lines of ---");
  EXPECT_EQ(message(replaced("body\n", "")), "x/W99.md: expected a page after the front matter");
  EXPECT_EQ(message(replaced("W99", "W98")), "x/W99.md: its id is \"W98\"; name the file W98.md");
  EXPECT_THAT(message(replaced("S1", "S9")), HasSubstr("x/W99.md: no severity \"S9\""));
  EXPECT_THAT(message(replaced("agent", "magic")), HasSubstr("x/W99.md: no fix \"magic\""));
  EXPECT_THAT(message(replaced("title", "titel")), HasSubstr("title"));
}

}  // namespace
}  // namespace ambidex
