// SPDX-License-Identifier: Apache-2.0
// Where the numbers of a run go: its log, and TensorBoard's events.
#pragma once

#include <string>
#include <vector>

#include "ambidex/train.h"
#include "train/events.h"
#include "train/log.h"

namespace ambidex {

class Journal {
 public:
  /// Appends to the log of the run, and makes an event file of this process.
  ///   throws Error(bad_input) with the path
  explicit Journal(const std::string& run);

  void add(const LogLine& line);
  void add(int64_t step, std::string kind, const Metrics& metrics);

 private:
  LogWriter log_;
  EventWriter events_;
};

}  // namespace ambidex
