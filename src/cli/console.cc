// SPDX-License-Identifier: Apache-2.0
#include "cli/console.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "ambidex/base.h"
#include "base/text.h"

namespace ambidex {

void print_note(std::string_view line) {
  // Where stderr is closed there is nobody to tell; fmt::print would throw.
  const std::string text = printable_lines(line) + "\n";
  std::fwrite(text.data(), 1, text.size(), stderr);
}

void print_out(std::string_view text) {
  // write() instead of stdio: the outcome is known here, not in a flush at exit.
  while (!text.empty()) {
    const ssize_t written = ::write(STDOUT_FILENO, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0 && errno == EPIPE) return;
    if (written < 0) {
      throw Error(ErrorKind::bad_input, fmt::format("stdout: cannot write: {}; give it a file or "
                                                    "a pipe that takes the output",
                                                    std::strerror(errno)));
    }
    text.remove_prefix(static_cast<size_t>(written));
  }
}

}  // namespace ambidex
