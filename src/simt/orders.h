// SPDX-License-Identifier: Apache-2.0
// Which accesses of a block's threads happen before which: a clock for the block that ticks at
// each event that orders, and for each thread the time up to which it knows each other's accesses.
// What a block barrier or a barrier of a whole wave orders is kept once for all; what lanes of a
// diverged wave, named barriers and fences order, thread by thread.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "simt/checker.h"

namespace ambidex::simt {

using Time = uint32_t;
using Known = std::vector<Time>;  // by linear thread: its accesses up to then are known

class Orders {
 public:
  Orders(uint32_t num_threads, uint32_t wave_width);

  /// Of accesses that are made now.
  Time now() const { return now_; }
  /// Accesses up to then were made in an earlier block.
  Time block_begin() const { return block_begin_; }
  bool too_late() const { return now_ > kLastTime; }  // restart() before the next block

  void restart();  // time begins anew: stamps of before must be forgotten
  void begin_block();
  void block_barrier();
  void wave_barrier(uint32_t wave, uint64_t lanes);
  void named_barrier(std::span<const uint32_t> arrived, std::span<const uint32_t> waiting);
  void fence(uint32_t thread);
  /// An access that may carry an order, by what was fenced before it or will be after it.
  void atomic(uint32_t thread, uintptr_t address, AccessKind kind, Order order);

  /// Whether a barrier of the whole block came after it.
  bool all_know(Time time) const { return time <= block_known_; }
  /// Whether what `other` did at `time` happens before what `thread` does now.
  bool knows(uint32_t thread, uint32_t other, Time time) const {
    return time <= block_known_ || thread == other || knows_within(thread, other, time);
  }

 private:
  static constexpr Time kLastTime = Time{1} << 31;
  using Shared = std::shared_ptr<const Known>;

  bool knows_within(uint32_t thread, uint32_t other, Time time) const;
  Known all_known(uint32_t thread, Time own) const;
  static void join(Shared& into, const Shared& other);
  void forget_fences();
  void join_far(uint32_t first, uint64_t lanes);
  Time* lanes_of(uint32_t thread) { return &by_lane_[size_t{thread} * wave_width_]; }
  const Time* lanes_of(uint32_t thread) const { return &by_lane_[size_t{thread} * wave_width_]; }

  uint32_t num_threads_, wave_width_;
  Time now_ = 1, block_begin_ = 0, block_known_ = 0;
  std::vector<Time> by_wave_;    // [wave]: all its lanes know each other up to then
  std::vector<Time> by_lane_;    // [thread, lane of its wave]
  std::vector<Shared> far_;      // [thread] beyond its wave, or by fences; null: nothing
  std::vector<Shared> pending_;  // [thread] read by atomics, known after the next fence
  std::vector<Time> fenced_;     // [thread] its accesses up to then go with its atomic writes
  std::unordered_map<uintptr_t, Shared> carried_;  // by the atomic at an address
  bool any_far_ = false;
};

}  // namespace ambidex::simt
