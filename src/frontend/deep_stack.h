// SPDX-License-Identifier: Apache-2.0
// Clang follows nested code by recursion: room for sources that nest deeply, such as generated
// sums.
#pragma once

#include <functional>

namespace ambidex {

inline constexpr unsigned kDeepStackBytes = 1u << 30;  // of address space; memory as it is used

/// Runs `call` on a thread with that stack, and throws what it throws.
void on_deep_stack(const std::function<void()>& call);

}  // namespace ambidex
