// SPDX-License-Identifier: Apache-2.0
// Runs one recorded or changed launch of a module.
#pragma once

#include <string>
#include <vector>

#include "port/trace.h"

namespace ambidex {

/// How the executor is to run a module.
struct RunManner {
  std::string module;           // path
  std::string folder;           // for files
  std::string device = "h200";  // whose limits hold
  int wave_width = 32;
  uint64_t seed = 0;
  int poison = 0xa5;               // of bytes that nothing has written
  bool lockstep_volatile = false;  // the source is warp-synchronous
  int num_workers = 1;
  bool trusted = false;
  double max_seconds = 60;
};

/// What a program does from its start.
///   throws Error(unsupported) without ambidex-simt or its sandbox
Trace run_program(const RunManner& manner);

struct Replayed {
  std::string status;                // ended, crash, deadline, sandbox, refused
  std::vector<std::string> buffers;  // contents after
  std::vector<TracedProblem> problems;
};

/// Runs `symbol` as `launch` says, on its buffers' contents before.
Replayed replay(const TracedLaunch& launch, const std::string& symbol, const RunManner& manner);

}  // namespace ambidex
