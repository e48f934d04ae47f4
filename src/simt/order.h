// SPDX-License-Identifier: Apache-2.0
// The order of blocks, of the waves of a block and of the lanes of a wave, from a seed. Seed 0 is
// the order of their numbers.
#pragma once

#include <cstdint>
#include <span>

namespace ambidex::simt {

/// Number of the block that comes `position`-th of `num_blocks`. Without a table, as grids are
/// large: position * step + start, with a step that shares no factor with num_blocks.
int64_t block_at(uint64_t seed, int64_t position, int64_t num_blocks);

/// A permutation of 0, 1, ... for block `block`; `wave` -1 for that of its waves.
void order_of(uint64_t seed, int64_t block, int64_t wave, std::span<uint8_t> order);

}  // namespace ambidex::simt
