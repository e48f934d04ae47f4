// SPDX-License-Identifier: Apache-2.0
#include "simt/words.h"

#include <fmt/format.h>

namespace ambidex::simt {

std::string lanes_text(uint64_t lanes) {
  std::string text;
  for (uint32_t i = 0; i < 64; ++i) {
    if (!(lanes >> i & 1)) continue;
    uint32_t last = i;
    while (last < 63 && lanes >> (last + 1) & 1) ++last;
    if (!text.empty()) text += ", ";
    text += last == i ? fmt::format("{}", i) : fmt::format("{}-{}", i, last);
    i = last;
  }
  return text.empty() ? "none" : text;
}

std::string wait_text(const Wait& wait) {
  const std::string lanes =
      wait.mask == 0 ? "of the lanes at its site" : "of lanes " + lanes_text(wait.mask);
  switch (wait.kind) {
    case WaitKind::shuffle:
      return "a shuffle " + lanes;
    case WaitKind::ballot:
      return "a ballot " + lanes;
    case WaitKind::active_lanes:
      return "a question for the active lanes";
    case WaitKind::wave_barrier:
      return "a barrier " + lanes;
    case WaitKind::combine:
      return "a collective " + lanes;
    case WaitKind::check_mask:
      return "a check of its mask";
    case WaitKind::access:
      return "a volatile or atomic access";
    case WaitKind::latch:
      return "the end of a round of a loop";
    case WaitKind::barrier:
      return "a barrier of the block";
    case WaitKind::named_barrier:
      return fmt::format("the named barrier {}", wait.barrier);
    case WaitKind::grid_barrier:
      return "a barrier of the grid";
    case WaitKind::yield:
      return "a yield";
  }
  return "nothing";
}

__attribute__((no_sanitize("address", "undefined"))) uint32_t read_word(const uint32_t* word) {
  return __atomic_load_n(word, __ATOMIC_RELAXED);
}

}  // namespace ambidex::simt
