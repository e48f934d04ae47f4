// SPDX-License-Identifier: Apache-2.0
// The text of CMake files, taken apart by the rules of cmake-language(7).
#include "port/cmake_text.h"

#include <gmock/gmock.h>

namespace ambidex {
namespace {

using testing::ElementsAre;

std::vector<std::string> arguments_of(const std::string& text) {
  const CmakeText read = read_cmake(text);
  EXPECT_FALSE(read.fault) << read.fault->what;
  std::vector<std::string> arguments;
  for (const CmakeCommand& command : read.commands) {
    for (const CmakeArgument& argument : command.arguments) arguments.emplace_back(argument.text);
  }
  return arguments;
}

std::vector<std::string> words_of(const std::string& text, std::string_view joiner = "") {
  const CmakeText read = read_cmake(text);
  std::vector<std::string> words;
  for (const BuildWord& word : cmake_words(text, read.commands.at(0), 0, joiner)) {
    words.push_back(word.text);
  }
  return words;
}

TEST(CmakeText, takes_quotes_brackets_escapes_and_comments) {
  EXPECT_THAT(
      arguments_of("a(b \"c ) \\\" d\" # e \"\n [=[f ]] ) \"]=] #[[ g\n) ]] h\\ i)\n# j(k)\n"),
      ElementsAre("b", "c ) \\\" d", "f ]] ) \"", "h\\ i"));
}

TEST(CmakeText, parentheses_nest_and_unquoted_arguments_may_hold_quotes) {
  EXPECT_THAT(arguments_of("if((A OR B) AND -Da=\"b c\" $(D E))"),
              ElementsAre("(", "A", "OR", "B", ")", "AND", "-Da=\"b c\"", "$(D E)"));
}

TEST(CmakeText, commands_have_names_without_case_and_places) {
  const CmakeText read = read_cmake("\xEF\xBB\xBFSet (A\n  B)\nmessage()");
  ASSERT_EQ(read.commands.size(), 2U);
  EXPECT_EQ(read.commands[0].name, "set");
  EXPECT_EQ(read.commands[0].begin, 3U);
  EXPECT_EQ(read.commands[0].end, 14U);
  EXPECT_TRUE(read.commands[1].arguments.empty());
}

TEST(CmakeText, what_does_not_close_is_a_fault_where_it_opens) {
  for (const auto& [text, offset] : std::vector<std::pair<std::string, size_t>>{
           {"set(A \"b)\n", 6}, {"set(A [=[ ]])", 6}, {"set(A (B)\n", 3}, {"A B\n", 0}}) {
    const CmakeText read = read_cmake(text);
    ASSERT_TRUE(read.fault) << text;
    EXPECT_EQ(read.fault->offset, offset) << text;
  }
}

TEST(CmakeText, words_leave_generator_expressions_and_lists_apart) {
  EXPECT_THAT(words_of("f($<$<COMPILE_LANGUAGE:CUDA>:-gencode=arch=a,code=b -x> \"-y;-z w\" "
                       "$<IF:1,-p,-q>)"),
              ElementsAre("COMPILE_LANGUAGE", "CUDA", "-gencode=arch=a,code=b", "-x", "-y", "-z",
                          "w", "IF", "1", "-p", "-q"));
}

TEST(CmakeText, words_keep_references_and_quotes_for_the_shell_whole) {
  EXPECT_THAT(words_of("f(\"${A B;C} -X \\\"-a b\\\" $ENV{D}/e SHELL:-f\" \"SHELL:-g -h\")"),
              ElementsAre("${A B;C}", "-X", "-a b", "$ENV{D}/e", "SHELL:-f", "-g", "-h"));
}

}  // namespace
}  // namespace ambidex
