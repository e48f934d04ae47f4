// SPDX-License-Identifier: Apache-2.0
// Barriers of the block and of the grid.
#pragma once

#include "simt/block.h"

namespace ambidex::simt {

/// The calling thread waits for all of the block that have not exited. Then block.barrier_sum and
/// barrier_count hold what `predicate` was in them, until the next barrier completes.
void block_barrier(Fiber& fiber, uintptr_t site, bool predicate);

/// PTX's bar.sync and bar.arrive of one thread; `num_threads` 0 for the whole block.
void named_barrier(Fiber& fiber, uintptr_t site, uint32_t id, uint32_t num_threads, bool wait);

void grid_barrier(Fiber& fiber, uintptr_t site);

/// A thread has come or exited.
void complete_barrier_if_all_came(Worker& w);
/// With those that are there.
void complete_barrier(Worker& w);
void complete_named_barrier(Worker& w, uint32_t id);
/// All threads of the block that have not exited wait for the grid.
void complete_grid_barrier(Worker& w);

}  // namespace ambidex::simt
