// SPDX-License-Identifier: Apache-2.0
#include "select/memo.h"

namespace ambidex {
namespace {

void mix(uint64_t& hash, uint64_t word) {
  constexpr uint64_t kOdd = 0x9E3779B97F4A7C15u;  // 2^64 / golden ratio
  hash = (hash ^ word) * kOdd;
  hash ^= hash >> 32;
}

uint64_t flags_of(const GemmOp& op, const SelectOptions& options) {
  const Epilogue& epilogue = op.epilogue;
  uint64_t flags = static_cast<uint64_t>(op.dtype) << 16 |
                   static_cast<uint64_t>(op.out_dtype) << 8 | static_cast<uint64_t>(op.layout);
  for (const bool flag : {epilogue.bias, epilogue.relu, epilogue.residual, epilogue.bias_gradient,
                          op.cold, options.deterministic, options.allow_library}) {
    flags = flags << 1 | static_cast<uint64_t>(flag);
  }
  return flags;
}

}  // namespace

// The thresholds stay out: they are hardly ever more than one set of them.
uint64_t hash_of(const MemoKey& key) {
  uint64_t hash = flags_of(key.op, key.options);
  mix(hash, static_cast<uint64_t>(key.op.m) << 32 ^ static_cast<uint64_t>(key.op.n));
  mix(hash, static_cast<uint64_t>(key.op.k) << 32 ^ static_cast<uint64_t>(key.op.batch));
  mix(hash, static_cast<uint64_t>(key.options.num_units) << 32 ^
                static_cast<uint64_t>(key.options.workspace_bytes));
  return hash;
}

Memo::Memo() : sets_(std::make_unique<std::array<Set, kNumSets>>()) {}

bool Memo::find(const MemoKey& key, uint64_t hash, Selection& selection) const {
  const Set& set = (*sets_)[hash % kNumSets];
  const std::lock_guard lock(set.mutex);
  for (const Entry& entry : set.ways) {
    if (entry.hash != hash || entry.key != key) continue;
    selection = entry.selection;
    return true;
  }
  return false;
}

void Memo::put(const MemoKey& key, uint64_t hash, const Selection& selection) {
  Set& set = (*sets_)[hash % kNumSets];
  const std::lock_guard lock(set.mutex);
  for (const Entry& entry : set.ways) {
    if (entry.hash == hash && entry.key == key) return;  // another thread was quicker
  }
  set.ways[set.next] = {key, hash, selection};
  set.next = (set.next + 1) % kNumWays;
}

}  // namespace ambidex
