// SPDX-License-Identifier: Apache-2.0
// A file's words with their brackets matched and its device code marked, all without a parser: what
// holds in macro bodies, templates and branches that no compiler has taken.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/source_view.h"

namespace ambidex {

struct Words {
  SourceFile file;
  std::vector<int64_t> partner;  // of a bracket: the one that closes or opens it; else -1
  std::vector<bool> device;      // within the body of a __global__ or __device__ function

  int64_t size() const { return static_cast<int64_t>(file.tokens.size()); }
  const Token& at(int64_t i) const { return file.tokens[static_cast<size_t>(i)]; }
  /// Empty outside of the file.
  std::string_view text(int64_t i) const {
    return i >= 0 && i < size() ? at(i).text : std::string_view();
  }
  int64_t first(int64_t i) const { return at(i).first; }
  int64_t last(int64_t i) const { return at(i).last; }
  bool is_word(int64_t i) const { return i >= 0 && i < size() && at(i).kind == TokenKind::word; }
  int64_t partner_of(int64_t i) const {
    return i >= 0 && i < size() ? partner[static_cast<size_t>(i)] : -1;
  }
  /// The source from word `range.first` to the end of word `range.last - 1`, comments included.
  std::string_view source(TokenRange range) const;
};

Words words_of(const std::string& path, std::string text);

/// The arguments between bracket `open` and its partner, split at commas that are not within
/// brackets or template arguments. None if the bracket is open.
std::vector<TokenRange> arguments_of(const Words& words, int64_t open);

/// The word after the `>` that closes the `<` at `open`; -1 if it opens no template arguments.
int64_t after_template_arguments(const Words& words, int64_t open);

/// The first word of the postfix expression that ends before word `i`, as `a[k].b` before `.`; -1
/// if there is none.
int64_t start_of_postfix(const Words& words, int64_t i);

/// The last word of the type that the nearest declaration before word `use` gives the name; empty
/// if none is seen.
std::string_view declared_type(const Words& words, int64_t use, std::string_view name);

}  // namespace ambidex
