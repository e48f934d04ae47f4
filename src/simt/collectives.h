// SPDX-License-Identifier: Apache-2.0
// Collectives of a wave: which lanes execute one together, and what it gives them.
#pragma once

#include "simt/block.h"

namespace ambidex::simt {

/// What a lane reads from one that takes no part.
inline constexpr uint64_t kPoison = 0xdeadbeefdeadbeef;

/// The calling lane takes part with `value` (and `source`, for a shuffle). False if it must wait
/// until it is released; then wave.result has its result.
bool take_part(Fiber& fiber, const Wait& wait, uint64_t value, uint32_t source);

/// The wave has come to a stop: lets the lanes of one site, of those that wait in `converged`, go
/// on: the site with the deepest stack and, of these, the lowest address; sites where all lanes
/// spin come after the others.
void resolve(Wave& wave);

/// A lane of the wave has exited: executes the collectives that waited for it alone.
void after_exit(Wave& wave);

/// Executes a collective with explicit mask although lanes are missing.
void complete_group(Wave& wave, size_t index);

/// Lanes of the wave that a collective with `mask` waits for.
inline uint64_t required(const Wave& wave, uint64_t mask) {
  return mask & wave.present & ~wave.exited;
}

}  // namespace ambidex::simt
