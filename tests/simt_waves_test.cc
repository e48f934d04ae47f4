// SPDX-License-Identifier: Apache-2.0
// Collectives of waves, judged by plain loops.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <random>
#include <vector>

#include "simt_words.h"

namespace ambidex {
namespace {

using namespace words;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

uint64_t full_mask(int width) { return width == 64 ? ~0ull : 0xffffffffull; }

std::vector<float> random_values(size_t count) {
  std::mt19937 random(7);
  std::uniform_int_distribution<int> whole(-100, 100);  // sums of these are exact
  std::vector<float> values(count);
  for (float& value : values) value = static_cast<float>(whole(random));
  return values;
}

struct Setting {
  int width;
  Convergence convergence;
  uint64_t seed;
};

class Waves : public testing::TestWithParam<Setting> {
 protected:
  SimtOptions options() const {
    return {.wave_width = GetParam().width,
            .convergence = GetParam().convergence,
            .seed = GetParam().seed,
            .max_seconds = 5.0};
  }
  uint64_t all() const {  // as a program in the language of that convergence says it
    return GetParam().convergence == Convergence::lockstep ? AMBIDEX_SIMT_CONVERGED
                                                           : full_mask(GetParam().width);
  }
};

TEST_P(Waves, sums_over_a_block_are_those_of_a_loop) {
  const auto width = static_cast<uint32_t>(GetParam().width);
  const std::vector<float> in = random_values(4 * 256);
  std::vector<float> out(4);
  static thread_local float shared[32];
  const uint64_t lanes = all();
  const SimtReport report = run({.grid = {4, 1, 1}, .block = {256, 1, 1}}, options(), [&] {
    const AmbidexSimtThread& self = this_thread();
    float sum = in[global_thread()];
    for (uint32_t d = width / 2; d > 0; d /= 2) sum += shuffle_xor(lanes, sum, d, width);
    if (self.lane == 0) shared[self.wave] = sum;
    ambidex_simt_barrier();
    if (self.linear_thread == 0) {
      float total = 0.0f;
      for (uint32_t i = 0; i < 256 / width; ++i) total += shared[i];
      out[self.block[0]] = total;
    }
  });
  EXPECT_THAT(report.problems, IsEmpty());
  for (size_t block = 0; block < 4; ++block) {
    const auto begin = in.begin() + static_cast<std::ptrdiff_t>(block * 256);
    EXPECT_EQ(out[block], std::accumulate(begin, begin + 256, 0.0f));
  }
  EXPECT_EQ(report.counts.threads, 1024);
  EXPECT_EQ(report.counts.shuffles, 1024 / width * (width == 32 ? 5 : 6));
  EXPECT_EQ(report.counts.barriers, 1024 / width);
  EXPECT_EQ(report.counts.diverged_collectives, 0);
}

TEST_P(Waves, an_inclusive_scan_is_that_of_a_loop) {
  const auto width = static_cast<uint32_t>(GetParam().width);
  const std::vector<float> in = random_values(128);
  std::vector<float> out(128);
  const uint64_t lanes = all();
  const SimtReport report = run({.block = {128, 1, 1}}, options(), [&] {
    const AmbidexSimtThread& self = this_thread();
    float sum = in[self.linear_thread];
    for (uint32_t d = 1; d < width; d *= 2) {
      const float below = shuffle_up(lanes, sum, d, width);
      if (self.lane >= d) sum += below;
    }
    out[self.linear_thread] = sum;
  });
  EXPECT_THAT(report.problems, IsEmpty());
  for (uint32_t i = 0; i < 128; ++i) {
    const auto end = in.begin() + i + 1;
    EXPECT_EQ(out[i], std::accumulate(end - 1 - i % width, end, 0.0f)) << i;
  }
}

TEST_P(Waves, ballots_have_the_bits_of_the_predicates) {
  const auto width = static_cast<uint32_t>(GetParam().width);
  std::vector<uint64_t> out(128);
  const uint64_t lanes = all();
  run({.block = {128, 1, 1}}, options(), [&] {
    const uint32_t i = this_thread().linear_thread;
    out[i] = ambidex_simt_ballot(lanes, i % 3 == 0 ? 4 : 0);
  });
  for (uint32_t i = 0; i < 128; ++i) {
    uint64_t expected = 0;
    for (uint32_t lane = 0; lane < width; ++lane) {
      if ((i / width * width + lane) % 3 == 0) expected |= uint64_t{1} << lane;
    }
    EXPECT_EQ(out[i], expected) << i;
  }
}

TEST_P(Waves, a_loop_is_left_by_some_lanes_and_goes_on_with_the_others) {
  const auto width = static_cast<uint32_t>(GetParam().width);
  std::vector<uint64_t> inside(width * 4), after(width);
  SimtReport report = run({.block = {width, 1, 1}}, options(), [&] {
    const uint32_t lane = this_thread().lane;
    for (uint32_t i = 0; i < lane % 4; ++i) inside[lane * 4 + i] = ambidex_simt_active_lanes();
    after[lane] = ambidex_simt_active_lanes();
  });
  for (uint32_t lane = 0; lane < width; ++lane) {
    for (uint32_t i = 0; i < lane % 4; ++i) {
      uint64_t expected = 0;
      for (uint32_t other = 0; other < width; ++other) {
        if (other % 4 > i) expected |= uint64_t{1} << other;
      }
      EXPECT_EQ(inside[lane * 4 + i], expected);
    }
    EXPECT_EQ(after[lane], full_mask(GetParam().width));
  }
  EXPECT_EQ(report.counts.votes, 4);
  EXPECT_EQ(report.counts.diverged_collectives, 3);
}

TEST_P(Waves, the_branches_of_an_if_are_apart_and_meet_after_it) {
  const auto width = static_cast<uint32_t>(GetParam().width);
  std::vector<uint64_t> inside(width), after(width);
  run({.block = {width, 1, 1}}, options(), [&] {
    const uint32_t lane = this_thread().lane;
    if (lane < 20) {
      inside[lane] = ambidex_simt_ballot(AMBIDEX_SIMT_CONVERGED, 1);
    } else {
      inside[lane] = ambidex_simt_ballot(AMBIDEX_SIMT_CONVERGED, 1) | uint64_t{1} << 3;
    }
    after[lane] = ambidex_simt_ballot(AMBIDEX_SIMT_CONVERGED, 1);
  });
  const uint64_t low = (uint64_t{1} << 20) - 1, all_lanes = full_mask(GetParam().width);
  for (uint32_t lane = 0; lane < width; ++lane) {
    EXPECT_EQ(inside[lane], lane < 20 ? low : (all_lanes & ~low) | 8);
    EXPECT_EQ(after[lane], all_lanes);
  }
}

TEST_P(Waves, a_read_from_a_lane_that_is_elsewhere_is_poison_and_reported) {
  const auto width = static_cast<uint32_t>(GetParam().width);
  std::vector<uint64_t> out(width);
  const SimtReport report = run({.block = {width, 1, 1}}, options(), [&] {
    const uint32_t lane = this_thread().lane;
    if (lane < 8) out[lane] = ambidex_simt_shuffle(AMBIDEX_SIMT_CONVERGED, lane, 9);
    ambidex_simt_wave_barrier(AMBIDEX_SIMT_CONVERGED);
  });
  ASSERT_THAT(report.problems, SizeIs(1));  // the same place in the code
  const SimtProblem& problem = report.problems[0];
  EXPECT_EQ(problem.kind, SimtProblemKind::inactive_lane_read);
  EXPECT_EQ(problem.message,
            "lane 0 of wave 0 reads from lane 9, which is elsewhere; lanes 0-7 take part");
  EXPECT_NE(problem.program_counter, 0u);
  EXPECT_NE(problem.other_program_counter, 0u);
  EXPECT_NE(problem.other_program_counter, problem.program_counter);
  EXPECT_EQ(out[3], 0xdeadbeefdeadbeefu);
}

TEST_P(Waves, a_collective_of_any_kind_sees_the_payloads_of_those_who_take_part) {
  const auto width = static_cast<uint32_t>(GetParam().width);
  struct Payload {
    uint32_t key;
    uint64_t same;
  };
  std::vector<uint64_t> out(width);
  const uint64_t lanes = all();
  const SimtReport report = run({.block = {width, 1, 1}}, options(), [&] {
    const uint32_t lane = this_thread().lane;
    Payload payload{lane * lane % 7, 0};
    ambidex_simt_collective(lanes, &payload, [](void** payloads, uint32_t wave_width) {
      for (uint32_t i = 0; i < wave_width; ++i) {
        for (uint32_t j = 0; j < wave_width; ++j) {
          auto* to = static_cast<Payload*>(payloads[i]);
          if (to->key == static_cast<Payload*>(payloads[j])->key) to->same |= uint64_t{1} << j;
        }
      }
    });
    out[lane] = payload.same;
  });
  EXPECT_EQ(report.counts.other_collectives, 1);
  for (uint32_t i = 0; i < width; ++i) {
    for (uint32_t j = 0; j < width; ++j) {
      EXPECT_EQ(out[i] >> j & 1, i * i % 7 == j * j % 7 ? 1u : 0u);
    }
  }
}

TEST_P(Waves, lanes_that_do_not_exist_are_not_waited_for) {
  std::vector<uint64_t> out(40);
  const uint64_t lanes = all();
  const SimtReport report = run({.block = {40, 1, 1}}, options(), [&] {
    out[this_thread().linear_thread] = ambidex_simt_ballot(lanes, 1);
  });
  EXPECT_THAT(report.problems, IsEmpty());
  EXPECT_EQ(out[39], GetParam().width == 32 ? 0xffu : (uint64_t{1} << 40) - 1);
}

INSTANTIATE_TEST_SUITE_P(Settings, Waves,
                         testing::Values(Setting{32, Convergence::independent, 0},
                                         Setting{32, Convergence::independent, 5},
                                         Setting{32, Convergence::lockstep, 0},
                                         Setting{64, Convergence::independent, 6},
                                         Setting{64, Convergence::lockstep, 0},
                                         Setting{64, Convergence::lockstep, 7}));

TEST(Masks, groups_of_lanes_work_apart_and_their_order_is_free) {
  std::vector<uint32_t> out(32);
  const SimtReport report = run({.block = {32, 1, 1}}, {}, [&] {
    const uint32_t lane = this_thread().lane;
    const uint64_t half = lane < 16 ? 0xffff : 0xffff0000;
    uint32_t sum = lane;
    // The halves go around the loop a different number of times.
    for (uint32_t i = 0; i < (lane < 16 ? 3 : 1); ++i) sum = shuffle_xor(half, sum, 1, 32) + 1;
    out[lane] = shuffle(0xffffffff, sum, 31 - lane);
  });
  EXPECT_THAT(report.problems, IsEmpty());
  for (uint32_t lane = 0; lane < 32; ++lane) {
    const uint32_t source = 31 - lane;
    EXPECT_EQ(out[lane], (source ^ 1) + (source < 16 ? 3 : 1));
  }
}

TEST(Masks, two_sites_with_one_mask_meet_between_independent_threads) {
  std::vector<uint64_t> out(32);
  const SimtReport report = run({.block = {32, 1, 1}}, {}, [&] {
    const uint32_t lane = this_thread().lane;
    if (lane < 16) {
      out[lane] = ambidex_simt_ballot(0xffffffff, lane % 2);
    } else {
      out[lane] = ambidex_simt_ballot(0xffffffff, lane % 2);
    }
  });
  EXPECT_THAT(report.problems, IsEmpty());
  EXPECT_EQ(out[0], 0xaaaaaaaau);
  EXPECT_EQ(out[31], 0xaaaaaaaau);
}

TEST(Masks, in_lockstep_an_explicit_mask_needs_its_lanes_at_one_site) {
  const SimtReport report =
      run({.block = {64, 1, 1}}, {.wave_width = 64, .convergence = Convergence::lockstep}, [&] {
        if (this_thread().lane < 16) {
          ambidex_simt_ballot(~0ull, 1);
        } else {
          ambidex_simt_ballot(~0ull, 0);
        }
      });
  ASSERT_THAT(report.problems, testing::Not(IsEmpty()));
  EXPECT_EQ(report.problems[0].kind, SimtProblemKind::mask_mismatch);
  EXPECT_EQ(report.problems[0].message,
            "lanes 0-15 of wave 0 are at a ballot of lanes 0-63, but lane 16 waits at a ballot of "
            "lanes 0-63");
}

TEST(Masks, a_lane_outside_of_its_own_mask_is_reported) {
  const SimtReport report = run({.block = {32, 1, 1}}, {}, [&] {
    if (this_thread().lane == 5) ambidex_simt_ballot(0xf, 1);
  });
  ASSERT_THAT(report.problems, SizeIs(1));
  EXPECT_EQ(report.problems[0].kind, SimtProblemKind::mask_mismatch);
  EXPECT_EQ(report.problems[0].thread[0], 5u);
  EXPECT_EQ(report.problems[0].message,
            "lane 5 of wave 0 is not in its own mask, lanes 0-3; it goes on alone");
}

TEST(Masks, masks_that_differ_are_reported_and_the_launch_goes_on) {
  std::vector<uint64_t> out(32);
  const SimtReport report = run({.block = {32, 1, 1}}, {}, [&] {
    const uint32_t lane = this_thread().lane;
    ambidex_simt_ballot(lane < 16 ? 0xffffffff : 0xffff0000, 1);
    ambidex_simt_barrier();
    out[lane] = lane;
  });
  ASSERT_THAT(report.problems, SizeIs(1));
  EXPECT_EQ(report.problems[0].kind, SimtProblemKind::mask_mismatch);
  EXPECT_EQ(report.problems[0].message,
            "lanes 0-15 of wave 0 are at a ballot of lanes 0-31, but lane 16 waits at a barrier of "
            "the block");
  EXPECT_EQ(out[31], 31u);
}

TEST(Masks, lanes_that_have_exited_are_not_waited_for) {
  std::vector<uint64_t> out(32);
  const SimtReport report = run({.block = {32, 1, 1}}, {.seed = 3}, [&] {
    const uint32_t lane = this_thread().lane;
    if (lane >= 10) return;
    out[lane] = ambidex_simt_ballot(0xffffffff, 1);
  });
  EXPECT_THAT(report.problems, IsEmpty());
  EXPECT_EQ(out[0], 0x3ffu);
}

TEST(Masks, what_rocm_asserts_of_a_mask_is_checked) {
  const SimtOptions options{.wave_width = 64, .convergence = Convergence::lockstep};
  const auto problems_with = [&](auto mask_of) {
    return run({.block = {64, 1, 1}}, options,
               [&] { ambidex_simt_check_mask(mask_of(this_thread().lane)); })
        .problems;
  };
  EXPECT_THAT(problems_with([](uint32_t) { return ~0ull; }), IsEmpty());
  EXPECT_THAT(problems_with([](uint32_t lane) { return 0xffffffffull << (lane & 32); }), IsEmpty());
  const auto zero_extended = problems_with([](uint32_t) { return 0xffffffffull; });
  ASSERT_THAT(zero_extended, SizeIs(1));
  EXPECT_EQ(zero_extended[0].kind, SimtProblemKind::mask_mismatch);
  EXPECT_EQ(zero_extended[0].message,
            "the masks of the active lanes together name lanes 0-31, but lanes 0-63 of wave 0 are "
            "active");
  const auto foreign = problems_with([](uint32_t lane) { return ~(1ull << lane); });
  ASSERT_THAT(foreign, SizeIs(1));
  EXPECT_EQ(foreign[0].message, "lane 0 of wave 0 is not in its own mask, lanes 1-63");
}

}  // namespace
}  // namespace ambidex
