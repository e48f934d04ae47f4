// SPDX-License-Identifier: Apache-2.0
// The loop of one task: ask, judge, tell why not, until a candidate is accepted or a budget is
// spent.
#pragma once

#include <functional>
#include <string>

#include "port/repair.h"
#include "port/repair_judge.h"
#include "port/repair_prompt.h"
#include "port/repair_transcript.h"

namespace ambidex::repair {

/// What all tasks of one call share.
struct Session {
  RepairBudget budget;
  const Endpoint* endpoint = nullptr;  // null: answers come from `replay`
  Replay* replay = nullptr;
  Transcript* transcript = nullptr;
  std::function<void(double seconds)> pause;
  Clock::time_point deadline;
  int64_t num_turns = 0, num_tokens = 0;
};

struct LoopEnd {
  Repaired repaired;
  Patch patch;      // that was accepted
  Verdict verdict;  // of it
};

/// A repair; `trouble` is how the port as it is fails.
LoopEnd run_loop(Session& session, Bench bench, const std::string& trouble);

/// Whatever `question` asks for.
LoopEnd run_loop(Session& session, Bench bench, const Question& question);

}  // namespace ambidex::repair
