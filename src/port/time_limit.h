// SPDX-License-Identifier: Apache-2.0
// A time within which all that this process asks of ambidex-clang and ambidex-simt has to be done:
// for candidates that somebody else has written, each of which may take as long as it likes.
#pragma once

#include <chrono>

namespace ambidex {

/// Holds for all threads from its construction to its end, one within another; the nearest counts.
/// What is still running when the time is up is killed, and its caller gets the Error of a program
/// that took too long.
class TimeLimit {
 public:
  explicit TimeLimit(double seconds);
  ~TimeLimit();
  TimeLimit(const TimeLimit&) = delete;
  TimeLimit& operator=(const TimeLimit&) = delete;

  bool is_over() const;
  /// `max_seconds`, or what the limits leave of them; > 0.
  static double seconds_of(double max_seconds);

 private:
  std::chrono::steady_clock::time_point end_;
  const TimeLimit* outer_;
};

}  // namespace ambidex
