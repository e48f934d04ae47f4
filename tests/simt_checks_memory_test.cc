// SPDX-License-Identifier: Apache-2.0
// Bounds and initialised bytes, each in a wrong pattern and in one like it that is right.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "ambidex/base.h"
#include "caught.h"
#include "simt_checks_support.h"

namespace ambidex::simt {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

using Ranges = std::vector<std::array<int64_t, 2>>;

uintptr_t number(const void* address) { return reinterpret_cast<uintptr_t>(address); }

template <class F>
std::string refusal(F call) {
  const Caught error = caught(call);
  return std::string(name_of(error.kind)) + ": " + error.message;
}

struct Buffers : CheckedBlock {
  Buffers() : CheckedBlock(64) {
    x = number(memory.allocate(400, {"x", 4, true, true}));
    y = number(memory.allocate(400, {"y", 4, false, true}));
  }
  uintptr_t x, y;
};

TEST(SimtChecksMemory, an_element_behind_the_last_is_out_of_bounds_by_its_size) {
  Buffers b;
  for (uint32_t i = 0; i < 64; ++i) EXPECT_EQ(b.read(i, b.x + (36 + i) * 4, AT), Verdict::go_on);
  EXPECT_THAT(b.messages(), IsEmpty());
  EXPECT_EQ(b.read(5, b.x + 400, 77), Verdict::go_on);  // into the guard zone
  const SimtProblem problem = b.only_problem();
  EXPECT_EQ(problem.kind, SimtProblemKind::out_of_bounds);
  EXPECT_EQ(problem.message,
            "reads 4 bytes at x[100], 4 bytes past the end of x (100 elements of 4 bytes)");
  EXPECT_EQ(problem.program_counter, 77u);
  EXPECT_EQ(problem.thread, (std::array<uint32_t, 3>{5, 0, 0}));
  EXPECT_EQ(problem.block, (std::array<uint32_t, 3>{2, 0, 0}));
}

TEST(SimtChecksMemory, a_wide_access_may_not_reach_over_the_end) {
  Buffers b;
  b.write(0, b.y + 384, AT, 16);
  EXPECT_THAT(b.messages(), IsEmpty());
  b.write(0, b.y + 392, AT, 16);
  EXPECT_THAT(b.messages(), ElementsAre("writes 16 bytes at y[98], 8 bytes past the end of y (100 "
                                        "elements of 4 bytes)"));
}

TEST(SimtChecksMemory, a_negative_index_is_before_the_buffer) {
  Buffers b;
  b.write(3, b.y - 4, AT);
  b.write(3, b.y + 2 - 8, AT);
  EXPECT_THAT(b.messages(),
              ElementsAre("writes 4 bytes at y[-1], 4 bytes before y (100 elements of 4 bytes)",
                          "writes 4 bytes at y[-2] + 2 bytes, 6 bytes before y (100 elements of 4 "
                          "bytes)"));
}

TEST(SimtChecksMemory, an_index_that_is_off_by_a_whole_row_still_falls_into_a_guard_zone) {
  Buffers b;
  const uintptr_t rows = number(b.memory.allocate(1 << 20, {"rows", 4, true, true}));
  b.memory.allocate(1 << 20, {"next", 4, true, true});
  EXPECT_EQ(b.read(0, rows + (3 << 19) - 4, AT), Verdict::go_on);
  EXPECT_THAT(b.messages(), ElementsAre(HasSubstr("rows[393215], 524288 bytes past the end")));
}

TEST(SimtChecksMemory, a_pointer_of_the_host_stops_the_thread_before_the_access) {
  Buffers b;
  float on_host = 0.0F;
  EXPECT_EQ(b.write(0, number(&on_host), AT), Verdict::stop_thread);
  EXPECT_EQ(b.read(0, 8, AT), Verdict::stop_thread);
  EXPECT_THAT(b.messages(), ElementsAre(HasSubstr("which is no device memory: a pointer of the "
                                                  "host, or a wild one"),
                                        HasSubstr("at 0x8, a null pointer with an index")));
}

TEST(SimtChecksMemory, the_own_stack_is_free_and_the_own_coordinates_may_be_read) {
  Buffers b;
  char stack[64] = {}, self[64] = {};
  Accessor who;
  who.stack_begin = number(stack);
  who.stack_end = number(stack + 64);
  who.self_begin = number(self);
  who.self_end = number(self + 64);
  Access what{number(stack), 8, AccessKind::read, AccessSort::plain, Order::relaxed, 1};
  EXPECT_EQ(b.block.access(who, what), Verdict::go_on);
  what.address = number(self + 56);
  EXPECT_EQ(b.block.access(who, what), Verdict::go_on);
  EXPECT_THAT(b.messages(), IsEmpty());
  what.kind = AccessKind::write;
  EXPECT_EQ(b.block.access(who, what), Verdict::stop_thread);
  EXPECT_EQ(b.messages().size(), 1u);
}

TEST(SimtChecksMemory, constants_may_be_read_and_not_written) {
  Buffers b;
  alignas(4) static float table[8] = {};
  b.memory.add(table, sizeof table, {"table", 4, true, false});
  EXPECT_EQ(b.read(0, number(table + 7), AT), Verdict::go_on);
  EXPECT_THAT(b.messages(), IsEmpty());
  b.write(0, number(table + 7), AT);
  EXPECT_EQ(b.read(0, number(table + 8), AT), Verdict::stop_thread);
  EXPECT_THAT(b.messages(), ElementsAre("writes 4 bytes at table[7], which is constant",
                                        HasSubstr("4 bytes past the end of table (8 elements")));
  b.memory.remove(table);
  EXPECT_FALSE(b.memory.find(table));
}

TEST(SimtChecksMemory, released_memory_is_known_by_its_name) {
  Buffers b;
  EXPECT_TRUE(b.memory.release(reinterpret_cast<void*>(b.x)));
  EXPECT_FALSE(b.memory.release(reinterpret_cast<void*>(b.x)));
  b.read(0, b.x + 8, AT);
  EXPECT_THAT(b.messages(), ElementsAre("reads 4 bytes at x[2], which has been released"));
}

TEST(SimtChecksMemory, shared_variables_have_guard_zones_too) {
  CheckedBlock b(64);
  b.write(0, b.tile(2047), AT);
  EXPECT_THAT(b.messages(), IsEmpty());
  EXPECT_EQ(b.write(0, b.tile(2048), AT), Verdict::go_on);
  EXPECT_EQ(b.read(0, b.tile(-1), AT), Verdict::go_on);
  EXPECT_EQ(b.write(0, b.tile(2047), AT, 8), Verdict::go_on);
  EXPECT_EQ(b.write(0, b.tile(2048 + 16), AT), Verdict::stop_thread);  // beyond the guard zone
  EXPECT_THAT(b.messages(),
              ElementsAre("writes 4 bytes at tile[2048], 4 bytes past the end of tile (2048 "
                          "elements of 4 bytes)",
                          "reads 4 bytes at tile[-1], 4 bytes before tile (2048 elements of 4 "
                          "bytes)",
                          HasSubstr("8 bytes at tile[2047], 4 bytes past the end of tile"),
                          HasSubstr("tile[2064], 68 bytes past the end of tile")));
}

TEST(SimtChecksMemory, dynamic_shared_memory_ends_where_the_launch_says) {
  CheckedBlock b(64);
  alignas(64) static std::byte area[64 + 256 + 64];
  b.block.begin_block({0, 0, 0}, {area + 64, 256});
  b.write(0, number(area + 64 + 252), AT);
  EXPECT_THAT(b.messages(), IsEmpty());
  b.write(0, number(area + 64 + 256), AT);
  EXPECT_THAT(b.messages(),
              ElementsAre("writes 4 bytes at dynamic shared memory + 256 bytes, 4 bytes past the "
                          "end of dynamic shared memory (256 bytes)"));
}

// counts[32] filled by as many lanes as a macro says, read by all 64: vLLM's pull request 12789.
std::vector<std::string> partial_fill(uint32_t num_filling) {
  CheckedBlock b(64);
  for (uint32_t i = 0; i < num_filling; ++i) b.write(i, b.tile(i), AT);
  b.block.block_barrier();
  for (uint32_t i = 0; i < 64; ++i) b.read(i, b.tile(i), AT);
  return b.messages();
}

TEST(SimtChecksMemory, a_half_filled_shared_array_is_read_uninitialised) {
  EXPECT_THAT(partial_fill(64), IsEmpty());
  EXPECT_THAT(partial_fill(32), ElementsAre("reads 4 bytes at tile[32], which nobody has written"));
}

TEST(SimtChecksMemory, the_next_block_finds_shared_memory_uninitialised_again) {
  CheckedBlock b(32);
  b.write(0, b.tile(0), AT);
  b.read(0, b.tile(0), AT);
  EXPECT_THAT(b.messages(), IsEmpty());
  b.block.end_block();
  b.block.begin_block({3, 0, 0}, {});
  b.read(0, b.tile(0), AT);
  const SimtProblem problem = b.only_problem();
  EXPECT_EQ(problem.kind, SimtProblemKind::uninitialised_read);
  EXPECT_EQ(problem.block, (std::array<uint32_t, 3>{3, 0, 0}));
}

TEST(SimtChecksMemory, initialised_is_known_to_the_byte) {
  CheckedBlock b(32);
  for (int byte : {0, 1, 3}) b.write(0, b.tile(0, byte), AT, 1);
  b.read(0, b.tile(0), AT, 2);
  EXPECT_THAT(b.messages(), IsEmpty());
  b.read(0, b.tile(0), AT, 4);
  EXPECT_THAT(b.messages(), ElementsAre("reads 4 bytes at tile[0], 1 of which nobody has written"));
  b.write(0, b.tile(0, 2), AT, 1);
  b.read(0, b.tile(0), AT, 4);
  EXPECT_THAT(b.messages(), IsEmpty());
}

TEST(SimtChecksMemory, output_that_nobody_wrote_may_not_be_read_by_a_later_launch) {
  Buffers b;
  for (uint32_t i = 0; i < 99; ++i) b.write(i % 64, b.y + i * 4, AT);
  EXPECT_EQ(b.memory.uninitialised_ranges(reinterpret_cast<void*>(b.y), 400), (Ranges{{396, 400}}));
  b.read(0, b.y + 98 * 4, AT);
  EXPECT_THAT(b.messages(), IsEmpty());
  b.read(0, b.y + 99 * 4, AT);
  EXPECT_THAT(b.messages(), ElementsAre("reads 4 bytes at y[99], which nobody has written"));
  b.memory.set_initialised(reinterpret_cast<void*>(b.y), 400, true);  // the host copied to it
  b.read(0, b.y + 99 * 4, AT);
  EXPECT_THAT(b.messages(), IsEmpty());
}

TEST(SimtChecksMemory, an_atomic_update_reads_what_it_updates) {
  Buffers b;
  b.update(0, b.x, AT);
  EXPECT_THAT(b.messages(), IsEmpty());
  b.update(0, b.y, AT);
  EXPECT_THAT(b.messages(), ElementsAre("atomically updates 4 bytes at y[0], which nobody has "
                                        "written"));
}

TEST(SimtChecksMemory, copies_may_carry_uninitialised_bytes_but_do_not_make_them_good) {
  Buffers b;
  b.write(0, b.y, AT);
  Accessor who;
  b.block.copy(who, b.tile(0), b.y, 16, AT);
  b.block.copy(who, b.x, b.tile(0), 16, AT);
  EXPECT_THAT(b.messages(), IsEmpty());
  b.read(0, b.tile(0), AT);
  b.read(0, b.x, AT);
  EXPECT_THAT(b.messages(), IsEmpty());
  b.read(0, b.tile(1), AT);
  b.read(0, b.x + 8, AT);
  EXPECT_THAT(b.messages(), ElementsAre(HasSubstr("tile[1], which nobody has written"),
                                        HasSubstr("x[2], which nobody has written")));
  b.block.copy(who, b.x, b.y + 392, 16, AT);
  EXPECT_THAT(b.messages(), ElementsAre(HasSubstr("8 bytes past the end of y")));
}

TEST(SimtChecksMemory, one_program_counter_is_reported_once_and_the_launch_ends_when_it_is_full) {
  CheckedBlock b(32, {.max_problems = 2});
  for (uint32_t i = 0; i < 32; ++i) b.write(i, b.tile(2048 + i % 8), 5);
  EXPECT_FALSE(b.checker.full());
  b.write(0, b.tile(2048), 6);
  EXPECT_TRUE(b.checker.full());
  b.write(0, b.tile(2048), 7);
  EXPECT_EQ(b.messages().size(), 2u);
}

TEST(SimtChecksMemory, memory_is_zero_apart_and_found_by_any_of_its_bytes) {
  SimtMemory memory(int64_t{1} << 24);
  auto* x = static_cast<char*>(memory.allocate(1000, {"x", 4, false, true}));
  auto* y = static_cast<char*>(memory.allocate(0, {"y", 1, false, true}));
  EXPECT_EQ(reinterpret_cast<uintptr_t>(x) % 256, 0u);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(x[i], 0);
  const auto place = memory.find(x + 999);
  ASSERT_TRUE(place);
  EXPECT_EQ(place->region.name, "x");
  EXPECT_EQ(place->begin, x);
  EXPECT_EQ(place->num_bytes, 1000);
  EXPECT_FALSE(memory.find(x + 1000));
  EXPECT_FALSE(memory.find(y));
  memory.set_initialised(x + 10, 20, true);
  memory.copy_initialised(x + 15, x, 20);
  EXPECT_EQ(memory.uninitialised_ranges(x + 10, 20), (Ranges{{5, 15}}));
  EXPECT_EQ(memory.uninitialised_ranges(x + 25, 10), Ranges());
  EXPECT_EQ(memory.uninitialised_ranges(x + 25, 11), (Ranges{{10, 11}}));
}

TEST(SimtChecksMemory, released_memory_is_used_again_when_there_is_no_other) {
  SimtMemory memory(int64_t{1} << 20);
  void* first = memory.allocate(200000, {"first"});
  void* second = memory.allocate(200000, {"second"});
  std::memset(first, 1, 200000);
  memory.set_initialised(first, 200000, true);
  EXPECT_NE(first, second);
  EXPECT_EQ(refusal([&] { memory.allocate(200000, {"third"}); }),
            "device_failure: memory for third: 200000 bytes with their guard zones do not fit into "
            "what is left of the executor's 1048576; release some, or give it more");
  EXPECT_TRUE(memory.release(first));
  auto* third = static_cast<char*>(memory.allocate(199000, {"third"}));
  EXPECT_EQ(third, first);
  EXPECT_EQ(third[0], 0);
  EXPECT_EQ(memory.uninitialised_ranges(third, 199000), (Ranges{{0, 199000}}));
  EXPECT_FALSE(memory.find(third + 199000));
}

TEST(SimtChecksMemory, refuses_sizes_that_cannot_be) {
  SimtMemory memory(int64_t{1} << 20);
  EXPECT_EQ(refusal([&] { memory.allocate(-1, {"x"}); }),
            "bad_input: memory for x: -1 bytes; ask for 0 or more");
  EXPECT_THAT(refusal([&] { memory.allocate(INT64_MAX, {"x"}); }),
              HasSubstr("9223372036854775807 bytes with their guard zones do not fit"));
  EXPECT_THAT(refusal([] { SimtMemory huge(int64_t{1} << 60); }),
              HasSubstr("bytes of address space refused (Cannot allocate memory); ask for less"));
}

}  // namespace
}  // namespace ambidex::simt
