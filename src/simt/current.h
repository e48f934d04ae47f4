// SPDX-License-Identifier: Apache-2.0
// The thread of the grid that the calling worker runs now: what the callbacks of instrumented
// loads and stores (tsan.cc) need of the scheduler, which defines all that is declared here.
#pragma once

#include <cstdint>

#include "simt/checker.h"
#include "simt/tally.h"

namespace ambidex::simt {

struct Current {
  BlockChecker* checker = nullptr;  // null: unchecked launch
  BlockTally* tally = nullptr;      // null: nothing is counted
  const Accessor* who = nullptr;
  int64_t ticks = 0;  // each access takes one; at 0, out_of_ticks() is called
};

/// Null outside of kernels. Set by the scheduler at each switch; a fiber never changes its worker.
extern constinit thread_local Current* current;

/// Sets `current->ticks` anew, and ends the launch if its deadline has passed.
void out_of_ticks();
/// Ends the launch; the problem has been reported. Does not return to the kernel.
[[noreturn]] void stop_thread();
/// An atomic or volatile access has seen `value` at `address`. Spin detection: a thread that reads
/// the same value there again and again waits, and others must run.
void on_atomic_read(uintptr_t address, uint64_t value, uint64_t program_counter);
/// A store or an atomic that changed memory at `address`: progress.
void on_atomic_write(uintptr_t address);

}  // namespace ambidex::simt
