// SPDX-License-Identifier: Apache-2.0
// The text of a makefile as logical lines and words, by the rules of GNU make's manual.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "port/build_edits.h"

namespace ambidex {

enum class MakeLineKind : uint8_t { recipe, assignment, other };

/// Words that follow each other: a command, a value, or an argument of a function. What stands in
/// a function or in quotes is a list of its own besides.
struct MakeList {
  std::vector<BuildWord> words;
  bool is_command = false;  // of a recipe or of the shell, and not within anything
};

/// "$(name first,second)" of one of make's own functions.
struct MakeCall {
  std::string_view name;
  size_t begin = 0, end = 0;
  struct Argument {
    size_t begin = 0, end = 0;
  };
  std::vector<Argument> arguments;
};

struct MakeLine {
  MakeLineKind kind = MakeLineKind::other;
  size_t begin = 0, end = 0;  // with continuations, without the comment
  std::string name;           // of the variable that is assigned to
  std::vector<MakeList> lists;
  std::vector<MakeCall> calls;
};

struct MakeText {
  std::vector<MakeLine> lines;
  std::optional<SyntaxFault> fault;
};

MakeText read_make(std::string_view text);

/// The variables that `word` refers to, "$(NVCC)" and "${A}$(B)".
std::vector<std::string> references_in(std::string_view word);

}  // namespace ambidex
