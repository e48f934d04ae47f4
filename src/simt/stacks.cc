// SPDX-License-Identifier: Apache-2.0
#include "simt/stacks.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <mutex>
#include <vector>

#include "ambidex/base.h"

namespace ambidex::simt {
namespace {

constexpr int64_t kPageBytes = 4096;
// Tops of neighbours differ within the page, so that the frames of a wave's lanes do not compete
// for the same sets of the first-level cache. A multiple of the largest alignment that compilers
// give a frame, so that all lanes of a wave agree on how deep a call is.
constexpr int64_t kStaggerBytes = 256;
constexpr int64_t kNumStaggers = kPageBytes / kStaggerBytes;
constexpr size_t kMaxKept = 4;

std::mutex kept_mutex;
std::vector<std::unique_ptr<StackPool>>& kept() {
  static auto* pools = new std::vector<std::unique_ptr<StackPool>>;  // outlives every worker
  return *pools;
}

}  // namespace

StackPool::StackPool(int count, int64_t stack_bytes, bool guarded)
    : count_(count),
      stack_bytes_(stack_bytes),
      // One page for the stagger, and one below, guard or not: an odd number of pages keeps the
      // stacks apart in the second-level cache too.
      stride_bytes_((stack_bytes + kPageBytes - 1) / kPageBytes * kPageBytes + 2 * kPageBytes),
      guarded_(guarded) {
  if (stride_bytes_ / kPageBytes % 2 == 0) stride_bytes_ += kPageBytes;
  void* memory = mmap(nullptr, static_cast<size_t>(stride_bytes_ * count_), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    throw Error(ErrorKind::unsupported,
                fmt::format("no room for {} stacks of {} bytes; lower SimtOptions::stack_bytes, or "
                            "launch fewer threads at once",
                            count, stack_bytes));
  }
  memory_ = static_cast<char*>(memory);
  for (int i = 0; guarded_ && i < count_; ++i) {
    mprotect(memory_ + i * stride_bytes_, kPageBytes, PROT_NONE);
  }
}

StackPool::~StackPool() { munmap(memory_, static_cast<size_t>(stride_bytes_ * count_)); }

Stack StackPool::stack(int index) const {
  char* const begin = memory_ + index * stride_bytes_;
  return {begin + (guarded_ ? kPageBytes : 0),
          begin + stride_bytes_ - index % kNumStaggers * kStaggerBytes};
}

std::unique_ptr<StackPool> take_stacks(int count, int64_t stack_bytes, bool guarded) {
  {
    const std::lock_guard lock(kept_mutex);
    for (auto& pool : kept()) {
      if (!pool->serves(count, stack_bytes, guarded)) continue;
      std::swap(pool, kept().back());
      auto found = std::move(kept().back());
      kept().pop_back();
      return found;
    }
  }
  return std::make_unique<StackPool>(count, stack_bytes, guarded);
}

void give_back_stacks(std::unique_ptr<StackPool> pool) {
  const std::lock_guard lock(kept_mutex);
  if (kept().size() >= kMaxKept) kept().erase(kept().begin());
  kept().push_back(std::move(pool));
}

}  // namespace ambidex::simt
