// SPDX-License-Identifier: Apache-2.0
#include "simt/device_heap.h"

#include <cstdlib>
#include <mutex>
#include <unordered_map>

#include "ambidex/base.h"

namespace ambidex::simt {
namespace {

constexpr uint64_t kHeapBytes = uint64_t{1} << 30;
constexpr uint64_t kAlignment = 16;
constexpr const char* kRegionName = "memory from the kernel's malloc";

struct Heap {
  std::mutex mutex;
  std::unordered_map<void*, uint64_t> sizes;
  uint64_t used_bytes = 0;
};

Heap& heap() {
  static auto* const instance = new Heap;  // outlives every worker
  return *instance;
}

void* checked_malloc(SimtMemory& memory, uint64_t num_bytes) {
  try {
    return memory.allocate(static_cast<int64_t>(num_bytes), {.name = kRegionName});
  } catch (const Error&) {  // no room
    return nullptr;
  }
}

bool checked_free(SimtMemory& memory, void* pointer) {
  const auto place = memory.find(pointer);
  return place && place->region.name == kRegionName && memory.release(pointer);
}

}  // namespace

void* device_malloc(SimtMemory* memory, uint64_t num_bytes) {
  if (num_bytes == 0 || num_bytes > kHeapBytes) return nullptr;
  if (memory) return checked_malloc(*memory, num_bytes);
  const uint64_t rounded = (num_bytes + kAlignment - 1) / kAlignment * kAlignment;
  const std::lock_guard lock(heap().mutex);
  if (rounded > kHeapBytes - heap().used_bytes) return nullptr;
  void* const pointer = std::aligned_alloc(kAlignment, rounded);
  if (pointer == nullptr) return nullptr;
  heap().sizes.emplace(pointer, rounded);
  heap().used_bytes += rounded;
  return pointer;
}

bool device_free(SimtMemory* memory, void* pointer) {
  if (pointer == nullptr) return true;
  if (memory) return checked_free(*memory, pointer);
  const std::lock_guard lock(heap().mutex);
  const auto found = heap().sizes.find(pointer);
  if (found == heap().sizes.end()) return false;
  heap().used_bytes -= found->second;
  heap().sizes.erase(found);
  std::free(pointer);
  return true;
}

}  // namespace ambidex::simt
