// SPDX-License-Identifier: Apache-2.0
// The folder of a run:
//
//   RUN/model.yaml        the model, every field written out
//   RUN/run.json          data, length, version
//   RUN/metrics.jsonl     a line for each log, evaluation and test
//   RUN/events.out.*      the same for TensorBoard
//   RUN/checkpoints/      step-000000001000, ...
//   RUN/best/             the checkpoint of the best evaluation, with model.early_stop
#pragma once

#include <string>

#include "ambidex/train.h"

namespace ambidex {

/// Makes the folder of a new run.
///   throws Error(bad_input) if there is a run already, or anything but an empty folder
void create_run(const std::string& run, const RunInfo& info);

/// Writes RUN/run.json anew, as when a run is made longer.
void write_info(const std::string& run, const RunInfo& info);

/// Held while a process trains in a run.
class RunLock {
 public:
  /// throws Error(bad_input) if another process holds it
  explicit RunLock(const std::string& run);
  ~RunLock();
  RunLock(const RunLock&) = delete;
  RunLock& operator=(const RunLock&) = delete;

 private:
  int file_ = -1;
};

std::string checkpoints_folder(const std::string& run);
std::string best_folder(const std::string& run);
std::string log_file(const std::string& run);

/// Newest checkpoint of a run.
///   throws Error(not_found) if it has none
std::string newest_checkpoint(const std::string& run);

/// The one to score with: the best if there is one, else the newest.
///   throws Error(not_found)
std::string scoring_checkpoint(const std::string& run);

/// A name for the event file of this process: events.out.tfevents.SECONDS.HOST.PID.
std::string event_file(const std::string& run, double wall_seconds);

}  // namespace ambidex
