// SPDX-License-Identifier: Apache-2.0
#include "port/time_limit.h"

#include <algorithm>
#include <atomic>

namespace ambidex {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kLeastSeconds = 1e-3;  // a process needs some

std::atomic<const TimeLimit*> innermost = nullptr;

}  // namespace

TimeLimit::TimeLimit(double seconds)
    : end_(Clock::now() + std::chrono::duration_cast<Clock::duration>(
                              std::chrono::duration<double>(std::clamp(seconds, 0.0, 1e6)))),
      outer_(innermost) {
  innermost = this;
}

TimeLimit::~TimeLimit() { innermost = outer_; }

bool TimeLimit::is_over() const { return Clock::now() >= end_; }

double TimeLimit::seconds_of(double max_seconds) {
  double seconds = max_seconds;
  for (const TimeLimit* limit = innermost; limit != nullptr; limit = limit->outer_) {
    const std::chrono::duration<double> left = limit->end_ - Clock::now();
    seconds = std::min(seconds, left.count());
  }
  return std::max(seconds, kLeastSeconds);
}

}  // namespace ambidex
