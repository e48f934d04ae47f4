// SPDX-License-Identifier: Apache-2.0
#include "port/further.h"

#include <utility>

namespace ambidex {

bool is_sound(const Replayed& run, Side side) {
  return run.status == "ended" && first_fault(run.problems, side) == nullptr;
}

BufferViews views(const Replayed& run) { return {run.buffers.begin(), run.buffers.end()}; }

void Further::run(const TracedLaunch& launch, RunManner how) {
  if (std::exchange(known_, true)) return;
  const auto add = [&](std::vector<Replayed>& runs, uint64_t seed, const char* rounding) {
    how.seed = seed;
    how.rounding = rounding;
    Replayed again = replay(launch, launch.symbol, how);
    if (is_sound(again, Side::original)) runs.push_back(std::move(again));
  };
  add(orders_, 1, "nearest");
  add(orders_, 2, "nearest");
  add(roundings_, 0, "up");
  add(roundings_, 0, "down");
  add(roundings_, 0, "mixed");  // in the same order: what an order does is no rounding
}

void Further::run_more(const TracedLaunch& launch, RunManner how) {
  constexpr uint64_t kFirst = 3, kLast = 10;
  if (std::exchange(all_known_, true)) return;
  for (how.seed = kFirst; how.seed <= kLast; ++how.seed) {
    Replayed again = replay(launch, launch.symbol, how);
    if (is_sound(again, Side::original)) orders_.push_back(std::move(again));
  }
}

FurtherRuns Further::runs() const {
  FurtherRuns all;
  for (const Replayed& run : orders_) all.orders.push_back(views(run));
  for (const Replayed& run : roundings_) all.roundings.push_back(views(run));
  return all;
}

}  // namespace ambidex
