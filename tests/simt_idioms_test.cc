// SPDX-License-Identifier: Apache-2.0
// Which idioms of 32-lane warps survive when CUDA's words become HIP's on waves of 64 lanes: with
// the default width, and with an explicit width of 32. Reference: warps of 32 in plain loops.
#include <gtest/gtest.h>

#include <bit>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "simt_words.h"

namespace ambidex {
namespace {

using namespace words;

constexpr uint32_t kVectors = 200, kThreads = 64;

/// What the lane computes from its value. `width` is the last argument of its shuffles.
using Idiom = uint32_t (*)(uint32_t value, uint32_t width);

/// A warp in which every lane computes `idiom`, after Warp has made up the exchanges: the
/// reference, which knows of no executor.
using Warp = std::vector<uint32_t>;
using Reference = Warp (*)(const Warp& in);

uint64_t lanes() {  // CUDA names them, HIP does not
  return this_thread().wave_width == 32 ? 0xffffffff : AMBIDEX_SIMT_CONVERGED;
}
uint32_t lane31() { return this_thread().linear_thread % 32; }
bool predicate(uint32_t value) { return value % 32 == 0; }

// Each idiom, and what it means on a warp of 32 lanes.

[[gnu::always_inline]] inline uint32_t tree(uint32_t value, uint32_t start, uint32_t width) {
  for (uint32_t d = start; d > 0; d /= 2) value += shuffle_down(lanes(), value, d, width);
  return value;
}
Warp tree_of(Warp in) {
  for (uint32_t d = 16; d > 0; d /= 2) {
    const Warp before = in;
    for (uint32_t i = 0; i < 32; ++i) in[i] += before[i + d < 32 ? i + d : i];
  }
  return in;
}
Warp gather(const Warp& in, uint32_t (*source)(uint32_t)) {
  Warp out(32);
  for (uint32_t i = 0; i < 32; ++i) out[i] = in[source(i)];
  return out;
}
uint32_t ballot_of(const Warp& in) {
  uint32_t ballot = 0;
  for (uint32_t i = 0; i < 32; ++i) ballot |= uint32_t{predicate(in[i])} << i;
  return ballot;
}

uint32_t butterfly(uint32_t value, uint32_t width) {
  for (uint32_t d = 16; d > 0; d /= 2) value += shuffle_xor(lanes(), value, d, width);
  return value;
}
Warp butterfly_of(const Warp& in) {
  uint32_t sum = 0;
  for (const uint32_t value : in) sum += value;
  return Warp(32, sum);
}
uint32_t guarded_scan(uint32_t value, uint32_t width) {
  for (uint32_t d = 1; d < 32; d *= 2) {
    const uint32_t below = shuffle_up(lanes(), value, d, width);
    if (lane31() >= d) value += below;
  }
  return value;
}
Warp scan_of(Warp in) {
  for (size_t i = 1; i < 32; ++i) in[i] += in[i - 1];
  return in;
}
uint32_t down_tree(uint32_t value, uint32_t width) { return tree(value, 16, width); }
uint32_t neighbour_down(uint32_t value, uint32_t width) {
  return shuffle_down(lanes(), value, 1, width);
}
uint32_t neighbour_up(uint32_t value, uint32_t width) {
  return shuffle_up(lanes(), value, 1, width);
}
uint32_t broadcast_first(uint32_t value, uint32_t width) {
  return shuffle_from(lanes(), value, 0, width);
}
uint32_t broadcast_last(uint32_t value, uint32_t width) {
  return shuffle_from(lanes(), value, 31, width);
}
uint32_t tree_then_broadcast(uint32_t value, uint32_t width) {
  return shuffle_from(lanes(), tree(value, 16, width), 0, width);
}
uint32_t indexed(uint32_t value, uint32_t width) {
  return shuffle_from(lanes(), value, (lane31() * 5 + 3) % 32, width);
}
// "warpSize / 2" follows the wave, the consumer still takes every 32nd thread.
uint32_t half_fix(uint32_t value, uint32_t width) {
  return tree(value, this_thread().wave_width / 2, width);
}
uint32_t short_ballot(uint32_t value, uint32_t) {
  const auto kept = static_cast<uint32_t>(ambidex_simt_ballot(lanes(), predicate(value)));
  return static_cast<uint32_t>(std::popcount(kept));
}
uint32_t short_rank(uint32_t value, uint32_t) {
  const auto kept = static_cast<uint32_t>(ambidex_simt_ballot(lanes(), predicate(value)));
  return static_cast<uint32_t>(std::popcount(kept & ((1u << lane31()) - 1)));
}
uint32_t any_vote(uint32_t value, uint32_t) {
  return ambidex_simt_ballot(lanes(), predicate(value)) != 0;
}
uint32_t zero_extended(uint32_t value, uint32_t) {  // as ROCm has it: the ballot, and the mask
  return static_cast<uint32_t>(ambidex_simt_ballot(lanes(), predicate(value)) & 0xffffffffull);
}
uint32_t half_of_ballot(uint32_t value, uint32_t) {
  const uint64_t ballot = ambidex_simt_ballot(lanes(), predicate(value));
  return static_cast<uint32_t>(ballot >> (this_thread().lane & 32) & 0xffffffff);
}

struct Row {
  const char* name;
  Idiom idiom;
  Reference reference;
  bool all_default, heads_default;  // all lanes right; lanes 0 and 32 right
  bool all_width_32;
};

const Row kTable[] = {
    {"xor butterfly 16..1", butterfly, butterfly_of, true, true, true},
    {"up-scan guarded by lane31 >= d", guarded_scan, [](const Warp& w) { return scan_of(w); }, true,
     true, true},
    {"down tree 16..1", down_tree, [](const Warp& w) { return tree_of(w); }, false, true, true},
    {"neighbour down 1", neighbour_down,
     [](const Warp& w) { return gather(w, [](uint32_t i) { return i < 31 ? i + 1 : i; }); }, false,
     true, true},
    {"neighbour up 1, unguarded", neighbour_up,
     [](const Warp& w) { return gather(w, [](uint32_t i) { return i > 0 ? i - 1 : i; }); }, false,
     false, true},
    {"broadcast from lane 0", broadcast_first, [](const Warp& w) { return Warp(32, w[0]); }, false,
     false, true},
    {"broadcast from lane 31", broadcast_last, [](const Warp& w) { return Warp(32, w[31]); }, false,
     false, true},
    {"down tree then broadcast 0", tree_then_broadcast,
     [](const Warp& w) { return Warp(32, tree_of(w)[0]); }, false, false, true},
    {"indexed shuffle, index from lane & 31", indexed,
     [](const Warp& w) { return gather(w, [](uint32_t i) { return (i * 5 + 3) % 32; }); }, false,
     false, true},
    {"down tree with start warpSize/2", half_fix, [](const Warp& w) { return tree_of(w); }, false,
     false, false},
    {"ballot kept in unsigned, popc", short_ballot,
     [](const Warp& w) { return Warp(32, static_cast<uint32_t>(std::popcount(ballot_of(w)))); },
     false, false, false},
    {"ballot rank below lane31 in unsigned", short_rank,
     [](const Warp& w) {
       Warp out(32);
       const uint32_t ballot = ballot_of(w);
       for (uint32_t i = 0; i < 32; ++i) {
         out[i] = static_cast<uint32_t>(std::popcount(ballot & ((1u << i) - 1)));
       }
       return out;
     },
     false, true, false},
    {"any vote", any_vote, [](const Warp& w) { return Warp(32, ballot_of(w) != 0); }, false, false,
     false},
    {"ballot with mask 0xffffffffull", zero_extended,
     [](const Warp& w) { return Warp(32, ballot_of(w)); }, false, false, false},
    {"(ballot64 >> (lane & 32)) & 0xffffffff", half_of_ballot,
     [](const Warp& w) { return Warp(32, ballot_of(w)); }, true, true, true},
};

class Idioms : public testing::TestWithParam<Row> {
 protected:
  void SetUp() override {
    std::mt19937 random(11);
    for (uint32_t& value : in_) value = random() >> 4;
    for (size_t begin = 0; begin < in_.size(); begin += 32) {
      const auto first = in_.begin() + static_cast<std::ptrdiff_t>(begin);
      const Warp out = GetParam().reference(Warp(first, first + 32));
      expected_.insert(expected_.end(), out.begin(), out.end());
    }
  }
  std::vector<uint32_t> run_idiom(const SimtOptions& options, uint32_t width) {
    std::vector<uint32_t> out(in_.size());
    const SimtReport report =
        run({.grid = {kVectors, 1, 1}, .block = {kThreads, 1, 1}}, options,
            [&] { out[global_thread()] = GetParam().idiom(in_[global_thread()], width); });
    EXPECT_TRUE(report.problems.empty());
    return out;
  }
  bool all_right(const std::vector<uint32_t>& out) const { return out == expected_; }
  bool heads_right(const std::vector<uint32_t>& out) const {
    for (size_t i = 0; i < out.size(); i += 32) {
      if (out[i] != expected_[i]) return false;
    }
    return true;
  }
  std::vector<uint32_t> in_ = std::vector<uint32_t>(kVectors * kThreads), expected_;
};

const SimtOptions kWave64{.wave_width = 64, .convergence = Convergence::lockstep};

TEST_P(Idioms, on_warps_of_32_lanes_mean_what_the_loop_means) {
  EXPECT_TRUE(all_right(run_idiom({.wave_width = 32}, 32)));
}

TEST_P(Idioms, renamed_only_survive_as_the_table_says) {
  const std::vector<uint32_t> out = run_idiom(kWave64, 64);
  EXPECT_EQ(all_right(out), GetParam().all_default);
  EXPECT_EQ(heads_right(out), GetParam().heads_default);
}

TEST_P(Idioms, with_width_32_survive_as_the_table_says) {
  EXPECT_EQ(all_right(run_idiom(kWave64, 32)), GetParam().all_width_32);
}

INSTANTIATE_TEST_SUITE_P(Table, Idioms, testing::ValuesIn(kTable), [](const auto& row) {
  std::string name;
  for (const char* c = row.param.name; *c; ++c) name += std::isalnum(*c) ? *c : '_';
  return name;
});

}  // namespace
}  // namespace ambidex
