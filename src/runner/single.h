// SPDX-License-Identifier: Apache-2.0
// One kernel, with buffers and arguments that the caller gives.
#pragma once

#include <memory>
#include <vector>

#include "runner/launch.h"

namespace ambidex::runner {

struct SingleLaunch {
  const Kernel* kernel = nullptr;
  std::vector<void*> buffers;
  std::vector<std::string> values;  // of parameters
};

/// Lays out buffers and arguments.
///   throws Error(not_found) for an unknown kernel, Error(bad_input) if the arguments do not fit
///   its parameters or the memory
SingleLaunch prepare_launch(Runtime& state);

/// Runs it and returns, for each buffer, {name, bytes, contents: {at, bytes}, changed, written}:
/// ranges [begin, end) of bytes that differ from before, and of those that the checker saw written.
///   throws Error(bad_input) for a launch that the device refuses
nlohmann::json run_launch(Runtime& state, const SingleLaunch& single);

}  // namespace ambidex::runner
