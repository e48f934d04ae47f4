// SPDX-License-Identifier: Apache-2.0
// A child process: words in, text in, text out, within a time.
#pragma once

#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace ambidex {

struct ProcessResult {
  int exit_code = 0;  // of exit(); 128 + the signal if one ended it
  bool timed_out = false;
  std::string out;  // stdout
  std::string err;  // stderr
};

/// Runs `words` (words[0] is a path or a name on PATH) with `input` as stdin, until it ends or
/// `max_seconds` (> 0) have passed or `stop` is asked for; then it and its process group get
/// SIGTERM, and what is left of them is killed.
///   throws Error(not_found) if there is no such program, and Interrupted
ProcessResult run_process(const std::vector<std::string>& words, std::string_view input,
                          double max_seconds, std::stop_token stop = {});

}  // namespace ambidex
