// SPDX-License-Identifier: Apache-2.0
// Who runs next: lanes of a wave until none of it can go on, then the next wave; and what happens
// when nobody can.
#pragma once

#include <string>

#include "simt/block.h"
#include "simt/fiber.h"

namespace ambidex::simt {

/// Runs the threads of the worker's block, which is prepared, until all have exited or the launch
/// has ended.
void run_fibers(Worker& w);

/// Lets lanes that wait go on.
void release(Wave& wave, uint64_t lanes);

/// Who runs when `fiber` cannot go on; may be itself.
Fiber& next_after(Fiber& fiber);

/// The calling fiber waits, and others run, until it is released. It must have been taken out of
/// `runnable` and put into the set of what it waits for.
[[gnu::always_inline]] inline void wait_until_released(Fiber& fiber) {
  Fiber& next = next_after(fiber);
  if (&next != &fiber) switch_fiber(fiber, next);
}

/// The calling fiber lets the others run, wave by wave, and goes on after them.
void yield(Fiber& fiber, uintptr_t site);

/// Ends the launch. Never returns to the kernel.
[[noreturn]] void end_launch(Fiber& fiber);

/// The same, with a problem of the kind trap that says why.
[[noreturn]] void end_with_trap(Fiber& fiber, uintptr_t site, std::string message);

/// Ends the launch if its time is over or a worker has ended it.
void check_end(Fiber& fiber);

}  // namespace ambidex::simt
