// SPDX-License-Identifier: Apache-2.0
// `ambidex port repair`: all stages, then a model for what the rules left, within a budget. A
// candidate is accepted by what it computes, never by what the model says of it.
//
//   RepairRun done = repair_port({.run = {.path = "lock.cu", .folder = "lock-port"},
//                                 .endpoint = endpoint});
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "port/repair_endpoint.h"
#include "port/repair_task.h"
#include "port/run.h"

namespace ambidex {

/// Of the whole call; none is ever exceeded.
struct RepairBudget {
  int64_t num_turns = 8;  // requests that got a reply, or a part of one
  int64_t num_tokens = 200000;
  double max_seconds = 1800;           // verification included
  double max_candidate_seconds = 120;  // for one candidate's verification
  int64_t max_reply_tokens = 8192;
};

struct RepairOptions {
  PortRunOptions
      run;  // `trusted` is not heeded: what models write runs in the sandbox or not at all
  RepairBudget budget;
  std::optional<repair::Endpoint> endpoint;
  std::string replay;   // a transcript to be read instead of asking
  bool native = false;  // then faster bodies of kernels that pass
  std::vector<std::string> devices{"mi300x", "mi350x"};  // of AMD: where those must be faster
  std::function<void(double seconds)> pause;             // waits; default: sleeps
};

enum class RepairOutcome : uint8_t { repaired, gave_up, budget, endpoint, unnoticed };
std::string_view name_of(RepairOutcome outcome);

/// What became of one task.
struct Repaired {
  std::string program;
  std::vector<std::string> kernels;
  RepairOutcome outcome = RepairOutcome::budget;
  std::string reason;  // of anything but repaired
  int64_t num_turns = 0;
  std::string sha256;  // of the files that were accepted
};

struct RepairRun {
  PortRun port;  // with verdicts after repair
  std::vector<Repaired> repairs;
  std::vector<repair::Leftover> leftovers;
  std::vector<repair::Leftover> not_native;  // kernels that pass and have no faster body to ask for
  int64_t num_turns = 0, num_tokens = 0;
  double seconds = 0;
};

/// Runs run_port, then the loop; writes accepted bodies to hip/, repair-N.patch, repair.json and
/// transcript.jsonl, and the bundle anew. Native bodies go to native/, a tree beside hip/, and
/// native-N.patch; PortRun::natives has what became of each.
///   throws Error(bad_input) if there is something to ask and neither an endpoint nor a replay: the
///   message says what the stages did; Error(not_found) or Error(bad_input) for a device that is
///   none of AMD's; Error(unsupported) without clang or a sandbox
RepairRun repair_port(const RepairOptions& options);

}  // namespace ambidex
