// SPDX-License-Identifier: Apache-2.0
// Whether a candidate does about the work that the kernel did before: results alone do not show
// that steps are left out whose effect no test has seen.
#pragma once

#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "ambidex/simt_traffic.h"
#include "port/replay.h"

namespace ambidex {

/// What launches of a kernel did, by the executor's counts.
struct WorkDone {
  double flop = 0;          // all types, matrix products too
  double loaded_bytes = 0;  // of device memory, each once in a launch
  double stored_bytes = 0;  // likewise
  WorkDone& operator+=(const WorkDone& other);
};
WorkDone work_done(const SimtTraffic& traffic);

/// A candidate's operations may be 1/4 to 32 times as many (a 64-lane tree or a padded matrix tile
/// has more, a shuffle in place of a sum by every lane fewer), its bytes not below half.
inline constexpr double kFewestFlop = 0.25;
inline constexpr double kMostFlop = 32;
inline constexpr double kFewestBytes = 0.5;

/// "" or what there is too little or too much of.
///   before  of the kernel that the candidate replaces
std::string work_fault(const WorkDone& before, const WorkDone& candidate);

/// Modules that tell their instructions, of a CUDA original and its port.
struct WorkRequest {
  RunManner original, port;       // at widths 32 and 64
  std::set<std::string> kernels;  // base names
};

/// Runs both programs and compares the work of all launches of each kernel. "" if it is alike, or
/// if the original cannot be counted; else the kernel and what differs.
std::string work_fault(const WorkRequest& request);

}  // namespace ambidex
