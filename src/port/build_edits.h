// SPDX-License-Identifier: Apache-2.0
// Edits of one build file while they are collected, and the words that flags are read from.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "port/translate.h"

namespace ambidex {

struct BuildDraft {
  std::string_view text;  // of the file as found
  std::vector<TranslateEdit> edits;
  std::vector<TranslateRefusal> refusals;
  std::vector<size_t> refusal_offsets = {};  // of each refusal, in the text
  bool joins_by_commas = false;              // its variables may hold "-Wall,-Wextra"
};

struct BuildWhy {
  std::string_view rule;
  std::string_view hazard = "";
  std::string_view note = "";
};

/// Where a text stops being of its language.
struct SyntaxFault {
  size_t offset = 0;
  std::string what;
};

/// A word of a command line as its reader splits it, without the quotes around it.
struct BuildWord {
  size_t begin = 0, end = 0;              // bytes [begin, end) of the file
  size_t outer_begin = 0, outer_end = 0;  // with the quotes, where the word is all that they hold
  std::string text;
  std::string_view joiner = " ";  // between words put in its place
};

int64_t line_at(std::string_view text, size_t offset);

void replace(BuildDraft& draft, size_t begin, size_t end, std::string_view replacement,
             const BuildWhy& why);

/// Takes [begin, end) away with one separator beside it: blanks, a ";", or its line if it is alone.
void remove(BuildDraft& draft, size_t begin, size_t end, const BuildWhy& why);

void refuse(BuildDraft& draft, size_t offset, std::string_view hazard, std::string reason);

/// Puts edits and refusals in order. Of two edits that overlap the first and wider stays; what is
/// refused within an edit goes with it.
void settle(BuildDraft& draft);

/// Letters, digits and "_".
bool is_name_char(char c);

/// "cuda.cu" becomes "cuda.hip" in [begin, end): every ".cu" that ends a word.
void rename_sources(BuildDraft& draft, size_t begin, size_t end);

/// The place in ROCm of a place below CUDA's folder, "/lib64" as "/lib"; no value for an unknown
/// one.
std::optional<std::string> toolkit_place(std::string_view below);

/// "/usr/local/cuda-12.4/lib64" in [begin, end) as "/opt/rocm/lib", or refused.
void replace_toolkit_paths(BuildDraft& draft, size_t begin, size_t end);

}  // namespace ambidex
