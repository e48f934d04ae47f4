// SPDX-License-Identifier: Apache-2.0
// The user's files as one pass of the compiler reads them: what is left of them behind the
// preprocessor. Two passes with the same text compile the same program.
#pragma once

#include <clang/AST/ASTContext.h>
#include <clang/Lex/Preprocessor.h>

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "frontend/invocation.h"

namespace ambidex {

struct TextPlace {
  uint32_t file = 0;    // of PassText's files
  uint32_t line = 0;    // from 1
  uint32_t offset = 0;  // byte of the file; of a macro's expansion where it stands
};

struct TextToken {
  std::string text;  // pragmas are one token
  TextPlace place;
};

/// One that was asked: not within what another one skips.
struct TextCondition {
  TextPlace place;
  bool value = false;
  size_t token = 0;  // how many were read before it
};

/// A function, variable or lambda, [begin, end).
struct TextRange {
  uint32_t file = 0, begin = 0, end = 0;
  bool device = false;  // a GPU may run it or see it
};

struct PassText {
  std::vector<std::string> files;
  std::vector<TextToken> tokens;  // of the user's files, but for what macros of our headers hold
  std::vector<TextCondition> conditions;
  std::vector<TextRange> ranges;  // empty if the pass has not parsed
};

/// Notes tokens and conditions in `text`, which must outlive the preprocessor's work.
void note_text(clang::Preprocessor& preprocessor, PassText& text);

/// Adds the ranges of what the user's files define.
void note_ranges(clang::ASTContext& context, PassText& text);

/// Adds files that were read, but for those below /usr and our own.
void note_inputs(const clang::SourceManager& sources, std::set<std::string>& inputs);

/// The compiler's and the system's own headers, ours, and copies of ours that nobody has changed.
bool is_foreign_text(const clang::SourceManager& sources, clang::FileID file);

/// The same by the name that debug information has.
bool is_foreign_file(const std::string& path);

}  // namespace ambidex
