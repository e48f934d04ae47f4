// SPDX-License-Identifier: Apache-2.0
// The command line of a program that is run for the user.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace ambidex {

/// The words of `text` as a shell reads them: apart by blanks, with '...', "..." and \ to keep what
/// would part them. Nothing else is special.
///   throws Error(bad_input) for a quote that does not end
std::vector<std::string> command_words(std::string_view text);

/// Adds --args, which fills `words`.
void add_program_arguments(CLI::App& verb, std::vector<std::string>& words);

}  // namespace ambidex
