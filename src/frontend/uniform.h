// SPDX-License-Identifier: Apache-2.0
// Which values all threads of a block agree on, as far as the words of a body tell.
#pragma once

#include <set>
#include <string_view>

#include "frontend/words.h"

namespace ambidex {

/// Names of a body.
struct Uniformity {
  std::set<std::string_view> varying;  // locals that may differ between threads of a block
  std::set<std::string_view> shared;   // __shared__: one value for all that read it
};

/// Varying is what is made of threadIdx, of memory, of calls or of what varies, and what changes
/// where only some threads come by.
Uniformity uniformity_of(const Words& words, TokenRange body);

/// Whether all threads of a block get the same value. It reads no memory but shared.
bool is_uniform(const Words& words, TokenRange expression, const Uniformity& names);

}  // namespace ambidex
