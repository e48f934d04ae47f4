// SPDX-License-Identifier: Apache-2.0
// What the runtime of one run knows. There is one, for the functions of CUDA's and HIP's runtimes
// have no other place to find it.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ambidex/simt.h"
#include "ambidex/simt_memory.h"
#include "runner/device_limits.h"
#include "runner/module.h"
#include "runner/request.h"

namespace ambidex::runner {

/// Memory that the runtime has given out, beside plain device memory.
enum class MemoryKind : uint8_t { device, host, managed };

struct Allocation {
  MemoryKind kind = MemoryKind::device;
  int64_t num_bytes = 0;
  int64_t number = 0;  // of the allocation, from 0: what records call it
};

/// Bytes that the caller will find in files: the run appends, and says where they lie.
struct Blobs {
  int descriptor = -1;
  int64_t num_bytes = 0;
  /// {"at", "bytes"}
  nlohmann::json append(const void* bytes, int64_t count);
};

struct Runtime {
  explicit Runtime(const Request& asked) : request(asked) {}

  const Request& request;
  DeviceLimits limits;
  Module module;
  std::unique_ptr<SimtMemory> memory;
  Blobs blobs;
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();

  std::map<const void*, const Kernel*> handles;     // of the host's half
  std::map<const void*, const Variable*> symbols;   // likewise
  std::map<const Kernel*, int64_t> dynamic_opt_in;  // cudaFuncAttributeMaxDynamicSharedMemorySize
  std::map<uintptr_t, Allocation> allocations;      // by first address
  std::set<void*> registered;                       // by cudaHostRegister
  std::set<const void*> managed_variables;          // by first address
  int64_t num_allocations = 0;
  int num_streams = 0;  // that the program has made
  int64_t allocated_bytes = 0;

  nlohmann::json launches = nlohmann::json::array();
  nlohmann::json host_order = nlohmann::json::array();  // what the host waits for, and launches
  nlohmann::json problems = nlohmann::json::array();
  int64_t num_launches = 0;
  std::optional<SimtWrite> last_write;  // of what the request watches
};

/// The one of this process; set once, before any loaded code runs.
Runtime& runtime();
void set_runtime(Runtime* state);

double seconds_since_start();

/// Seconds until the run's time is up, at least a few milliseconds.
double seconds_left();

/// Kind of memory that holds all of [begin, begin + num_bytes); host if the runtime does not know
/// it. `fits` is false if it begins in memory of the device and runs over its end.
struct Where {
  MemoryKind kind = MemoryKind::host;
  bool fits = true;
  bool known = false;  // the runtime has given it out, or it is a variable of the device
};
Where where_is(const Runtime& state, const void* begin, size_t num_bytes);

/// Registers the module's variables with the memory checker.
void add_variables(Runtime& state);
/// Notes what the host's code orders its work by: "launch", "wait for stream 1". Only the first few
/// thousand are kept.
void note_order(Runtime& state, std::string what);

/// A problem of the program as a whole or of a launch: what the executor does not do.
void add_refusal(Runtime& state, const std::string& kernel, const std::string& message);

}  // namespace ambidex::runner
