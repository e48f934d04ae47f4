// SPDX-License-Identifier: Apache-2.0
// Volatile and atomic accesses, as far as they concern the order in which threads run: lanes in
// lockstep make them together, and a thread that reads the same value again and again lets others
// run. The callbacks of instrumented code (tsan.cc) tell of them; current.h has the other half:
// on_atomic_read() and on_atomic_write().
#pragma once

#include "simt/block.h"

namespace ambidex::simt {

/// To be called by every callback for an atomic or volatile access, before the access and before
/// it is checked. `frame` is __builtin_frame_address(0) of the callback that the kernel called.
/// Under lockstep the lanes of the wave that are at the same site pass together: for atomics
/// always, for volatile accesses with SimtOptions::lockstep_volatile.
void before_ordered_access(AccessSort sort, uint64_t program_counter, uintptr_t frame);

/// Under lockstep: the calling lane has come to the end of a round of a loop.
void latch(Fiber& fiber, uintptr_t site, uintptr_t frame);

/// A lane of a wave with a watch ran: reports if it has written what others of the wave spin on,
/// which they would have waited for in vain in lockstep.
void check_watch(Fiber& fiber);

}  // namespace ambidex::simt
