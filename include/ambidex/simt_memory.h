// SPDX-License-Identifier: Apache-2.0
// What kernels in the executor may touch: device memory with guard zones around each allocation,
// variables of loaded modules, and shared variables; and which bytes have been written. It lives
// as long as the device does, over many launches.
//
//   SimtMemory memory;
//   float* x = static_cast<float*>(memory.allocate(n * 4, {.name = "x", .element_bytes = 4}));
//   SimtReport report = simt_run(launch, {.memory = &memory}, kernel, arguments);
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ambidex/simt.h"

namespace ambidex {

/// What messages call a range of bytes, and what is known of it at first.
struct SimtRegion {
  std::string name;           // "buffer 3", "lookup"; messages say `name[index]`
  int64_t element_bytes = 1;  // of `index`; 1 if unknown
  bool initialised = false;   // else a read of a byte before its write is a problem
  bool writable = true;       // false: __constant__, literals
};

/// A `__shared__` variable. Each worker has its own, for the block that it runs.
struct SimtSharedVariable {
  std::string name;
  int64_t num_bytes = 0;
  int64_t element_bytes = 1;
  int64_t guard_bytes = 0;       // that belong to nobody, before it and after it
  void* (*address)() = nullptr;  // for the worker that calls
};

/// A region as found by an address.
struct SimtPlace {
  SimtRegion region;
  void* begin = nullptr;
  int64_t num_bytes = 0;
};

/// Not to be changed while a launch runs, but for allocate and release, which lock.
class SimtMemory {
 public:
  /// `max_bytes` of address space are reserved, and as much again for what is known of each byte;
  /// memory is taken when touched.
  explicit SimtMemory(int64_t max_bytes = int64_t{1} << 36);
  ~SimtMemory();
  SimtMemory(const SimtMemory&) = delete;
  SimtMemory& operator=(const SimtMemory&) = delete;

  /// Zeros, aligned to 256 bytes, between guard zones.
  ///   throws Error(bad_input) for a negative size, Error(device_failure) if no room is left
  void* allocate(int64_t num_bytes, SimtRegion region);
  /// False if no allocation begins there. The addresses stay known as released.
  bool release(void* begin);

  /// Bytes that exist already: `__device__` and `__constant__` variables, literals of a module.
  void add(void* begin, int64_t num_bytes, SimtRegion region);
  void remove(void* begin);  // what add() added
  /// Shared variables of a module; stay until clear_shared().
  void add_shared(SimtSharedVariable variable);
  void clear_shared();
  const std::vector<SimtSharedVariable>& shared() const;

  /// For writes by the host: cudaMemcpy, cudaMemset, a poisoned buffer (false). Bytes outside of
  /// any region are left alone.
  void set_initialised(const void* begin, int64_t num_bytes, bool initialised);
  /// For copies within the device: the target becomes as initialised as the source is.
  void copy_initialised(const void* target, const void* source, int64_t num_bytes);
  /// Ranges [begin, end) of offsets that nobody has written, in order.
  std::vector<std::array<int64_t, 2>> uninitialised_ranges(const void* begin,
                                                           int64_t num_bytes) const;
  /// Ranges [begin, end) of offsets that kernels have written, in order, where they were checked.
  std::vector<std::array<int64_t, 2>> written_ranges(const void* begin, int64_t num_bytes) const;

  /// The region with this byte; empty if there is none.
  std::optional<SimtPlace> find(const void* address) const;

  struct State;
  State& state() { return *state_; }  // for the checker

 private:
  std::unique_ptr<State> state_;
};

}  // namespace ambidex
