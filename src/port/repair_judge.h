// SPDX-License-Identifier: Apache-2.0
// Is a candidate accepted? It is made apart from the port, compiled for both GPUs and verified with
// a key that nobody has seen, in the sandbox or not at all.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "port/native_gain.h"
#include "port/repair_patch.h"
#include "port/repair_task.h"

namespace ambidex::repair {

/// What a task's candidates are judged with.
struct Bench {
  const Task* task = nullptr;
  Trees trees;
  Texts original, hip;       // texts of both trees
  std::string folder;        // for work; everything in it may be removed
  std::string modules = {};  // where they are kept and found again; empty: in `folder`
  int num_workers = 1;
  double max_seconds = 120;       // for one candidate
  const TierA* tier_a = nullptr;  // not null: a native body is asked for, of a kernel that is right
};

struct Verdict {
  std::string gate;  // "" if accepted; patch, words, manifest, compile, verify, writes, work, time;
                     // of native bodies also tier-a, floor, gain
  std::string reason;                        // all of it, for people
  std::string shown;                         // what the model may know of it
  VerifyReport report;                       // of the candidate, if it came so far
  std::vector<CompiledSource> objects = {};  // likewise
  std::vector<NativeGain> gains = {};        // of a native body that is accepted
  bool accepted() const { return gate.empty(); }
};

/// Every gate in turn, the cheap ones first.
///   throws Error(unsupported) without clang or a sandbox
Verdict judge_patch(const Bench& bench, const Patch& patch, uint64_t key);

/// The gates from the manifest on: what untrusted code meets whatever its words are.
Verdict judge_candidate(const Bench& bench, const Patch& patch, uint64_t key);

/// Whether verification notices kernels of the task that do nothing; "" or the one that it does
/// not notice, by whose tests nothing could be repaired.
std::string unnoticed_kernel(const Bench& bench, uint64_t key);

}  // namespace ambidex::repair
