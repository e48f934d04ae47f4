// SPDX-License-Identifier: Apache-2.0
#include "simt/collectives.h"

#include <fmt/format.h>

#include <bit>
#include <utility>

#include "simt/launch.h"
#include "simt/schedule.h"
#include "simt/words.h"

namespace ambidex::simt {
namespace {

template <class F>
void for_each_lane(uint64_t lanes, F&& f) {
  for (; lanes != 0; lanes &= lanes - 1) f(static_cast<uint32_t>(std::countr_zero(lanes)));
}

void report_inactive(const Wave& wave, uint32_t lane, uint64_t lanes) {
  const uint32_t source = wave.source[lane];
  const bool exists = wave.present >> source & 1;
  const bool waits = exists && !(wave.exited >> source & 1);
  report(
      *worker->launch,
      {.kind = SimtProblemKind::inactive_lane_read,
       .block = wave.block->index,
       .thread = thread_of(wave, lane),
       .program_counter = wave.waits[lane].site,
       .other_program_counter = waits ? wave.waits[source].site : 0,
       .message = fmt::format("lane {} of wave {} reads from lane {}, which {}; lanes {} take part",
                              lane, wave.index, source,
                              waits    ? "is elsewhere"
                              : exists ? "has exited"
                                       : "does not exist",
                              lanes_text(lanes))});
}

void exchange(Wave& wave, uint64_t lanes) {
  for_each_lane(lanes, [&](uint32_t lane) {
    const uint32_t source = wave.source[lane];
    if (lanes >> source & 1) {
      wave.result[lane] = wave.value[source];
    } else if (worker->launch->options.lenient_shuffles) {
      wave.result[lane] = 0;
    } else {
      wave.result[lane] = kPoison;
      report_inactive(wave, lane, lanes);
    }
  });
}

void vote(Wave& wave, uint64_t lanes) {
  uint64_t ballot = 0;
  for_each_lane(lanes, [&](uint32_t lane) { ballot |= uint64_t{wave.value[lane] != 0} << lane; });
  for_each_lane(lanes, [&](uint32_t lane) { wave.result[lane] = ballot; });
}

void combine(Wave& wave, uint64_t lanes, Combine function) {
  std::array<void*, kMaxWaveWidth> payloads{};
  for_each_lane(lanes, [&](uint32_t lane) {
    payloads[lane] = reinterpret_cast<void*>(static_cast<uintptr_t>(wave.value[lane]));
  });
  // It goes over the stacks of all lanes, which no single one of them may touch.
  Current* const lane = std::exchange(current, nullptr);
  function(payloads.data(), static_cast<uint32_t>(worker->width));
  current = lane;
}

/// Each lane in its own mask, and the masks together the active lanes.
void check_masks(Wave& wave, uint64_t lanes) {
  uint64_t all = 0;
  for_each_lane(lanes, [&](uint32_t lane) { all |= wave.value[lane]; });
  for_each_lane(lanes, [&](uint32_t lane) {
    const uint64_t mask = wave.value[lane];
    const bool own = mask >> lane & 1;
    if (own && all == lanes) return;
    report(*worker->launch,
           {.kind = SimtProblemKind::mask_mismatch,
            .block = wave.block->index,
            .thread = thread_of(wave, lane),
            .program_counter = wave.waits[lane].site,
            .message = own ? fmt::format("the masks of the active lanes together name lanes {}, "
                                         "but lanes {} of wave {} are active",
                                         lanes_text(all), lanes_text(lanes), wave.index)
                           : fmt::format("lane {} of wave {} is not in its own mask, lanes {}",
                                         lane, wave.index, lanes_text(mask))});
  });
}

void count(const Wave& wave, uint64_t lanes, WaitKind kind) {
  SimtCounts& counts = worker->counts;
  ++counts.wave_collectives;
  counts.shuffles += kind == WaitKind::shuffle;
  counts.votes += kind == WaitKind::ballot || kind == WaitKind::active_lanes;
  counts.wave_barriers += kind == WaitKind::wave_barrier;
  counts.other_collectives += kind == WaitKind::combine;
  counts.diverged_collectives += lanes != wave.present;
  counts.collective_lanes += std::popcount(lanes);
}

void execute(Wave& wave, uint64_t lanes, WaitKind kind, Combine function) {
  if (kind == WaitKind::access || kind == WaitKind::latch) return;
  if (kind == WaitKind::check_mask) return check_masks(wave, lanes);
  count(wave, lanes, kind);
  if (worker->tally && lanes == (wave.present & ~wave.exited))
    worker->tally->wave_meets(wave.index);
  // CUDA's shuffles and votes order no memory; in lockstep all that a lane does before one comes
  // before what any does after it.
  const bool orders = kind == WaitKind::wave_barrier || kind == WaitKind::combine ||
                      (worker->lockstep && kind != WaitKind::active_lanes);
  if (worker->checker && orders) worker->checker->wave_barrier(wave.index, lanes);
  switch (kind) {
    case WaitKind::shuffle:
      return exchange(wave, lanes);
    case WaitKind::ballot:
      return vote(wave, lanes);
    case WaitKind::active_lanes:
      return for_each_lane(lanes, [&](uint32_t lane) { wave.result[lane] = lanes; });
    case WaitKind::combine:
      return combine(wave, lanes, function);
    default:
      return;
  }
}

bool same_collective(const Wait& a, const Wait& b) {
  if (a.kind != b.kind || a.mask != b.mask || a.combine != b.combine) return false;
  return !worker->lockstep || (a.site == b.site && a.depth == b.depth);
}

/// With an explicit mask; false if others are missing.
bool arrive_in_group(Fiber& fiber, const Wait& wait) {
  Wave& wave = *fiber.wave;
  size_t i = 0;
  while (i < wave.groups.size() && !same_collective(wave.groups[i].wait, wait)) ++i;
  if (i == wave.groups.size()) wave.groups.push_back({wait, 0});
  wave.groups[i].arrived |= bit(fiber.lane);
  wave.runnable &= ~bit(fiber.lane);
  wave.grouped |= bit(fiber.lane);
  if (wave.groups[i].arrived != required(wave, wait.mask)) return false;
  complete_group(wave, i);
  return true;
}

void report_foreign_mask(const Fiber& fiber, const Wait& wait) {
  report(*worker->launch,
         {.kind = SimtProblemKind::mask_mismatch,
          .block = fiber.wave->block->index,
          .thread = fiber.who.thread,
          .program_counter = wait.site,
          .message = fmt::format("lane {} of wave {} is not in its own mask, lanes {}; it goes on "
                                 "alone",
                                 fiber.lane, fiber.wave->index, lanes_text(wait.mask))});
}

}  // namespace

bool take_part(Fiber& fiber, const Wait& wait, uint64_t value, uint32_t source) {
  Wave& wave = *fiber.wave;
  const uint32_t lane = fiber.lane;
  wave.waits[lane] = wait;
  wave.value[lane] = value;
  wave.source[lane] = source & static_cast<uint32_t>(worker->width - 1);
  wave.block->idle_rounds = 0;
  if (wait.mask == 0) {
    wave.runnable &= ~bit(lane);
    wave.converged |= bit(lane);
    return false;
  }
  if (wait.mask >> lane & 1) return arrive_in_group(fiber, wait);
  report_foreign_mask(fiber, wait);
  execute(wave, bit(lane), wait.kind, wait.combine);
  return true;
}

void complete_group(Wave& wave, size_t index) {
  const Group group = wave.groups[index];
  wave.groups[index] = wave.groups.back();
  wave.groups.pop_back();
  execute(wave, group.arrived, group.wait.kind, group.wait.combine);
  release(wave, group.arrived);
}

void after_exit(Wave& wave) {
  for (size_t i = wave.groups.size(); i-- > 0;) {
    if (i < wave.groups.size() &&
        wave.groups[i].arrived == required(wave, wave.groups[i].wait.mask)) {
      complete_group(wave, i);
    }
  }
}

namespace {

/// The lanes, of `lanes`, at the site that is furthest inside.
uint64_t innermost(const Wave& wave, uint64_t lanes) {
  const Wait* best = nullptr;
  uint64_t group = 0;
  for_each_lane(lanes, [&](uint32_t lane) {
    const Wait& wait = wave.waits[lane];
    if (best && wait.site == best->site && wait.depth == best->depth && wait.kind == best->kind) {
      group |= bit(lane);
    } else if (!best || wait.depth > best->depth ||
               (wait.depth == best->depth && wait.site < best->site)) {
      best = &wait;
      group = bit(lane);
    }
  });
  return group;
}

/// Others go first, although lockstep hardware would run the lanes that spin: if it is sure that
/// they are in a loop that the others are not in.
void watch_spinning(Wave& wave, uint64_t spinning) {
  const auto lane = static_cast<uint32_t>(std::countr_zero(spinning));
  const Spin& spin = wave.fibers[lane].spin;
  if (!spin.latched) return;
  const auto* word = reinterpret_cast<const uint32_t*>(spin.address & ~uintptr_t{3});
  wave.watch = {
      .word = word, .value = read_word(word), .lane = lane, .site = wave.waits[lane].site};
}

}  // namespace

void resolve(Wave& wave) {
  uint64_t lanes = innermost(wave, wave.converged);
  if (!(lanes & ~wave.spinning)) {
    const uint64_t willing = wave.converged & ~wave.spinning;
    if (willing == 0) {  // other waves go first
      wave.yielded |= wave.converged;
      wave.block->num_yielded += std::popcount(wave.converged);
      wave.converged = 0;
      return;
    }
    if (!wave.watch.word) watch_spinning(wave, lanes);
    lanes = innermost(wave, willing);
  }
  const Wait& wait = wave.waits[static_cast<uint32_t>(std::countr_zero(lanes))];
  execute(wave, lanes, wait.kind, wait.combine);
  release(wave, lanes);
}

}  // namespace ambidex::simt
