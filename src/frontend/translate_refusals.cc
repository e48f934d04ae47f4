// SPDX-License-Identifier: Apache-2.0
// What no rule can translate and what would be wrong on a wave of 64 lanes: said, never kept quiet.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "frontend/translate.h"

namespace ambidex {
namespace {

// S02: barriers of some of the threads.
void refuse_partial_barrier(Translation& translation, int64_t i) {
  static constexpr std::array<std::string_view, 3> kNames{"__barrier_sync", "__barrier_sync_count",
                                                          "__syncwarp_count"};
  const Words& words = translation.words;
  if (std::find(kNames.begin(), kNames.end(), words.text(i)) == kNames.end()) return;
  refuse_word(translation, i, "schedule.partial-barrier", "S02",
              "a barrier of some of the threads has no counterpart: split the kernel or count in "
              "shared memory");
}

// N03, N18: libraries that AMD has not.
void refuse_libraries(Translation& translation, int64_t i) {
  const Words& words = translation.words;
  const std::string_view text = words.text(i);
  if ((text == "cutlass" || text == "cute") && words.text(i + 1) == "::") {
    refuse_word(translation, i, "matrix.library", "N03",
                fmt::format("{} has no counterpart", text));
  } else if (text == "cuda" && words.text(i - 1) == "::" && words.text(i - 2) == "thrust") {
    translation.edits.push_back({.first = words.first(i),
                                 .last = words.last(i),
                                 .pieces = {{.text = "hip"}},
                                 .rule = "api.rename",
                                 .hazard = "N20",
                                 .note = "rocThrust's policies"});
  } else if (text == "cuda" && words.text(i + 1) == "::" && words.text(i - 1) != "::") {
    refuse_word(translation, i, "library.libcudacxx", "N18",
                fmt::format("cuda::{} of libcu++ is no part of ROCm", words.text(i + 2)));
  }
}

// S07: a launch inside a kernel.
void refuse_device_launch(Translation& translation, int64_t i) {
  const Words& words = translation.words;
  if (words.text(i) != "<<<" || !words.device[static_cast<size_t>(i)]) return;
  refuse_word(translation, i, "launch.from-device", "S07",
              "HIP cannot launch a kernel from a kernel: launch it from the host");
}

}  // namespace

void translate_refusals(Translation& translation) {
  const Words& words = translation.words;
  for (int64_t i = 0; i < words.size(); ++i) {
    if (words.at(i).amd_only) continue;
    refuse_device_launch(translation, i);
    if (!words.is_word(i)) continue;
    refuse_partial_barrier(translation, i);
    refuse_libraries(translation, i);
  }
}

}  // namespace ambidex
