// SPDX-License-Identifier: Apache-2.0
// Random histories of a block, judged by the checker and by the plain definition: every thread has
// a full vector clock, every byte its whole history.
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "simt_checks_support.h"

namespace ambidex::simt {
namespace {

using Clock = std::vector<uint32_t>;

void join(Clock& into, const Clock& other) {
  for (size_t i = 0; i < into.size(); ++i) into[i] = std::max(into[i], other[i]);
}

struct Past {
  uint32_t thread, time;
  bool writes, is_atomic;
};

/// The definition. An access races with an earlier one of another thread to the same byte that it
/// does not know, if one of the two writes and not both are atomic.
struct Definition {
  explicit Definition(uint32_t num_threads)
      : clocks(num_threads, Clock(num_threads)), fenced(clocks), pending(clocks) {
    for (uint32_t i = 0; i < num_threads; ++i) clocks[i][i] = 1;
  }

  void meet(const std::vector<uint32_t>& from, const std::vector<uint32_t>& to) {
    Clock all(clocks.size());
    for (const uint32_t thread : from) join(all, clocks[thread]);
    for (const uint32_t thread : to) join(clocks[thread], all);
    for (const uint32_t thread : from) ++clocks[thread][thread];
  }
  void fence(uint32_t thread) {
    join(clocks[thread], pending[thread]);
    fenced[thread] = clocks[thread];
    ++clocks[thread][thread];
  }
  // For an atomic: what it carries goes to those that read it and fence then.
  void carry(uint32_t thread, uintptr_t address) {
    Clock& carried = carriers.try_emplace(address, Clock(clocks.size())).first->second;
    join(pending[thread], carried);
    join(carried, fenced[thread]);
  }
  bool races(uint32_t thread, uintptr_t begin, int64_t num_bytes, bool writes, bool is_atomic) {
    bool found = false;
    for (uintptr_t at = begin; at < begin + static_cast<uintptr_t>(num_bytes); ++at) {
      for (const Past& past : bytes[at]) {
        found |= past.thread != thread && past.time > clocks[thread][past.thread] &&
                 (past.writes || writes) && !(past.is_atomic && is_atomic);
      }
      bytes[at].push_back({thread, clocks[thread][thread], writes, is_atomic});
    }
    return found;
  }

  std::vector<Clock> clocks, fenced, pending;
  std::map<uintptr_t, Clock> carriers;
  std::map<uintptr_t, std::vector<Past>> bytes;
};

constexpr uint32_t kThreads = 80;  // waves of 32, 32 and 16 lanes

std::vector<uint32_t> some_of(std::mt19937& random, uint32_t first, uint32_t end, uint32_t out_of) {
  std::vector<uint32_t> threads;
  for (uint32_t i = first; i < end; ++i) {
    if (random() % out_of != 0) threads.push_back(i);
  }
  return threads;
}

struct Verdicts {
  int64_t accesses = 0, races = 0, found = 0, wrong = 0;
  int64_t histories_with_races = 0, histories_found = 0;
};

struct History {
  explicit History(uint32_t seed) : random(seed), definition(kThreads) {
    for (uint32_t i = 0; i < 16; ++i) {
      both_access(0, checked.tile(i), 4, true, false);
    }
    order_all();
  }

  void order_all() {
    const std::vector<uint32_t> all = some_of(random, 0, kThreads, 1u << 31);
    checked.block.block_barrier();
    definition.meet(all, all);
  }
  void order_wave() {
    const uint32_t wave = random() % 3, first = wave * 32;
    const std::vector<uint32_t> some =
        some_of(random, first, std::min(first + 32, kThreads), random() % 2 == 0 ? 1u << 31 : 4);
    uint64_t lanes = 0;
    for (const uint32_t thread : some) lanes |= uint64_t{1} << (thread - first);
    if (lanes == 0) return;
    checked.block.wave_barrier(wave, lanes);
    definition.meet(some, some);
  }
  void order_named() {
    const std::vector<uint32_t> arrived = some_of(random, 0, kThreads, 3);
    std::vector<uint32_t> waiting;
    for (const uint32_t thread : arrived) {
      if (random() % 2 == 0) waiting.push_back(thread);
    }
    checked.block.named_barrier(arrived, waiting);
    definition.meet(arrived, waiting);
  }
  // Of one thread; program counters are never used twice, so that each access is judged.
  void both_access(uint32_t thread, uintptr_t address, int64_t num_bytes, bool writes,
                   bool is_atomic) {
    const AccessKind kind = is_atomic ? AccessKind::read_write
                            : writes  ? AccessKind::write
                                      : AccessKind::read;
    const auto before = static_cast<int64_t>(num_found);
    checked.access(thread,
                   {address, num_bytes, kind, is_atomic ? AccessSort::atomic : AccessSort::plain,
                    Order::relaxed, ++program_counter});
    auto* bytes = reinterpret_cast<uint8_t*>(address);
    for (int64_t i = 0; writes && i < num_bytes; ++i) ++bytes[i];  // never the same value again
    checked.block.end_block();                                     // no exchange follows
    const std::vector<SimtProblem> problems = checked.checker.take_problems();
    num_found += static_cast<int64_t>(problems.size());
    if (is_atomic) definition.carry(thread, address);
    const bool races = definition.races(thread, address, num_bytes, writes, is_atomic);
    const bool found = num_found > before;
    verdicts.accesses += 1;
    verdicts.races += races;
    verdicts.found += races && found;
    verdicts.wrong += found && !races;
  }
  void step(uint32_t one_order_in) {
    if (random() % one_order_in == 0) {
      const uint32_t kind = random() % 8;
      if (kind == 0) order_all();
      if (kind == 1) order_named();
      if (kind >= 2) order_wave();
      return;
    }
    const uint32_t thread = random() % kThreads;
    const uint32_t sort = random() % 8;
    if (sort == 0) {
      Accessor who;
      who.linear_thread = thread;
      checked.block.fence(who);
      definition.fence(thread);
      return;
    }
    const int64_t num_bytes = int64_t{1} << random() % 4;
    const int64_t byte = static_cast<int64_t>(random() % 64) / num_bytes * num_bytes;
    if (sort < 3) both_access(thread, checked.tile(byte / 4), 4, true, true);
    if (sort >= 3) both_access(thread, checked.tile(0, byte), num_bytes, sort == 3, false);
  }

  std::mt19937 random;
  CheckedBlock checked{kThreads, {.max_problems = 1 << 30}};
  Definition definition;
  uint64_t program_counter = 0;
  int64_t num_found = 0;
  Verdicts verdicts;
};

Verdicts judge(uint32_t num_histories, int num_steps, uint32_t one_order_in) {
  Verdicts sum;
  for (uint32_t seed = 0; seed < num_histories; ++seed) {
    History history(seed);
    for (int i = 0; i < num_steps; ++i) history.step(one_order_in);
    const Verdicts& v = history.verdicts;
    sum.accesses += v.accesses;
    sum.races += v.races;
    sum.found += v.found;
    sum.wrong += v.wrong;
    sum.histories_with_races += v.races > 0;
    sum.histories_found += v.found > 0;
  }
  return sum;
}

TEST(SimtChecksOracle, no_access_is_reported_that_the_definition_does_not_call_a_race) {
  for (const uint32_t one_order_in : {2, 3, 10}) {
    const Verdicts v = judge(60, 300, one_order_in);
    EXPECT_EQ(v.wrong, 0) << one_order_in;
    EXPECT_GT(v.races, 500);
    EXPECT_LT(v.races, v.accesses);
    EXPECT_GT(static_cast<double>(v.found), 0.98 * static_cast<double>(v.races)) << one_order_in;
  }
}

// Short histories have few races; each that has one must be noticed.
TEST(SimtChecksOracle, a_history_with_a_race_is_not_called_clean) {
  const Verdicts v = judge(600, 40, 2);
  EXPECT_EQ(v.wrong, 0);
  EXPECT_GT(v.histories_with_races, 100);
  EXPECT_LT(v.histories_with_races, 600);
  EXPECT_EQ(v.histories_found, v.histories_with_races);
}

}  // namespace
}  // namespace ambidex::simt
