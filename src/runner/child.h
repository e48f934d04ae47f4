// SPDX-License-Identifier: Apache-2.0
// The process that runs loaded code.
#pragma once

#include "runner/crash.h"
#include "runner/request.h"

namespace ambidex::runner {

/// Open files of the child; all others are closed.
struct Descriptors {
  int module = -1;  // the shared object, in memory
  int answer = -1;  // JSON, when the run has come to its end
  int blobs = -1;   // contents that the answer names by their places
  int out = -1, err = -1;
};

/// Enters the sandbox, runs what is asked for and ends the process.
[[noreturn]] void run_child(const Request& request, const Descriptors& files, CrashRecord* record);

}  // namespace ambidex::runner
