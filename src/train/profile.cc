// SPDX-License-Identifier: Apache-2.0
#include "train/profile.h"

#include <algorithm>

namespace ambidex {
namespace {

double seconds_between(std::chrono::steady_clock::time_point from,
                       std::chrono::steady_clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

}  // namespace

void Profile::add(const std::string& name, std::chrono::steady_clock::time_point from,
                  std::chrono::steady_clock::time_point to) {
  auto found = std::ranges::find(ops, name, &OpSeconds::name);
  if (found == ops.end()) found = ops.insert(ops.end(), {.name = name});
  const double seconds = seconds_between(from, to);
  ++found->count;
  found->seconds += seconds;
  if (spans.size() == kMaxSpans) return;
  spans.push_back(
      {static_cast<int32_t>(found - ops.begin()), seconds_between(begin, from), seconds});
}

}  // namespace ambidex
