// SPDX-License-Identifier: Apache-2.0
// The problems of a launch, and how they are worded.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "simt/checker.h"
#include "simt/memory.h"

namespace ambidex::simt {

class ProblemList {
 public:
  explicit ProblemList(int max_problems) : max_problems_(max_problems) {}

  bool full() const { return full_.load(std::memory_order_relaxed); }
  /// Whether a problem of this kind at this program counter would be the first.
  bool is_new(SimtProblemKind kind, uint64_t program_counter);
  bool add(SimtProblem problem);
  std::vector<SimtProblem> take();

 private:
  int max_problems_;
  std::atomic<bool> full_{false};
  std::mutex mutex_;  // of the rest
  std::set<std::pair<SimtProblemKind, uint64_t>> known_;
  std::vector<SimtProblem> problems_;
};

/// "x[3]", "x[3] + 2 bytes", "x + 10 bytes" if elements are bytes, "x[-1]" before it; "x" if that
/// is all that there is.
std::string place_text(const SimtRegion& region, uintptr_t begin, int64_t num_bytes,
                       uintptr_t address);

/// "writes 4 bytes at x[100], ".
std::string access_text(const Access& what, const std::string& place);

/// What is wrong with an access that is not within `nearest`; or is within, if that has been
/// released or is constant. `nearest` may be null.
std::string bounds_text(const Access& what, const Nearest* nearest);

}  // namespace ambidex::simt
