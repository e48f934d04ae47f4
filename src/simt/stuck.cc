// SPDX-License-Identifier: Apache-2.0
#include "simt/stuck.h"

#include <fmt/format.h>

#include <bit>

#include "simt/barriers.h"
#include "simt/collectives.h"
#include "simt/launch.h"
#include "simt/schedule.h"
#include "simt/words.h"

namespace ambidex::simt {
namespace {

uint32_t first_lane(uint64_t lanes) { return static_cast<uint32_t>(std::countr_zero(lanes)); }

/// The first wave with lanes in `set`; null if there is none.
Wave* first_wave(Block& block, uint64_t Wave::*set) {
  for (Wave& wave : block.waves) {
    if (wave.*set) return &wave;
  }
  return nullptr;
}

/// A collective with an explicit mask whose missing lanes wait elsewhere.
void unstick_group(Wave& wave) {
  const Group& group = wave.groups.front();
  const uint64_t missing = required(wave, group.wait.mask) & ~group.arrived;
  const uint32_t lane = first_lane(group.arrived);
  const uint32_t other = first_lane(missing);
  const Wait& elsewhere = wave.waits[other];
  report(*worker->launch,
         {.kind = SimtProblemKind::mask_mismatch,
          .block = wave.block->index,
          .thread = thread_of(wave, lane),
          .program_counter = wave.waits[lane].site,
          .other_program_counter = elsewhere.site,
          .message = fmt::format("lanes {} of wave {} are at {}, but lane {} waits at {}",
                                 lanes_text(group.arrived), wave.index, wait_text(group.wait),
                                 other, wait_text(elsewhere))});
  complete_group(wave, 0);
}

/// `wave` has lanes in `waiting` at a barrier that threads at another barrier never reach.
void report_apart(const Wave& wave, uint64_t waiting, const Wave& other_wave, uint64_t others) {
  const uint32_t lane = first_lane(waiting);
  const uint32_t other = first_lane(others);
  report(*worker->launch,
         {.kind = SimtProblemKind::barrier_divergence,
          .block = wave.block->index,
          .thread = thread_of(wave, lane),
          .program_counter = wave.waits[lane].site,
          .other_program_counter = other_wave.waits[other].site,
          .message = fmt::format("lanes {} of wave {} wait at {}, but lanes {} of wave {} at {}",
                                 lanes_text(waiting), wave.index, wait_text(wave.waits[lane]),
                                 lanes_text(others), other_wave.index,
                                 wait_text(other_wave.waits[other]))});
}

void unstick_named(Worker& w, const Wave& wave) {
  const uint32_t lane = first_lane(wave.at_named);
  const uint32_t id = wave.waits[lane].barrier;
  const NamedBarrier& barrier = w.block.named[id];
  report(*w.launch, {.kind = SimtProblemKind::deadlock,
                     .block = w.block.index,
                     .thread = thread_of(wave, lane),
                     .program_counter = wave.waits[lane].site,
                     .message = fmt::format("named barrier {} waits for {} threads, {} have come, "
                                            "and no other can go on",
                                            id, barrier.num_threads, barrier.arrived.size())});
  complete_named_barrier(w, id);
}

}  // namespace

void unstick(Worker& w) {
  Block& block = w.block;
  for (Wave& wave : block.waves) {
    if (!wave.groups.empty()) return unstick_group(wave);
  }
  const Wave* const at_barrier = first_wave(block, &Wave::at_barrier);
  const Wave* const at_named = first_wave(block, &Wave::at_named);
  const Wave* const at_grid = first_wave(block, &Wave::at_grid);
  if (at_barrier && at_named) {
    report_apart(*at_barrier, at_barrier->at_barrier, *at_named, at_named->at_named);
    complete_barrier(w);
  } else if (at_named) {
    unstick_named(w, *at_named);
  } else if (at_barrier && at_grid) {
    report_apart(*at_barrier, at_barrier->at_barrier, *at_grid, at_grid->at_grid);
    complete_barrier(w);
  } else {
    check(false, "a block without runnable threads has threads that wait");
  }
}

void report_hopeless(Worker& w) {
  const Wave* wave = first_wave(w.block, &Wave::yielded);
  const uint32_t lane = first_lane(wave->yielded);
  report(*w.launch, {.kind = SimtProblemKind::no_forward_progress,
                     .block = w.block.index,
                     .thread = thread_of(*wave, lane),
                     .program_counter = wave->waits[lane].site,
                     .message = fmt::format("lanes {} of wave {} wait at {} for what nobody does",
                                            lanes_text(wave->yielded), wave->index,
                                            wait_text(wave->waits[lane]))});
  w.launch->stop = true;
}

}  // namespace ambidex::simt
