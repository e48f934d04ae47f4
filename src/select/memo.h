// SPDX-License-Identifier: Apache-2.0
// Answers of a selector that were asked for before. Fixed size: an old answer makes room for a
// new one, and nothing is allocated after construction.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>

#include "ambidex/select.h"

namespace ambidex {

/// Everything that a selection depends on, beside the selector.
struct MemoKey {
  GemmOp op;
  SelectOptions options;
  bool operator==(const MemoKey&) const = default;
};

uint64_t hash_of(const MemoKey& key);

class Memo {
 public:
  Memo();
  /// Copies the answer to `selection` if there is one.
  bool find(const MemoKey& key, uint64_t hash, Selection& selection) const;
  void put(const MemoKey& key, uint64_t hash, const Selection& selection);

 private:
  static constexpr uint64_t kNumSets = 256;
  static constexpr uint64_t kNumWays = 4;

  struct Entry {
    MemoKey key;  // op.m == 0: the entry is empty
    uint64_t hash = 0;
    Selection selection;
  };
  struct Set {
    mutable std::mutex mutex;
    uint64_t next = 0;  // the way that the next answer overwrites
    std::array<Entry, kNumWays> ways;
  };
  std::unique_ptr<std::array<Set, kNumSets>> sets_;
};

}  // namespace ambidex
