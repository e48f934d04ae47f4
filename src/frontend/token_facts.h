// SPDX-License-Identifier: Apache-2.0
// What can be told from the words of a file alone, around one of them: calls and their arguments,
// declarations, constants, whether it is device code. Works in macro bodies, in branches that are
// not taken and in templates without an instance. Indices are into SourceFile::tokens.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/source_view.h"

namespace ambidex {

/// "" outside of the file.
std::string_view text_at(const SourceFile& file, int64_t i);
bool is_word_at(const SourceFile& file, int64_t i);

/// The bracket that closes the (, [, { or < at `open`; -1 if there is none near. Stops at a ; or a
/// brace for <.
int64_t closing(const SourceFile& file, int64_t open);

/// If the word at `i` is called, f(...) or f<...>(...): its opening parenthesis; else -1.
int64_t call_open(const SourceFile& file, int64_t i);

/// The arguments between a bracket at `open` and its partner; empty for ().
std::vector<TokenRange> arguments_of(const SourceFile& file, int64_t open);

/// The range as text, one space between words.
std::string spelled(const SourceFile& file, TokenRange range);

bool has_word(const SourceFile& file, TokenRange range, std::string_view word);

/// The words of the statement around `i`: between the nearest ; { } on both sides.
TokenRange statement_around(const SourceFile& file, int64_t i);

/// The last declaration of `name` before `at`.
struct Declared {
  bool found = false;
  std::string type;  // its words, one space between: "const int64_t", "__half2 *"
  TokenRange init;   // after = or in ( ) or { }; empty if there is none
};
Declared declaration_of(const SourceFile& file, int64_t at, std::string_view name);

/// The name of a variable that a range is about: the first word that is neither a type nor a cast,
/// as `out` of `&out[i]`.
std::string root_name(const SourceFile& file, TokenRange range);

/// The value of an expression of integers, sizeof of plain types, macros, and names whose
/// declaration says it.
std::optional<int64_t> constant_in(const SourceView& view, const SourceFile& file,
                                   TokenRange range);

/// Bytes of a plain type by its words, one space between: "unsigned int", "float4", "half *".
std::optional<int64_t> plain_size(std::string type);

/// For each word, whether it is in the body of a __device__ or __global__ function, or in a macro's
/// body that uses device words.
std::vector<bool> device_words(const SourceView& view, const SourceFile& file);

/// A kernel launch: name<<<grid, block, bytes, stream>>>(arguments).
struct Launch {
  int64_t at = 0;      // of <<<
  std::string kernel;  // "" if it is no plain name
  std::vector<TokenRange> config;
  std::vector<TokenRange> arguments;
};
std::vector<Launch> launches_of(const SourceFile& file);

/// A __global__ function, declared or defined.
struct KernelHead {
  int64_t at = 0;  // of __global__
  int64_t name = 0;
  std::vector<TokenRange> parameters;
  TokenRange bounds;  // between the brackets of __launch_bounds__; empty if there is none
  bool has_bounds = false;
  TokenRange body;  // empty for a declaration
};
std::vector<KernelHead> kernels_of(const SourceFile& file);

}  // namespace ambidex
