// SPDX-License-Identifier: Apache-2.0
// Occupancy and time of a launch against figures worked out by hand, and laws.
#include "port/kernel_time.h"

#include <gmock/gmock.h>

#include "caught.h"
#include "port/compile.h"
#include "port/estimate_notes.h"

namespace ambidex {
namespace {

using testing::Contains;
using testing::Field;
using testing::HasSubstr;

TEST(Occupancy, threads_groups_and_shared_memory_limit_a_unit_of_h200) {
  const Device h200 = load_device("h200");
  const Occupancy full = occupancy_of(h200, {.threads = 256, .registers_per_lane = {}});
  EXPECT_EQ(full.groups_per_unit, 8);
  EXPECT_EQ(full.waves_per_unit, 64);
  EXPECT_EQ(full.ratio, 1);
  EXPECT_EQ(full.limit, OccupancyLimit::waves);
  const Occupancy small = occupancy_of(h200, {.threads = 32, .registers_per_lane = {}});
  EXPECT_EQ(small.groups_per_unit, 32);  // of 64 waves
  EXPECT_EQ(small.limit, OccupancyLimit::groups);
  // 100 KiB and 1 KiB reserved: two fit into 228 KiB.
  const Occupancy shared =
      occupancy_of(h200, {.threads = 256, .shared_bytes = 102400, .registers_per_lane = {}});
  EXPECT_EQ(shared.groups_per_unit, 2);
  EXPECT_EQ(shared.ratio, 0.25);
  EXPECT_EQ(shared.limit, OccupancyLimit::shared_memory);
  // A quarter of 256 KiB holds 4 warps of 128 registers.
  const Occupancy registers = occupancy_of(h200, {.threads = 256, .registers_per_lane = 128});
  EXPECT_EQ(registers.waves_per_unit, 16);
  EXPECT_EQ(registers.limit, OccupancyLimit::registers);
}

TEST(Occupancy, a_block_that_no_unit_holds_has_none) {
  EXPECT_EQ(occupancy_of(load_device("mi300x"),
                         {.threads = 64, .shared_bytes = 65537, .registers_per_lane = {}})
                .groups_per_unit,
            0);
}

// The compile stage reads waves per SIMD from LLVM's metadata; for registers that LLVM says allow
// 512 / (registers rounded up to 8) waves, both must agree.
TEST(Occupancy, agrees_with_the_compile_stage_on_gfx942) {
  const Device device = load_device("mi300x");
  for (const int64_t registers : {24, 64, 96, 128, 168, 256}) {
    const int64_t by_registers = std::min<int64_t>(8, 512 / ((registers + 7) / 8 * 8));
    for (const int64_t threads : {64, 128, 192, 256, 512, 1024}) {
      for (const int64_t bytes : {0, 1, 4096, 20000, 65536}) {
        const Occupancy occupancy = occupancy_of(
            device, {.threads = threads, .shared_bytes = bytes, .registers_per_lane = registers});
        EXPECT_EQ((occupancy.waves_per_unit + 3) / 4,
                  resident_waves_per_simd("gfx942", by_registers, threads, bytes))
            << registers << " registers, " << threads << " threads, " << bytes << " bytes";
      }
    }
  }
}

/// A copy of `num` floats, `each` by a thread in one access, perfectly coalesced.
LaunchCounts copy_counts(int64_t num, int64_t width, int64_t each = 1) {
  LaunchCounts counts;
  counts.block = {256, 1, 1};
  counts.grid = {static_cast<uint32_t>(num / each / 256), 1, 1};
  counts.waves = num / each / width;
  for (SimtGlobalTraffic* side : {&counts.traffic.loads, &counts.traffic.stores}) {
    side->accesses = counts.waves;
    side->lanes = num / each;
    side->bytes = side->distinct_bytes = 4 * num;
    side->moved = side->of_blocks = side->distinct = {num / 8, num / 16, num / 32};
  }
  counts.traffic.load_rounds = counts.waves;
  return counts;
}

KernelTime time_on(const Device& device, const LaunchCounts& counts) {
  return kernel_time(device, counts,
                     occupancy_of(device, {.threads = counts.num_threads(),
                                           .shared_bytes = counts.shared_bytes,
                                           .registers_per_lane = {}}));
}

double term(const KernelTime& time, TimeTerm which) {
  return time.term_seconds[static_cast<size_t>(which)];
}

TEST(KernelTime, a_large_copy_takes_its_bytes_at_the_sustained_rate) {
  constexpr int64_t kNum = int64_t{1} << 28;
  const Device h200 = load_device("h200");
  const KernelTime time = time_on(h200, copy_counts(kNum, 32));
  EXPECT_EQ(time.binds, TimeTerm::memory);
  EXPECT_EQ(time.memory_bytes, 8.0 * kNum);
  // measured.copy_bytes_per_second and the launch_seconds of the library's calibration
  // and the latencies of Triton's: the loads of one wave, before the first bytes come
  EXPECT_DOUBLE_EQ(time.fill_seconds, 1.765e-7 + 2.892e-7);
  EXPECT_DOUBLE_EQ(time.seconds, 8.0 * kNum / 4.3e12 + 2.044e-6 + time.fill_seconds);
  const KernelTime amd = time_on(load_device("mi350x"), copy_counts(kNum, 64, 4));
  EXPECT_EQ(amd.binds, TimeTerm::memory);
  EXPECT_DOUBLE_EQ(amd.seconds, 8.0 * kNum / (8e12 * 0.87) + 2.256e-6 + amd.fill_seconds);
}

// Little's law: 256 units with 2048 loads of 4 bytes each, 0.81 us under way, are 2.6 TB/s.
TEST(KernelTime, loads_of_one_float_by_each_thread_are_too_few_for_the_memory_of_mi350x) {
  constexpr int64_t kNum = int64_t{1} << 28;
  const KernelTime time = time_on(load_device("mi350x"), copy_counts(kNum, 64));
  EXPECT_EQ(time.binds, TimeTerm::latency);
  EXPECT_NEAR(term(time, TimeTerm::latency), 4.0 * kNum / (256 * 2048 * 4 / 0.81e-6), 1e-6);
}

TEST(KernelTime, a_small_launch_waits_for_one_load) {
  const KernelTime time = time_on(load_device("mi300x"), copy_counts(1024, 64));
  EXPECT_EQ(time.binds, TimeTerm::latency);
  // Behind it come the bytes: 4 KiB of 64 lines each way, through four units of one block each.
  EXPECT_DOUBLE_EQ(time.seconds, 2.256e-6 + 0.41e-6 + 0.4e-6 + term(time, TimeTerm::l2));
  EXPECT_DOUBLE_EQ(term(time, TimeTerm::l2), 8192 / (64 * 4 * 2.1e9));
}

TEST(KernelTime, multiply_adds_take_their_instructions_at_the_rate_of_the_lanes) {
  const Device h200 = load_device("h200");
  LaunchCounts counts = copy_counts(int64_t{132} * 1024 * 256, 32);
  counts.traffic.arithmetic.waves[static_cast<size_t>(SimtInstruction::f32)] = 1000 * counts.waves;
  const KernelTime time = time_on(h200, counts);
  EXPECT_EQ(time.binds, TimeTerm::vector);
  // 128 lanes of each of 132 units at 1.98 GHz: 66.9 TFLOP/s if all are fused
  const double lanes = 1000.0 * 132 * 1024 * 256;
  EXPECT_NEAR(term(time, TimeTerm::vector), lanes / (132 * 128 * 1.98e9), 1e-12);
  EXPECT_NEAR(term(time, TimeTerm::vector), 2 * lanes / 67e12, 0.01 * 2 * lanes / 67e12);
}

TEST(KernelTime, loads_that_caches_hold_wait_less) {
  LaunchCounts counts = copy_counts(1024, 64);
  counts.traffic.load_rounds *= 10;
  for (const auto field : {&SimtPieces::sectors, &SimtPieces::half_lines, &SimtPieces::lines}) {
    counts.traffic.loads.moved.*field *= 10;
  }
  // One byte in ten comes from memory.
  EXPECT_NEAR(term(time_on(load_device("mi300x"), counts), TimeTerm::latency),
              10 * (0.41e-6 + 0.1 * 0.4e-6), 1e-12);
}

TEST(KernelTime, a_lone_wave_issues_on_one_of_four_simds) {
  const Device mi300x = load_device("mi300x");
  LaunchCounts counts = copy_counts(int64_t{304} * 256, 64);
  counts.traffic.arithmetic.waves[static_cast<size_t>(SimtInstruction::f32)] = 304 * 4000000;
  // Four waves of a block fill a unit: one instruction a clock.
  EXPECT_NEAR(term(time_on(mi300x, counts), TimeTerm::vector), 4000000 / 2.1e9, 1e-9);
  counts.block = {64, 1, 1};
  counts.waves = 304;
  EXPECT_NEAR(term(time_on(mi300x, counts), TimeTerm::vector), 4 * 4000000 / 2.1e9, 1e-9);
}

TEST(KernelTime, passes_and_exchanges_share_the_unit_of_shared_memory) {
  const Device h200 = load_device("h200");
  LaunchCounts counts = copy_counts(int64_t{132} * 256, 32);
  counts.traffic.shared.passes = counts.traffic.shared.passes_without_conflicts = 132000000;
  counts.shuffles = 13200000;
  const KernelTime time = time_on(h200, counts);
  EXPECT_EQ(time.binds, TimeTerm::shared_memory);
  EXPECT_NEAR(term(time, TimeTerm::shared_memory), 1100000 / 1.98e9, 1e-12);
  counts.shuffles = 264000000;
  EXPECT_EQ(time_on(h200, counts).binds, TimeTerm::exchange);
}

TEST(KernelTime, a_unit_with_64_banks_takes_wide_passes) {
  const Device mi350x = load_device("mi350x");
  LaunchCounts counts = copy_counts(int64_t{256} * 256, 64);
  counts.traffic.shared.passes = 512000000;
  counts.traffic.shared.wide_passes = 256000000;
  EXPECT_NEAR(term(time_on(mi350x, counts), TimeTerm::shared_memory), 1000000 / 2.2e9, 1e-12);
}

TEST(KernelTime, matrix_products_take_their_rate_and_an_unknown_type_is_an_error) {
  const Device h200 = load_device("h200");
  LaunchCounts counts = copy_counts(int64_t{132} * 256, 32);
  counts.traffic.arithmetic.matrix_flop[DType::f16] = int64_t{989} << 30;
  EXPECT_NEAR(term(time_on(h200, counts), TimeTerm::matrix),
              static_cast<double>(int64_t{989} << 30) / 989e12, 1e-9);
  counts.traffic.arithmetic.matrix_flop = {{DType::fp8_e4m3_fnuz, 1}};
  EXPECT_THAT(caught([&] { time_on(h200, counts); }).message, HasSubstr("spec.flop_per_second"));
}

TEST(KernelTime, what_caches_hold_is_fetched_once_and_the_rest_again) {
  const Device h200 = load_device("h200");
  LaunchCounts counts = copy_counts(int64_t{1} << 20, 32);
  // Every block reads all of 4 MiB, which the L2 holds and no L1 does.
  const int64_t sectors = counts.traffic.loads.distinct.sectors;
  counts.traffic.loads.of_blocks = counts.traffic.loads.moved = {sectors * counts.num_blocks(),
                                                                 sectors * counts.num_blocks() / 2,
                                                                 sectors * counts.num_blocks() / 4};
  const KernelTime held = time_on(h200, counts);
  EXPECT_EQ(held.memory_bytes, 8.0 * (1 << 20));
  EXPECT_EQ(held.l2_bytes, 4.0 * (1 << 20) * static_cast<double>(counts.num_blocks()) + (4 << 20));
  // With footprints of 400 MiB, 1 - 50 / 400 of the repeated ones miss.
  counts.traffic.loads.distinct = {sectors * 100, sectors * 50, sectors * 25};
  const double once = 400.0 * (1 << 20);
  const double all = 4.0 * (1 << 20) * static_cast<double>(counts.num_blocks());
  EXPECT_NEAR(time_on(h200, counts).memory_bytes,
              once + (all - once) * (1 - 52428800.0 / once) * (1 - 52428800.0 / once) + (4 << 20),
              1);
}

TEST(KernelTime, more_of_anything_is_never_faster) {
  for (const char* id :
       {"h100", "h200", "a100", "mi300x", "mi325x", "mi308x", "mi350x", "mi355x"}) {
    const Device device = load_device(id);
    const int64_t width = *device.spec.waves.wave_width;
    LaunchCounts counts = copy_counts(int64_t{1} << 20, width);
    double before = time_on(device, counts).seconds;
    const auto never_faster = [&](const char* what) {
      const double now = time_on(device, counts).seconds;
      EXPECT_GE(now, before) << id << ": " << what;
      before = now;
    };
    SimtGlobalTraffic& loads = counts.traffic.loads;
    for (SimtPieces* pieces : {&loads.moved, &loads.of_blocks, &loads.distinct}) {
      pieces->sectors *= 8;
      pieces->half_lines *= 8;
    }
    never_faster("sectors");
    counts.traffic.load_rounds *= 10;
    never_faster("rounds of loads");
    counts.traffic.shared.passes = counts.traffic.shared.wide_passes = int64_t{1} << 30;
    never_faster("passes");
    counts.shuffles = int64_t{1} << 30;
    never_faster("exchanges");
    for (int64_t& waves : counts.traffic.arithmetic.waves) {
      waves = int64_t{1} << 32;
      never_faster("instructions");
    }
    counts.traffic.atomics.hottest_word = int64_t{1} << 40;
    never_faster("atomics");
  }
}

TEST(KernelTime, a_device_without_a_number_names_it) {
  Device device = load_device("h200");
  device.spec.vector_lanes.special_lanes_per_clock.reset();
  const Caught error = caught([&] { time_on(device, copy_counts(1024, 32)); });
  EXPECT_EQ(error.kind, ErrorKind::unsupported);
  EXPECT_THAT(error.message, HasSubstr("spec.special_lanes_per_clock"));
}

LaunchEstimate estimate_on(const Device& device, const LaunchCounts& counts) {
  LaunchEstimate launch{.device = device.id,
                        .counts = counts,
                        .resources = {},
                        .occupancy = occupancy_of(
                            device, {.threads = counts.num_threads(), .registers_per_lane = {}}),
                        .time = {},
                        .notes = {}};
  launch.time = kernel_time(device, counts, launch.occupancy);
  return launch;
}

std::vector<std::string> messages_of(const std::vector<EstimateNote>& notes) {
  std::vector<std::string> messages;
  for (const EstimateNote& note : notes) messages.push_back(note.id + ": " + note.message);
  return messages;
}

TEST(LaunchNotes, a_good_launch_has_none) {
  const Device mi300x = load_device("mi300x");
  EXPECT_THAT(launch_notes(mi300x, estimate_on(mi300x, copy_counts(int64_t{1} << 20, 64)), nullptr,
                           nlohmann::json::array()),
              testing::IsEmpty());
}

TEST(LaunchNotes, each_slow_construct_has_its_figure) {
  const Device mi300x = load_device("mi300x");
  LaunchCounts counts = copy_counts(1024, 64);
  counts.block = {32, 1, 1};
  counts.grid = {32, 1, 1};
  counts.traffic.shared.passes = 1000;
  counts.traffic.shared.passes_without_conflicts = 100;
  counts.traffic.atomics.compare_exchanges = 2048;
  counts.traffic.arithmetic.lanes[1] = 16;
  counts.traffic.arithmetic.waves[1] = 1;
  counts.shuffles = 77;
  LaunchEstimate launch = estimate_on(mi300x, counts);
  launch.resources = {
      .known = true, .registers_per_lane = 256, .scratch_bytes = 64, .num_spills = 9};
  LaunchEstimate original = estimate_on(load_device("h200"), copy_counts(1024, 32));
  original.counts.traffic.arithmetic.matrix_flop[DType::f16] = 4096;
  const nlohmann::json sites = {
      {{"space", "load"}, {"units", 64}, {"best_units", 8}, {"file", "a.hip"}, {"line", 12}}};
  const auto notes = launch_notes(mi300x, launch, &original, sites);
  const auto messages = messages_of(notes);
  EXPECT_THAT(messages, Contains(HasSubstr("W16: a block of 32 threads takes waves of 64 lanes: 50 "
                                           "% of the lanes are idle")));
  EXPECT_THAT(messages, Contains(HasSubstr("N24: lanes load 4096 bytes and move 4096")));
  EXPECT_THAT(notes, Contains(Field(&EstimateNote::line, 12)));
  EXPECT_THAT(messages, Contains(HasSubstr("N24: bank conflicts: 1000 passes of shared memory (32 "
                                           "banks) where 100 would do, 10.0 times")));
  EXPECT_THAT(messages, Contains(HasSubstr("a grid of 32 blocks leaves 272 of 304")));
  EXPECT_THAT(messages, Contains(HasSubstr("64 bytes a thread, 9 registers spilled")));
  EXPECT_THAT(messages,
              Contains(HasSubstr("N02: 4096 FLOP of matrix products are done in software, "
                                 "by 77 exchanges")));
  EXPECT_THAT(messages, Contains(HasSubstr("N11: 2048 compare-and-exchanges, 2.0 for each")));
  EXPECT_THAT(messages, Contains(HasSubstr("divergence: 16.0 of 64 lanes")));
}

}  // namespace
}  // namespace ambidex
