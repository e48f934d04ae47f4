// SPDX-License-Identifier: Apache-2.0
// Flags of nvcc as those of hipcc and ROCm's clang.
#pragma once

#include <string_view>
#include <vector>

#include "port/build_edits.h"

namespace ambidex {

inline constexpr std::string_view kOffloadArchs = "--offload-arch=gfx942 --offload-arch=gfx950";

struct FlagsSeen {
  bool relocatable = false;    // -rdc=true, -dc: device code is linked across files
  bool is_translated = false;  // and that was nvcc's flag, not clang's
  bool architecture = false;
};

/// Edits of the flags among the words of one command line, in order.
///   is_nvcc   the line is surely nvcc's: short flags that others have too, -G and -t, are its own
FlagsSeen translate_flags(const std::vector<BuildWord>& words, bool is_nvcc, BuildDraft& draft);

}  // namespace ambidex
