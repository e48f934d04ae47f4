// SPDX-License-Identifier: Apache-2.0
// A block whose accesses a test makes itself, one by one: no kernel, no scheduler.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "ambidex/simt_memory.h"
#include "simt/checker.h"

namespace ambidex::simt {

inline constexpr int64_t kTileBytes = 8192, kTileGuardBytes = 64;

inline void* tile_address() {
  alignas(64) static std::byte tile[kTileBytes + 2 * kTileGuardBytes];
  return tile + kTileGuardBytes;
}

/// Program counters in tests are line numbers: AT names the line that it stands on.
#define AT __LINE__

struct CheckedBlock {
  explicit CheckedBlock(uint32_t num_threads, SimtOptions options = {})
      : width(static_cast<uint32_t>(options.wave_width)),
        launch{.grid = {4, 1, 1}, .block = {num_threads, 1, 1}},
        checker(launch, options, add_tile(memory)),
        block(checker.add_block()) {
    block.begin_block({2, 0, 0}, {});
  }

  static SimtMemory* add_tile(SimtMemory& memory) {
    memory.add_shared({"tile", kTileBytes, 4, kTileGuardBytes, tile_address});
    return &memory;
  }
  /// tile[index], or a byte near it.
  static uintptr_t tile(int64_t index, int64_t byte = 0) {
    return reinterpret_cast<uintptr_t>(tile_address()) + static_cast<uintptr_t>(index * 4 + byte);
  }

  Verdict access(uint32_t thread, const Access& what) {
    Accessor who;
    who.linear_thread = thread;
    who.wave = thread / width;
    who.lane = thread % width;
    who.thread = {thread, 0, 0};
    return block.access(who, what);
  }
  Verdict read(uint32_t thread, uintptr_t address, uint64_t pc, int64_t num_bytes = 4) {
    return access(thread,
                  {address, num_bytes, AccessKind::read, AccessSort::plain, Order::relaxed, pc});
  }
  /// Of a value that no other thread writes.
  Verdict write(uint32_t thread, uintptr_t address, uint64_t pc, int64_t num_bytes = 4) {
    return write_value(static_cast<int>(thread % 255 + 1), thread, address, pc, num_bytes);
  }
  Verdict write_value(int value, uint32_t thread, uintptr_t address, uint64_t pc,
                      int64_t num_bytes = 4) {
    const Verdict verdict = access(
        thread, {address, num_bytes, AccessKind::write, AccessSort::plain, Order::relaxed, pc});
    store(value, address, num_bytes);
    return verdict;
  }
  static void store(int value, uintptr_t address, int64_t num_bytes) {
    const uintptr_t end = address + static_cast<uintptr_t>(num_bytes);
    if (address < tile(0) || end > tile(0) + kTileBytes) return;
    std::memset(reinterpret_cast<void*>(address), value, static_cast<size_t>(num_bytes));
  }
  Verdict update(uint32_t thread, uintptr_t address, uint64_t pc, Order order = Order::relaxed) {
    return access(thread, {address, 4, AccessKind::read_write, AccessSort::atomic, order, pc});
  }
  Verdict exchange(uint32_t thread, uintptr_t address, uint64_t pc) {
    Access what{address, 4, AccessKind::read_write, AccessSort::atomic, Order::relaxed, pc};
    what.compares = true;
    return access(thread, what);
  }
  Verdict touch_volatile(uint32_t thread, uintptr_t address, AccessKind kind, uint64_t pc) {
    const Verdict verdict =
        access(thread, {address, 4, kind, AccessSort::is_volatile, Order::relaxed, pc});
    if (kind == AccessKind::write) store(static_cast<int>(thread % 255 + 1), address, 4);
    return verdict;
  }
  void fence(uint32_t thread) {
    Accessor who;
    who.linear_thread = thread;
    block.fence(who);
  }
  /// The only problem found; one without a message if there are none or more.
  SimtProblem only_problem() {
    block.end_block();
    std::vector<SimtProblem> problems = checker.take_problems();
    EXPECT_EQ(problems.size(), 1u);
    return problems.size() == 1 ? problems[0] : SimtProblem{SimtProblemKind::trap};
  }
  std::vector<std::string> messages() {
    block.end_block();
    std::vector<std::string> texts;
    for (const SimtProblem& problem : checker.take_problems()) texts.push_back(problem.message);
    return texts;
  }

  uint32_t width;
  SimtLaunch launch;
  SimtMemory memory{int64_t{1} << 28};
  Checker checker;
  BlockChecker& block;
};

}  // namespace ambidex::simt
