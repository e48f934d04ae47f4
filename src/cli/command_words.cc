// SPDX-License-Identifier: Apache-2.0
#include "cli/command_words.h"

#include <fmt/format.h>

#include "ambidex/base.h"
#include "base/text.h"

namespace ambidex {
namespace {

constexpr std::string_view kBlanks = " \t\n\r";

[[noreturn]] void fail_open(std::string_view text, std::string_view what) {
  throw Error(ErrorKind::bad_input, fmt::format("--args {}: {}", quote(text), what));
}

// What stands in quotes from `at`, behind the opening one; `at` comes to stand behind the closing.
std::string quoted_part(std::string_view text, char mark, size_t& at) {
  std::string part;
  for (; at < text.size(); ++at) {
    if (text[at] == mark) {
      ++at;
      return part;
    }
    const bool escapes = mark == '"' && text[at] == '\\' && at + 1 < text.size() &&
                         (text[at + 1] == '"' || text[at + 1] == '\\');
    if (escapes) ++at;
    part += text[at];
  }
  fail_open(text, fmt::format("a {} without its partner; put it behind a \\ if it is meant", mark));
}

std::string word_at(std::string_view text, size_t& at) {
  std::string word;
  while (at < text.size() && kBlanks.find(text[at]) == std::string_view::npos) {
    const char c = text[at++];
    if (c == '\'' || c == '"') {
      word += quoted_part(text, c, at);
    } else if (c == '\\') {
      if (at == text.size()) fail_open(text, "ends with a \\, which keeps what comes behind it");
      word += text[at++];
    } else {
      word += c;
    }
  }
  return word;
}

}  // namespace

std::vector<std::string> command_words(std::string_view text) {
  std::vector<std::string> words;
  size_t at = 0;
  while ((at = text.find_first_not_of(kBlanks, at)) != std::string_view::npos) {
    words.push_back(word_at(text, at));
  }
  return words;
}

void add_program_arguments(CLI::App& verb, std::vector<std::string>& words) {
  verb.add_option_function<std::string>(
      "--args", [&words](const std::string& text) { words = command_words(text); },
      "Command line of the programs' main, split as by a shell: --args \"4096 7\", --args=\"-n "
      "9\"");
}

}  // namespace ambidex
