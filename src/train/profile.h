// SPDX-License-Identifier: Apache-2.0
// Seconds per op of training steps, under the names of ops_of(model).
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "ambidex/train.h"

namespace ambidex {

/// Filled by one thread. Spans are kept for the first steps only, so that memory stays bounded.
struct Profile {
  static constexpr size_t kMaxSpans = 100'000;
  std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();
  std::vector<OpSeconds> ops;  // in the order of their first run
  std::vector<OpSpan> spans;

  void add(const std::string& name, std::chrono::steady_clock::time_point from,
           std::chrono::steady_clock::time_point to);
};

/// Runs `op` and adds its time to `profile`, which may be null.
template <class Op>
void timed(Profile* profile, const std::string& name, const Op& op) {
  if (profile == nullptr) return op();
  const auto from = std::chrono::steady_clock::now();
  op();
  profile->add(name, from, std::chrono::steady_clock::now());
}

}  // namespace ambidex
