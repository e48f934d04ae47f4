// SPDX-License-Identifier: Apache-2.0
// What a verb may do to the outside: hand over its output, and say something on the way.
#pragma once

#include <string>
#include <string_view>

namespace ambidex {

struct Console {
  /// The verb's whole stdout. main prints it once the verb has returned, so that stdout stays
  /// empty when the verb throws.
  std::string out;
  int exit_code = 0;
};

inline constexpr int kExitSignalled = 128;    // and the signal, as shells have it
inline constexpr int kExitInterrupted = 130;  // of SIGINT

/// One line on stderr, at once: progress and remarks.
void print_note(std::string_view line);

/// Writes all of `text` to stdout. A reader that has gone away (`| head`) is no error.
/// throws Error(bad_input) if stdout cannot take it, as on a full disk.
void print_out(std::string_view text);

}  // namespace ambidex
