// SPDX-License-Identifier: Apache-2.0
#include "simt/barriers.h"

#include <fmt/format.h>

#include <bit>
#include <utility>

#include "simt/launch.h"
#include "simt/schedule.h"
#include "simt/words.h"

namespace ambidex::simt {
namespace {

uint32_t first_lane(uint64_t lanes) { return static_cast<uint32_t>(std::countr_zero(lanes)); }

SimtProblem barrier_problem(const Wave& wave, SimtProblemKind kind, std::string message) {
  const uint32_t lane = first_lane(wave.at_barrier);
  return {.kind = kind,
          .block = wave.block->index,
          .thread = thread_of(wave, lane),
          .program_counter = wave.waits[lane].site,
          .message = std::move(message)};
}

void report_exited(const Wave& wave, bool lockstep) {
  report(*worker->launch,
         barrier_problem(
             wave,
             lockstep ? SimtProblemKind::barrier_divergence : SimtProblemKind::partial_exit_barrier,
             fmt::format("lanes {} of wave {} wait at a barrier of the block, but "
                         "lanes {} have exited",
                         lanes_text(wave.at_barrier), wave.index, lanes_text(wave.exited))));
}

void report_mixed(const Wave& wave) {
  const uintptr_t site = wave.waits[first_lane(wave.at_barrier)].site;
  uint64_t same = 0;
  for (uint32_t lane = 0; lane < kMaxWaveWidth; ++lane) {
    if (wave.at_barrier >> lane & 1 && wave.waits[lane].site == site) same |= bit(lane);
  }
  const uint64_t others = wave.at_barrier & ~same;
  SimtProblem problem = barrier_problem(
      wave, SimtProblemKind::barrier_divergence,
      fmt::format("lanes {} of wave {} wait at one barrier of the block, lanes {} at another",
                  lanes_text(same), wave.index, lanes_text(others)));
  problem.other_program_counter = wave.waits[first_lane(others)].site;
  report(*worker->launch, std::move(problem));
}

NamedBarrier& arrive_named(Fiber& fiber, uintptr_t site, uint32_t id, uint32_t num_threads) {
  Block& block = worker->block;
  NamedBarrier& barrier = block.named[id];
  if (barrier.num_threads != 0 && barrier.num_threads != num_threads) {
    report(*worker->launch,
           {.kind = SimtProblemKind::barrier_divergence,
            .block = block.index,
            .thread = fiber.who.thread,
            .program_counter = site,
            .message = fmt::format("named barrier {} is asked to wait for {} threads, but those "
                                   "that have come wait for {}",
                                   id, num_threads, barrier.num_threads)});
  }
  barrier.num_threads = num_threads;
  barrier.arrived.push_back(fiber.self.linear_thread);
  ++worker->counts.named_barriers;
  return barrier;
}

}  // namespace

void block_barrier(Fiber& fiber, uintptr_t site, bool predicate) {
  Worker& w = *worker;
  Block& block = w.block;
  Wave& wave = *fiber.wave;
  if (wave.at_barrier && wave.waits[first_lane(wave.at_barrier)].site != site) {
    wave.barrier_mixed = true;
  }
  wave.waits[fiber.lane] = {.kind = WaitKind::barrier, .site = site};
  wave.runnable &= ~bit(fiber.lane);
  wave.at_barrier |= bit(fiber.lane);
  ++block.at_barrier;
  block.predicate_sum += predicate;
  ++block.predicate_count;
  block.idle_rounds = 0;
  complete_barrier_if_all_came(w);
  if (wave.at_barrier >> fiber.lane & 1) wait_until_released(fiber);
}

void complete_barrier_if_all_came(Worker& w) {
  if (w.block.at_barrier > 0 && w.block.at_barrier == w.block.live) complete_barrier(w);
}

void complete_barrier(Worker& w) {
  Block& block = w.block;
  for (Wave& wave : block.waves) {
    if (!wave.at_barrier) continue;
    ++w.counts.barriers;
    if (wave.exited) report_exited(wave, w.lockstep);
    if (wave.barrier_mixed && w.lockstep) report_mixed(wave);
    wave.barrier_mixed = false;
    release(wave, wave.at_barrier);
  }
  block.at_barrier = 0;
  block.barrier_sum = std::exchange(block.predicate_sum, 0);
  block.barrier_count = std::exchange(block.predicate_count, 0);
  if (w.tally) w.tally->block_barrier();
  if (w.checker) w.checker->block_barrier();
}

void named_barrier(Fiber& fiber, uintptr_t site, uint32_t id, uint32_t num_threads, bool wait) {
  Worker& w = *worker;
  Wave& wave = *fiber.wave;
  const uint32_t block_threads = static_cast<uint32_t>(w.block.fibers.size());
  if (id >= kNumNamedBarriers || num_threads > block_threads) {
    end_with_trap(
        fiber, site,
        fmt::format("named barrier {} for {} threads: there are {} barriers, and {} threads", id,
                    num_threads, kNumNamedBarriers, block_threads));
  }
  if (num_threads == 0) num_threads = block_threads;
  w.block.idle_rounds = 0;
  NamedBarrier& barrier = arrive_named(fiber, site, id, num_threads);
  if (wait) {
    wave.waits[fiber.lane] = {.kind = WaitKind::named_barrier, .site = site, .barrier = id};
    wave.runnable &= ~bit(fiber.lane);
    wave.at_named |= bit(fiber.lane);
  }
  if (barrier.arrived.size() >= num_threads) complete_named_barrier(w, id);
  if (wave.at_named >> fiber.lane & 1) wait_until_released(fiber);
}

void complete_named_barrier(Worker& w, uint32_t id) {
  NamedBarrier& barrier = w.block.named[id];
  std::vector<uint32_t> waiting;
  for (const uint32_t thread : barrier.arrived) {
    const Fiber& fiber = w.block.fibers[thread];
    Wave& wave = *fiber.wave;
    const Wait& wait = wave.waits[fiber.lane];
    if (!(wave.at_named >> fiber.lane & 1) || wait.barrier != id) continue;
    waiting.push_back(thread);
    release(wave, bit(fiber.lane));
  }
  if (w.checker) w.checker->named_barrier(barrier.arrived, waiting);
  barrier.arrived.clear();
  barrier.num_threads = 0;
}

void grid_barrier(Fiber& fiber, uintptr_t site) {
  Worker& w = *worker;
  if (!w.launch->shape.cooperative) {
    end_with_trap(fiber, site, "a barrier of the grid in a launch that is not cooperative");
  }
  Wave& wave = *fiber.wave;
  wave.waits[fiber.lane] = {.kind = WaitKind::grid_barrier, .site = site};
  wave.runnable &= ~bit(fiber.lane);
  wave.at_grid |= bit(fiber.lane);
  ++w.block.at_grid;
  w.block.idle_rounds = 0;
  wait_until_released(fiber);
}

void complete_grid_barrier(Worker& w) {
  ++w.counts.grid_barriers;
  if (w.tally) w.tally->block_barrier();
  if (w.checker) w.checker->block_barrier();
  wait_for_grid(*w.launch);
  if (w.checker) w.checker->block_barrier();
  for (Wave& wave : w.block.waves) {
    if (wave.at_grid) release(wave, wave.at_grid);
  }
  w.block.at_grid = 0;
}

}  // namespace ambidex::simt
