// SPDX-License-Identifier: Apache-2.0
// Accesses that compilers for GPUs make one of: to a float4 by its four members, which reach the
// executor as four loads.
#pragma once

#include <span>

#include "simt/wave_tally.h"

namespace ambidex::simt {

/// Of accesses of one wave since its lanes last met, all loads, all stores or all to shared memory
/// (`has_words`): where every lane accesses the right half of an aligned piece of at most 16 bytes
/// whose left half it accesses at another site, as often, the right half becomes part of the left
/// one, and its site has no occurrences left.
void merge_neighbours(std::span<WaveSite*> sites, bool has_words);

}  // namespace ambidex::simt
