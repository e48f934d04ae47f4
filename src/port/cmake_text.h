// SPDX-License-Identifier: Apache-2.0
// The text of a CMake file as commands and arguments, by the lexical rules of cmake-language(7).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "port/build_edits.h"

namespace ambidex {

enum class CmakeQuoting : uint8_t { none, quotes, brackets };

struct CmakeArgument {
  CmakeQuoting quoting = CmakeQuoting::none;
  size_t begin = 0, end = 0;              // bytes of the content
  size_t outer_begin = 0, outer_end = 0;  // with quotes or brackets
  std::string_view text;                  // the content as it stands
};

struct CmakeCommand {
  std::string name;                      // lower case
  size_t begin = 0;                      // of the name
  size_t end = 0;                        // behind the ")"
  std::vector<CmakeArgument> arguments;  // parentheses among them are arguments of their own
};

struct CmakeText {
  std::vector<CmakeCommand> commands;
  std::optional<SyntaxFault> fault;  // then `commands` are those before it
};

CmakeText read_cmake(std::string_view text);

/// The words in the arguments of a command from number `first` on: generator expressions are taken
/// apart, lists split at ";", and quoted arguments at blanks too.
///   joiner   what stands between flags in a quoted argument; empty: what the argument itself has
std::vector<BuildWord> cmake_words(std::string_view text, const CmakeCommand& command, size_t first,
                                   std::string_view joiner);

}  // namespace ambidex
