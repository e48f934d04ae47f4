// SPDX-License-Identifier: Apache-2.0
// Stacks of fibers: mapped once, touched lazily, used again by the next block and launch.
#pragma once

#include <cstdint>
#include <memory>

namespace ambidex::simt {

struct Stack {
  char* begin = nullptr;  // lowest address
  char* top = nullptr;    // where it starts to grow down from
};

/// `count` stacks of at least `stack_bytes` each. With `guarded`, each has a page below it that
/// nobody can touch: more mappings than the kernel grants if there are very many.
class StackPool {
 public:
  ///   throws Error(unsupported) if the address space has no room
  StackPool(int count, int64_t stack_bytes, bool guarded);
  ~StackPool();
  StackPool(const StackPool&) = delete;
  StackPool& operator=(const StackPool&) = delete;

  Stack stack(int index) const;
  bool serves(int count, int64_t stack_bytes, bool guarded) const {
    return count <= count_ && stack_bytes == stack_bytes_ && guarded == guarded_;
  }

 private:
  int count_;
  int64_t stack_bytes_, stride_bytes_;
  bool guarded_;
  char* memory_ = nullptr;
};

/// From earlier launches if there is one that serves.
std::unique_ptr<StackPool> take_stacks(int count, int64_t stack_bytes, bool guarded);
void give_back_stacks(std::unique_ptr<StackPool> pool);

}  // namespace ambidex::simt
