// SPDX-License-Identifier: Apache-2.0
// Lanes and threads in messages, and words of memory that others may write.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "simt/block.h"

namespace ambidex::simt {

/// "0-15, 17" for a mask; "none" if empty.
std::string lanes_text(uint64_t lanes);
/// "a shuffle of lanes 0-31", "a barrier of the block": what the lane waits for.
std::string wait_text(const Wait& wait);

inline std::array<uint32_t, 3> thread_of(const Wave& wave, uint32_t lane) {
  return wave.fibers[lane].who.thread;
}

/// Of kernel memory, which may be of any type and written by another worker at the same time.
uint32_t read_word(const uint32_t* word);

}  // namespace ambidex::simt
