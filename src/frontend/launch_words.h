// SPDX-License-Identifier: Apache-2.0
// Launches of kernels, told from words: `k<T><<<grid, block, bytes, stream>>>(..)`.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "frontend/words.h"

namespace ambidex {

/// What stands between the `<<<` at word `open` and its `>>>`. None if that is missing.
std::vector<TokenRange> launch_arguments(const Words& words, int64_t open);

/// The word that `__global__` at word i declares; -1 if none is found.
int64_t kernel_name_at(const Words& words, int64_t i);

/// How a tree uses kernels of one name.
struct KernelUse {
  bool is_unknown = false;  // a launch of another kind, or with a block that is no constant
  int64_t max_threads = 0;  // of a block
};
using KernelUses = std::map<std::string, KernelUse, std::less<>>;

/// Adds the kernels that the file declares.
void collect_kernels(const Words& words, KernelUses& uses);
/// Adds what the file does with kernels of the tree, of which all must have been collected.
void collect_launches(const Words& words, KernelUses& uses);

}  // namespace ambidex
