// SPDX-License-Identifier: Apache-2.0
// What the scheduler knows of the block that a worker runs: its threads, each a fiber, its waves
// and who waits where. Sets of lanes are bit masks, lane 0 lowest.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "ambidex/simt.h"
#include "ambidex/simt_device.h"
#include "simt/checker.h"
#include "simt/current.h"
#include "simt/stacks.h"

namespace ambidex::simt {

inline constexpr int kMaxWaveWidth = 64;
inline constexpr int kMaxThreads = 1024;
inline constexpr int kNumNamedBarriers = 16;

using Combine = void (*)(void**, ambidex_simt_u32);

struct Block;
struct Launch;
struct Wave;

/// What a lane waits for. The first six are collectives of the wave.
enum class WaitKind : uint8_t {
  shuffle,
  ballot,
  active_lanes,
  wave_barrier,
  combine,
  check_mask,
  access,  // volatile or atomic: the lanes of a wave make it together
  latch,   // the end of a round of a loop
  barrier,
  named_barrier,
  grid_barrier,
  yield,
};

struct Wait {
  WaitKind kind = WaitKind::yield;
  uintptr_t site = 0;   // return address of the call
  uintptr_t depth = 0;  // bytes of stack in use there: the deeper, the further inside
  uint64_t mask = 0;    // lanes that must come; 0: those that are at the same site
  Combine combine = nullptr;
  uint32_t barrier = 0;  // id of a named barrier
};

/// Lanes that have come to a collective with an explicit mask, until all have.
struct Group {
  Wait wait;
  uint64_t arrived = 0;
};

/// A thread that reads one value again and again.
struct Spin {
  uintptr_t address = 0;
  uint64_t value = 0;
  uint64_t program_counter = 0;
  int count = 0;
  bool latched = false;  // the loop says where its rounds end
};

struct Fiber {
  Current current;  // first: `simt::current` points here
  AmbidexSimtThread self{};
  Accessor who;
  void* context = nullptr;
  void (*run)() = nullptr;  // what the fiber begins with
  Wave* wave = nullptr;
  uint32_t lane = 0;
  Stack stack;
  void* fake_stack = nullptr;  // of the address sanitizer
  Spin spin;
  bool at_access = false;  // the last ordered access was one that lanes make together
};

/// A word that lanes of a wave spin on while others of it were let go before them.
struct Watch {
  const uint32_t* word = nullptr;  // null: none
  uint32_t value = 0;
  uint32_t lane = 0;  // that spins
  uintptr_t site = 0;
};

struct Wave {
  Block* block = nullptr;
  uint32_t index = 0;
  uint32_t position = 0;  // in the order in which waves run
  Fiber* fibers = nullptr;
  uint64_t present = 0, exited = 0;
  // A lane that has not exited is in exactly one of these.
  uint64_t runnable = 0;  // or running
  uint64_t yielded = 0;
  uint64_t converged = 0;  // waits for the wave to come to a stop
  uint64_t grouped = 0;    // waits in one of `groups`
  uint64_t at_barrier = 0, at_named = 0, at_grid = 0;
  uint64_t spinning = 0;       // of `converged`: before an access that they have made in vain
  bool barrier_mixed = false;  // lanes wait at barriers of more than one site
  uint32_t cursor = 0;         // place in `order` of the lane that ran last
  std::array<uint8_t, kMaxWaveWidth> order{};
  std::array<uint64_t, kMaxWaveWidth> value{}, result{};  // in and out of a collective
  std::array<uint32_t, kMaxWaveWidth> source{};
  std::array<Wait, kMaxWaveWidth> waits{};
  std::vector<Group> groups;
  Watch watch;
};

struct NamedBarrier {
  uint32_t num_threads = 0;       // 0: nobody has come yet
  std::vector<uint32_t> arrived;  // linear threads
};

struct Block {
  std::array<uint32_t, 3> index{};
  int64_t linear = 0;
  std::vector<Wave> waves;
  std::vector<Fiber> fibers;
  std::vector<uint8_t> wave_order;  // position -> wave
  uint64_t ready = 0;               // positions of waves that may have runnable lanes
  uint32_t position = 0;            // of the wave that ran last
  int live = 0;                     // threads that have not exited
  int at_barrier = 0, at_grid = 0, num_yielded = 0;
  int predicate_sum = 0, predicate_count = 0;  // of the lanes at the barrier
  int barrier_sum = 0, barrier_count = 0;      // of the barrier that was last complete
  std::array<NamedBarrier, kNumNamedBarriers> named;
  int64_t idle_rounds = 0;  // rounds over the block in which threads did nothing but yield
};

/// One OS thread, for it has the shared variables of the block that it runs.
struct Worker {
  Launch* launch = nullptr;
  int width = 32;
  bool lockstep = false;
  Block block;
  std::unique_ptr<StackPool> stacks;
  Fiber main;  // not a thread of the grid: the context that starts a block
  BlockChecker* checker = nullptr;
  BlockTally* tally = nullptr;
  SimtCounts counts;
  int64_t clock = 0;
  int switches_until_check = 1;
  std::string output;
};

extern constinit thread_local Worker* worker;

/// What all blocks of a launch have in common on this worker.
void prepare_worker(Worker& w, Launch& launch);
/// All threads of block `linear`, x fastest, are ready to begin.
void begin_block(Worker& w, int64_t linear);

inline Fiber& current_fiber() { return *reinterpret_cast<Fiber*>(current); }

inline uint64_t bit(uint32_t lane) { return uint64_t{1} << lane; }
inline uint64_t first_lanes(int count) { return count >= 64 ? ~uint64_t{0} : bit(count) - 1; }

}  // namespace ambidex::simt
