// SPDX-License-Identifier: Apache-2.0
// What is known of each byte of device memory: one byte of shadow for each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "ambidex/simt_memory.h"

namespace ambidex {

namespace simt {

// Bits of a shadow byte. 0 is a guard zone.
inline constexpr uint8_t kValid = 1, kInitialised = 2, kReadOnly = 4, kReleased = 8;
inline constexpr uint8_t kWritten = 16;  // by a kernel

struct Allocation {
  SimtRegion region;
  int64_t num_bytes = 0;
  int64_t capacity_bytes = 0;  // with the room up to the guard zone
  bool released = false;
};

/// Bytes outside of the arena: variables of a module.
struct Variable {
  SimtRegion region;
  uintptr_t begin = 0;
  int64_t num_bytes = 0;
  std::vector<uint8_t> shadow;
};

/// A range of address space, zero until touched.
class Reservation {
 public:
  explicit Reservation(int64_t num_bytes);
  ~Reservation();
  Reservation(const Reservation&) = delete;
  Reservation& operator=(const Reservation&) = delete;
  uint8_t* begin() const { return begin_; }

 private:
  uint8_t* begin_;
  int64_t num_bytes_;
};

}  // namespace simt

struct SimtMemory::State {
  explicit State(int64_t max_bytes) : num_bytes(max_bytes), data(max_bytes), known(max_bytes) {}

  int64_t num_bytes;
  simt::Reservation data, known;
  std::mutex mutex;  // of the rest
  int64_t used_bytes = 0;
  std::map<uintptr_t, simt::Allocation> allocations;  // by address; released ones too
  std::vector<simt::Variable> variables;              // by address
  std::vector<SimtSharedVariable> shared;

  /// Of all `size` bytes at `address`; null if they are not all in the arena, in its guard zones
  /// at worst, or in one variable.
  uint8_t* arena_shadow_at(uintptr_t address, int64_t size) const {
    const uintptr_t offset = address - reinterpret_cast<uintptr_t>(data.begin());
    if (offset >= static_cast<uintptr_t>(num_bytes)) return nullptr;
    return num_bytes - static_cast<int64_t>(offset) >= size ? known.begin() + offset : nullptr;
  }
  uint8_t* variable_shadow_at(uintptr_t address, int64_t size);
  uint8_t* shadow_at(uintptr_t address, int64_t size) {
    uint8_t* shadow = arena_shadow_at(address, size);
    return shadow != nullptr ? shadow : variable_shadow_at(address, size);
  }
};

namespace simt {

/// The region that `address` is in or else nearest to; false if there are no regions.
struct Nearest {
  SimtRegion region;
  uintptr_t begin = 0;
  int64_t num_bytes = 0;
  bool released = false;
};
bool find_nearest(SimtMemory::State& memory, uintptr_t address, Nearest& nearest);

/// Bytes between `address` and the region; 0 inside.
int64_t distance_to(uintptr_t begin, int64_t num_bytes, uintptr_t address);

}  // namespace simt
}  // namespace ambidex
