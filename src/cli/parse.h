// SPDX-License-Identifier: Apache-2.0
// Our words instead of CLI11's for a command line that cannot be read.
#pragma once

#include <CLI/CLI.hpp>

#include "ambidex/base.h"

namespace ambidex {

/// The bad_input that `error`, thrown by a parse of `app`, stands for: unknown verbs and options
/// with the nearest known ones, everything else in CLI11's words and with the place of the help.
Error parse_error(const CLI::App& app, const CLI::ParseError& error);

/// Checks an option that counts: a whole number of at least `least` that 64 bits hold.
CLI::Validator at_least(int64_t least);

/// Checks an option that measures: a finite decimal number in [least, most].
CLI::Validator within(double least, double most);

/// From here on no option of `verb`, and none of its words, may be "": as a path that is the folder
/// one is in, or nothing at all.
void refuse_empty_words(CLI::App& verb);

}  // namespace ambidex
