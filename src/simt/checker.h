// SPDX-License-Identifier: Apache-2.0
// What the scheduler tells the checker of memory, and what that finds. The scheduler calls; the
// checker never calls back. One Checker per launch, one BlockChecker per block that is live (a
// worker that runs one block after the other keeps one and begins it anew).
//
// Two accesses are ordered if one happens before the other by: block barrier, wave barrier of both
// lanes, named barrier, or a fence, an atomic write that another thread reads, and a fence there.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ambidex/simt.h"
#include "ambidex/simt_memory.h"

namespace ambidex::simt {

/// Who accesses. The scheduler keeps one for each thread of the block.
struct Accessor {
  uint32_t linear_thread = 0;  // in the block
  uint32_t wave = 0;
  uint32_t lane = 0;
  std::array<uint32_t, 3> thread{};
  uintptr_t stack_begin = 0, stack_end = 0;  // its own stack, which it may touch freely
  uintptr_t self_begin = 0, self_end = 0;    // its AmbidexSimtThread, which it may read
};

enum class AccessKind : uint8_t { read, write, read_write };
enum class AccessSort : uint8_t { plain, is_volatile, atomic };
enum class Order : uint8_t { relaxed, acquire, release, acquire_release };  // of an atomic access

struct Access {
  uintptr_t address = 0;
  int64_t num_bytes = 0;
  AccessKind kind = AccessKind::read;
  AccessSort sort = AccessSort::plain;
  Order order = Order::relaxed;
  uint64_t program_counter = 0;  // of the instruction after the call of the callback
  bool compares = false;         // a compare-and-exchange
};

enum class Verdict : uint8_t {
  go_on,       // the access may be made, if with a problem
  stop_thread  // it would touch memory of the host: the launch must end before it
};

/// Memory of nobody that the scheduler leaves before and after dynamic shared memory.
inline constexpr int64_t kDynamicGuardBytes = 64;

class BlockChecker;
class ProblemList;

/// One launch. `memory` may be null: then global memory is not checked, only the shared memory
/// that begin_block names.
class Checker {
 public:
  Checker(const SimtLaunch& launch, const SimtOptions& options, SimtMemory* memory);
  ~Checker();

  /// A checker for one block at a time; for the worker that calls, whose shared variables it
  /// looks up. Valid as long as the Checker.
  BlockChecker& add_block();

  /// By any thread, at any time: whether there are as many problems as the options allow.
  bool full() const;
  /// For problems that the scheduler finds itself. Dropped, and false, if one of the same kind at
  /// the same program counter is known already.
  bool report(SimtProblem problem);
  std::vector<SimtProblem> take_problems();     // in the order in which they were found
  std::optional<SimtWrite> last_write() const;  // of what the options watch; after the launch

 private:
  friend class BlockChecker;
  struct Parts;
  std::unique_ptr<ProblemList> problems_;
  std::unique_ptr<Parts> parts_;
  std::vector<std::unique_ptr<BlockChecker>> blocks_;
};

/// The block that a worker runs. Calls come from that worker alone.
class BlockChecker {
 public:
  struct State;
  explicit BlockChecker(std::unique_ptr<State> state);
  ~BlockChecker();

  /// Shared memory is uninitialised again. `dynamic_shared` may be empty, and else has guard zones
  /// of kDynamicGuardBytes.
  void begin_block(const std::array<uint32_t, 3>& block, std::span<std::byte> dynamic_shared);
  void end_block();

  // Orders. Called once, when all that take part have arrived and before any goes on.
  void block_barrier();                                  // all threads of the block that are alive
  void wave_barrier(uint32_t wave, uint64_t lanes);      // also every collective that orders memory
  void named_barrier(std::span<const uint32_t> arrived,  // linear threads: all that took part
                     std::span<const uint32_t> waiting);  // and those of them that wait
  void fence(const Accessor& who);

  /// Before the access is made.
  Verdict access(const Accessor& who, const Access& what);
  /// Before bytes are copied by memcpy or memmove: uninitialised bytes may be copied, and stay so.
  Verdict copy(const Accessor& who, uintptr_t target, uintptr_t source, int64_t num_bytes,
               uint64_t program_counter);

 private:
  std::unique_ptr<State> state_;
};

}  // namespace ambidex::simt
