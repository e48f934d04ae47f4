// SPDX-License-Identifier: Apache-2.0
#include "simt/spin.h"

#include <fmt/format.h>

#include "simt/launch.h"
#include "simt/schedule.h"
#include "simt/words.h"

namespace ambidex::simt {
namespace {

constexpr int kReadsOfASpin = 32;  // of the same value at the same place, one after the other

bool in_vain(const Fiber& fiber) { return fiber.spin.count >= kReadsOfASpin; }

/// The lanes of the wave that are at the same site go on together. `in_vain`: the lane has been
/// here before without any effect.
void meet(Fiber& fiber, const Wait& wait, bool again) {
  Wave& wave = *fiber.wave;
  wave.waits[fiber.lane] = wait;
  wave.runnable &= ~bit(fiber.lane);
  wave.converged |= bit(fiber.lane);
  if (again) {
    wave.spinning |= bit(fiber.lane);
  } else {
    wave.block->idle_rounds = 0;
  }
  wait_until_released(fiber);
}

uintptr_t depth_of(const Fiber& fiber, uintptr_t frame) {
  return reinterpret_cast<uintptr_t>(fiber.stack.top) - frame;
}

}  // namespace

void before_ordered_access(AccessSort sort, uint64_t program_counter, uintptr_t frame) {
  Worker& w = *worker;
  ++w.counts.ordered_accesses;
  Fiber& fiber = current_fiber();
  fiber.at_access =
      w.lockstep && (sort == AccessSort::atomic || w.launch->options.lockstep_volatile);
  if (!fiber.at_access) return;
  meet(fiber, {.kind = WaitKind::access, .site = program_counter, .depth = depth_of(fiber, frame)},
       in_vain(fiber) && fiber.spin.program_counter == program_counter);
}

void latch(Fiber& fiber, uintptr_t site, uintptr_t frame) {
  fiber.spin.latched = true;
  meet(fiber, {.kind = WaitKind::latch, .site = site, .depth = depth_of(fiber, frame)},
       in_vain(fiber));
}

void on_atomic_read(uintptr_t address, uint64_t value, uint64_t program_counter) {
  Fiber& fiber = current_fiber();
  Spin& spin = fiber.spin;
  const bool same_place = spin.address == address && spin.program_counter == program_counter;
  if (same_place && spin.value == value) {
    --worker->counts.ordered_accesses;  // how often it polls is a matter of the schedule
    // In lockstep it waits before the next access, if accesses of that sort are points to wait at.
    if (++spin.count >= kReadsOfASpin && !fiber.at_access) yield(fiber, program_counter);
    return;
  }
  spin = {.address = address, .value = value, .program_counter = program_counter};
  Watch& watch = fiber.wave->watch;
  if (watch.word && watch.lane == fiber.lane) watch.word = nullptr;
}

void on_atomic_write(uintptr_t address) {
  Fiber& fiber = current_fiber();
  if (fiber.spin.address == address) fiber.spin.count = 0;
}

void check_watch(Fiber& fiber) {
  Wave& wave = *fiber.wave;
  Watch& watch = wave.watch;
  if (fiber.lane == watch.lane || read_word(watch.word) == watch.value) return;
  const bool exited = wave.exited >> fiber.lane & 1;
  report(*worker->launch, {.kind = SimtProblemKind::no_forward_progress,
                           .block = wave.block->index,
                           .thread = thread_of(wave, watch.lane),
                           .program_counter = watch.site,
                           .other_program_counter = exited ? 0 : wave.waits[fiber.lane].site,
                           .message = fmt::format(
                               "lane {} of wave {} waits for what lane {} writes, but in lockstep "
                               "that lane only goes on when the loop ends",
                               watch.lane, wave.index, fiber.lane)});
  watch.word = nullptr;
}

}  // namespace ambidex::simt
