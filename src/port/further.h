// SPDX-License-Identifier: Apache-2.0
// What an original leaves when it runs otherwise, made when there is a doubt and kept.
#pragma once

#include <vector>

#include "port/agreement.h"
#include "port/replay.h"
#include "port/verification.h"

namespace ambidex {

/// It ended, and nothing that a checker found speaks against it.
bool is_sound(const Replayed& run, Side side);

/// Contents of its buffers, valid as long as `run`.
BufferViews views(const Replayed& run);

class Further {
 public:
  /// Five runs of the original as `how` says: in two other orders, and in three roundings. Those
  /// that are not sound are left out; a second call does nothing.
  void run(const TracedLaunch& launch, RunManner how);
  /// Eight orders more, before a port is blamed: a race of the original for few elements shows in
  /// few of them.
  void run_more(const TracedLaunch& launch, RunManner how);
  FurtherRuns runs() const;

 private:
  std::vector<Replayed> orders_, roundings_;
  bool known_ = false, all_known_ = false;
};

}  // namespace ambidex
