// SPDX-License-Identifier: Apache-2.0
#include "simt/schedule.h"

#include <fmt/format.h>

#include <bit>
#include <utility>

#include "simt/barriers.h"
#include "simt/collectives.h"
#include "simt/launch.h"
#include "simt/spin.h"
#include "simt/stuck.h"
#include "simt/words.h"

namespace ambidex::simt {

constinit thread_local Worker* worker = nullptr;
constinit thread_local Current* current = nullptr;

namespace {

constexpr int kSwitchesPerCheck = 1024;
constexpr int64_t kTicksPerCheck = 1 << 16;
// Rounds in which a block does nothing but yield, before ...
constexpr int64_t kRoundsBeforeHandOver = 4;        // ... other blocks get its turn
constexpr int64_t kRoundsBeforeDivergence = 64;     // ... its lanes go on without the yielding ones
constexpr int64_t kRoundsBeforeHopeless = 1 << 20;  // ... and nobody else exists: it never ends

/// Whether the memory of the launch has shown as many problems as the caller wants.
void stop_if_full(Launch& launch) {
  if (launch.checker && launch.checker->full()) launch.stop = true;
}

bool past_deadline(const Launch& launch) {
  return launch.options.max_seconds > 0.0 && std::chrono::steady_clock::now() > launch.deadline;
}

void report_deadline(Worker& w) {
  report(*w.launch, {.kind = SimtProblemKind::deadline,
                     .block = w.block.index,
                     .message = fmt::format("the launch has run for more than {} seconds",
                                            w.launch->options.max_seconds)});
  w.launch->stop = true;
}

Fiber& take_lane(Wave& wave, uint32_t width) {
  if (wave.watch.word) wave.watch.value = read_word(wave.watch.word);  // others may have run
  for (;;) {
    wave.cursor = (wave.cursor + 1) & (width - 1);
    const uint32_t lane = wave.order[wave.cursor];
    if (wave.runnable >> lane & 1) return wave.fibers[lane];
  }
}

/// The next wave that may have runnable lanes; null if there is none.
Wave* next_wave(Block& block) {
  if (block.ready == 0) return nullptr;
  const uint32_t turn = (block.position + 1) & 63;
  const int ahead = std::countr_zero(std::rotr(block.ready, static_cast<int>(turn)));
  block.position = (turn + static_cast<uint32_t>(ahead)) & 63;
  return &block.waves[block.wave_order[block.position]];
}

void release_yielded(Block& block) {
  for (Wave& wave : block.waves) {
    if (wave.yielded) release(wave, wave.yielded);
  }
  block.num_yielded = 0;
}

/// Threads only yield: they wait for another block, for time to pass, or for ever.
void after_idle_round(Worker& w) {
  Block& block = w.block;
  const int64_t rounds = ++block.idle_rounds;
  if (past_deadline(*w.launch)) return report_deadline(w);
  if (rounds % kRoundsBeforeDivergence == 0) {
    for (Wave& wave : block.waves) {
      if (wave.converged) resolve(wave);
    }
  }
  if (rounds >= kRoundsBeforeHandOver) hand_over(*w.launch, true);
  if (rounds >= kRoundsBeforeHopeless && alone(*w.launch)) report_hopeless(w);
}

/// When no wave is ready. False if the block has ended.
bool wake(Worker& w) {
  Block& block = w.block;
  if (block.live == 0) return false;
  if (block.num_yielded > 0) {
    after_idle_round(w);
    release_yielded(block);
  } else if (block.at_grid == block.live) {
    complete_grid_barrier(w);
  } else {
    unstick(w);
  }
  return true;
}

/// After `wave` ran: the fiber that runs next; the worker's own if the block or launch has ended.
Fiber& next_fiber(Worker& w, Wave* wave) {
  if (--w.switches_until_check <= 0) {
    w.switches_until_check = kSwitchesPerCheck;
    if (past_deadline(*w.launch)) report_deadline(w);
  }
  for (;;) {
    if (w.launch->stop.load(std::memory_order_relaxed)) return w.main;
    if (wave->runnable) return take_lane(*wave, static_cast<uint32_t>(w.width));
    if (wave->converged && !wave->yielded) {
      resolve(*wave);
      continue;
    }
    stop_if_full(*w.launch);
    w.block.ready &= ~bit(wave->position);
    Wave* const next = next_wave(w.block);
    if (next != nullptr) {
      wave = next;
    } else if (!wake(w)) {
      return w.main;
    }
  }
}

void run_thread() {
  Worker& w = *worker;
  w.launch->kernel(w.launch->arguments);
  Fiber& self = current_fiber();
  Wave& wave = *self.wave;
  wave.runnable &= ~bit(self.lane);
  wave.exited |= bit(self.lane);
  --w.block.live;
  w.block.idle_rounds = 0;
  if (wave.watch.word) check_watch(self);
  after_exit(wave);
  complete_barrier_if_all_came(w);
  leave_fiber(self, next_fiber(w, &wave));
}

}  // namespace

void release(Wave& wave, uint64_t lanes) {
  wave.yielded &= ~lanes;
  wave.converged &= ~lanes;
  wave.grouped &= ~lanes;
  wave.at_barrier &= ~lanes;
  wave.at_named &= ~lanes;
  wave.at_grid &= ~lanes;
  wave.spinning &= ~lanes;
  wave.runnable |= lanes;
  wave.block->ready |= bit(wave.position);
}

Fiber& next_after(Fiber& fiber) {
  if (fiber.wave->watch.word) check_watch(fiber);
  return next_fiber(*worker, fiber.wave);
}

void yield(Fiber& fiber, uintptr_t site) {
  Wave& wave = *fiber.wave;
  ++worker->counts.yields;
  ++worker->block.num_yielded;
  wave.waits[fiber.lane] = {.kind = WaitKind::yield, .site = site};
  wave.runnable &= ~bit(fiber.lane);
  wave.yielded |= bit(fiber.lane);
  wait_until_released(fiber);
}

void end_launch(Fiber& fiber) {
  worker->launch->stop = true;
  leave_fiber(fiber, worker->main);
}

void end_with_trap(Fiber& fiber, uintptr_t site, std::string message) {
  report(*worker->launch, {.kind = SimtProblemKind::trap,
                           .block = worker->block.index,
                           .thread = fiber.who.thread,
                           .program_counter = site,
                           .message = std::move(message)});
  end_launch(fiber);
}

void check_end(Fiber& fiber) {
  Worker& w = *worker;
  stop_if_full(*w.launch);
  if (past_deadline(*w.launch)) report_deadline(w);
  if (w.launch->stop.load(std::memory_order_relaxed)) end_launch(fiber);
}

void out_of_ticks() {
  current->ticks = kTicksPerCheck;
  check_end(current_fiber());
}

void stop_thread() { end_launch(current_fiber()); }

void run_fibers(Worker& w) {
  for (Fiber& fiber : w.block.fibers) prepare_fiber(fiber, run_thread);
  Block& block = w.block;
  Fiber& first = next_fiber(w, &block.waves[block.wave_order[0]]);
  if (&first != &w.main) switch_fiber(w.main, first);
  current = nullptr;
}

}  // namespace ambidex::simt
