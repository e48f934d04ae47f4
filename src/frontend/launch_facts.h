// SPDX-License-Identifier: Apache-2.0
// Sizes of launches by their words: dimensions, constants, and whether a count can be too large.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "frontend/token_facts.h"

namespace ambidex {

/// x, y, z of `dim3(a, b)`, of a variable of that type, or of a plain count; missing ones are
/// empty.
std::array<TokenRange, 3> dimensions_of(const SourceFile& file, TokenRange range);

/// The product of constant dimensions; nothing if one is no constant.
std::optional<int64_t> constant_volume(const SourceView& view, const SourceFile& file,
                                       const std::array<TokenRange, 3>& dimensions);

struct CountFacts {
  bool constant = false;
  bool wide = false;    // made from a 64-bit count
  bool capped = false;  // a minimum, a ?: or a later comparison bounds it
  int64_t divisor = 1;  // of a ceil-div by a constant
};
CountFacts count_facts(const SourceView& view, const SourceFile& file, TokenRange range,
                       int depth = 0);

/// Launches, those by cudaLaunchKernel and cudaLaunchCooperativeKernel among them.
std::vector<Launch> all_launches_of(const SourceFile& file);

struct SharedArray {
  int64_t at = 0;     // its name
  int64_t bytes = 0;  // 0 if its size is no constant
  std::vector<TokenRange> bounds;
  bool dynamic = false;  // extern __shared__
};
std::vector<SharedArray> shared_arrays_of(const SourceView& view, const SourceFile& file);

}  // namespace ambidex
