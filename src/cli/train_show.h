// SPDX-License-Identifier: Apache-2.0
// How a training run is told: while it goes on, and when it is done.
#pragma once

#include <chrono>
#include <nlohmann/json.hpp>
#include <string>

#include "ambidex/train.h"

namespace ambidex {

/// NaN and infinities are null.
nlohmann::ordered_json json_of(const Metrics& metrics);
nlohmann::ordered_json json_of(const ModelSpec& model, const TrainResult& result);
std::string text_of(const ModelSpec& model, const TrainResult& result);

/// "AUC 0.8012  log loss 0.4410  NE 0.801  calibration 1.002  accuracy 0.79  (8,912 samples)"
std::string text_of(const Metrics& metrics);

/// Progress on stderr: a bar on a terminal, else a line every few seconds.
class ProgressLine {
 public:
  ProgressLine();
  ~ProgressLine();  // leaves the terminal on a line of its own
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void show(const TrainProgress& progress);
  /// A line of its own above the bar.
  void note(const std::string& line);

 private:
  bool is_terminal_ = false;
  bool is_drawn_ = false;
  std::chrono::steady_clock::time_point shown_;
};

}  // namespace ambidex
