// SPDX-License-Identifier: Apache-2.0
// Faster bodies of kernels (`port repair --native`): what was predicted, and what became of each.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "port/kernel_time.h"

namespace ambidex {

/// Of one launch on one device, by the model of docs/port-estimate.md; nothing was measured. Times
/// are without that of an empty launch, which is the same for both.
struct NativeGain {
  std::string device;
  double before_seconds = 0;  // tier A
  double after_seconds = 0;   // the candidate
  double floor_seconds = 0;   // its compulsory bytes at the peak rate of memory
  TimeTerm before_binds = TimeTerm::memory, after_binds = TimeTerm::memory;
};

struct NativeKernel {
  std::string program, kernel;
  bool taken = false;
  std::string outcome;  // taken, gave-up, budget, endpoint, unnoticed
  std::string reason;   // of anything but taken
  int64_t num_turns = 0;
  std::string sha256;  // of the files that were accepted
  int64_t num_cases = 0, num_bit_identical = 0;
  std::vector<NativeGain> gains;  // of what was taken: three launches, each on every device
};

/// The least of before / after.
double least_gain(const std::vector<NativeGain>& gains);

}  // namespace ambidex
