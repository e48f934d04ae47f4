// SPDX-License-Identifier: Apache-2.0
// The text of makefiles, taken apart by the rules of GNU make.
#include "port/make_text.h"

#include <gmock/gmock.h>

namespace ambidex {
namespace {

using testing::Contains;
using testing::ElementsAre;

std::vector<std::vector<std::string>> lists_of(const std::string& text) {
  const MakeText read = read_make(text);
  EXPECT_FALSE(read.fault) << read.fault->what;
  std::vector<std::vector<std::string>> lists;
  for (const MakeLine& line : read.lines) {
    for (const MakeList& list : line.lists) {
      lists.emplace_back();
      for (const BuildWord& word : list.words) lists.back().push_back(word.text);
    }
  }
  return lists;
}

TEST(MakeText, a_line_goes_on_behind_a_backslash_and_ends_at_a_comment) {
  const MakeText read = read_make("A = b \\\n  c # d \\\n e\nF ?= g\\#h\n");
  ASSERT_EQ(read.lines.size(), 2U);
  EXPECT_EQ(read.lines[0].name, "A");
  EXPECT_EQ(read.lines[1].name, "F");
  EXPECT_THAT(lists_of("A = b \\\n  c # d\n"),
              ElementsAre(ElementsAre("A"), ElementsAre("b", "c")));
}

TEST(MakeText, references_balance_and_functions_have_lists_of_their_own) {
  EXPECT_THAT(lists_of("$(foreach s,$(S),$(eval G += -g a=$(s),c=$(s)))\n"),
              ElementsAre(ElementsAre("s"), ElementsAre("$(S)"),
                          ElementsAre("G", "+=", "-g", "a=$(s),c=$(s)"),
                          ElementsAre("$(eval G += -g a=$(s),c=$(s))"),
                          ElementsAre("$(foreach s,$(S),$(eval G += -g a=$(s),c=$(s)))")));
}

TEST(MakeText, commands_end_at_the_shells_separators_and_not_in_quotes) {
  EXPECT_THAT(lists_of("a:\n\tcd b && c \"d;e\" 'f g'; h | i # j\n"),
              ElementsAre(ElementsAre("a:"), ElementsAre("cd", "b"), ElementsAre("f", "g"),
                          ElementsAre("c", "d;e", "f g"), ElementsAre("h"), ElementsAre("i")));
}

TEST(MakeText, a_lone_quote_is_a_letter) {
  EXPECT_THAT(lists_of("\techo don't -x\n"), Contains(ElementsAre("echo", "don't", "-x")));
}

TEST(MakeText, what_does_not_close_is_a_fault) {
  ASSERT_TRUE(read_make("A = $(B\n").fault);
  EXPECT_EQ(read_make("A = $(B\n").fault->offset, 4U);
  ASSERT_TRUE(read_make("x = 1\ndefine A\nb\n").fault);
  EXPECT_EQ(read_make("x = 1\ndefine A\nb\n").fault->offset, 6U);
}

TEST(MakeText, names_of_references_are_found) {
  EXPECT_THAT(references_in("a$(B)${C}$(D:.o=.c)$@$(call f)"), ElementsAre("B", "C", "D"));
}

}  // namespace
}  // namespace ambidex
