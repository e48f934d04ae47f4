// SPDX-License-Identifier: Apache-2.0
// Words of C++, for what is judged or found without clang: neither layout nor comments matter.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ambidex::code {

enum class WordKind : uint8_t { name, number, text, character, sign };

struct Word {
  std::string_view text;  // in the source
  WordKind kind = WordKind::sign;
  bool directive = false;  // on a preprocessor line
  bool is_name() const { return kind == WordKind::name; }
};

struct Words {
  std::vector<Word> words;
  bool whole = true;  // false: a comment or a literal has no end
  int64_t size() const { return static_cast<int64_t>(words.size()); }
  const Word& at(int64_t i) const { return words[static_cast<size_t>(i)]; }
  /// Empty outside.
  std::string_view text(int64_t i) const {
    return i >= 0 && i < size() ? at(i).text : std::string_view();
  }
};

/// The views are into `source`. Comments are left out.
Words words_of(std::string_view source);

/// The word that closes the bracket ( [ or { at `open`; -1 if there is none. Words of directives
/// are passed over.
int64_t closing(const Words& words, int64_t open);

/// Byte of `source` at which word `i` begins; `words` are those of `source`.
size_t offset_of(const Words& words, int64_t i, std::string_view source);

/// Byte at which line `line`, from 1, begins; the end of the text if it has fewer.
size_t offset_of_line(std::string_view text, int64_t line);

/// Comments as blanks; every other byte keeps its place, and line ends stay.
std::string without_comments(std::string_view source);

}  // namespace ambidex::code
