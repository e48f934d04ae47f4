// SPDX-License-Identifier: Apache-2.0
// Launches on a GPU beside the executor's, with drivers of tests/fake_gpu.cc in the place of the
// vendors': whether bytes, pointers and faults arrive, not what a GPU computes.
#include "port/gpu.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "base/files.h"
#include "caught.h"
#include "scratch.h"

namespace ambidex {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

template <class T>
std::string bytes_of(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

TracedBuffer buffer(const std::string& name, const std::vector<float>& before,
                    const std::vector<float>& after) {
  return {.name = name, .variable = {}, .before = bytes_of(before), .after = bytes_of(after)};
}

// y = 2 x of three floats, y one float into its buffer.
TracedLaunch scale_launch() {
  TracedLaunch launch{.kernel = "scale", .symbol = "scale", .grid = {1, 1, 1}, .block = {32, 1, 1}};
  launch.buffers = {buffer("x", {1, 2, 3}, {1, 2, 3}), buffer("y", {9, 0, 0, 0}, {9, 2, 4, 6})};
  launch.arguments = {std::string(8, '\0'), std::string(8, '\0'), bytes_of<int>({3})};
  launch.pointers = {{.parameter = 0, .at = 0, .buffer = 0, .offset = 0, .constant = true},
                     {.parameter = 1, .at = 0, .buffer = 1, .offset = 4}};
  return launch;
}

class OnGpu : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const std::string folders = AMBIDEX_BINARY_DIR "/tests/fake_gpu/" + std::string(GetParam());
    setenv("LD_LIBRARY_PATH", folders.c_str(), 1);
    write_file(object(), "fake object");
    for (const Gpu& gpu : gpus()) {
      if (gpu.vendor == GetParam()) gpu_ = gpu;
    }
    ASSERT_THAT(gpu_.name, HasSubstr("fake"));
  }
  void TearDown() override { unsetenv("LD_LIBRARY_PATH"); }

  std::string object() const { return scratch_.path("object"); }
  Replayed run(const TracedLaunch& launch) {
    return replay_on_gpu(launch, launch.symbol, gpu_, {object()}, scratch_.path("run"));
  }

  ScratchFolder scratch_;
  Gpu gpu_;
};

TEST_P(OnGpu, a_device_is_found_with_its_architecture) {
  EXPECT_EQ(gpu_.architecture, gpu_.vendor == "nvidia" ? "sm_90" : "");
}

TEST_P(OnGpu, buffers_and_pointers_into_them_arrive_and_come_back) {
  const Replayed replayed = run(scale_launch());
  EXPECT_EQ(replayed.status, "ended");
  ASSERT_EQ(replayed.buffers.size(), 2U);
  EXPECT_EQ(replayed.buffers[1], bytes_of<float>({9, 2, 4, 6}));
  EXPECT_TRUE(replayed.problems.empty());
}

TEST_P(OnGpu, a_variable_of_the_module_is_filled) {
  TracedLaunch launch = scale_launch();
  launch.buffers.push_back(buffer("bias", {1, 1, 1, 1}, {}));
  launch.buffers.back().variable = "_4bias";
  EXPECT_EQ(run(launch).buffers.at(1), bytes_of<float>({9, 3, 5, 7}));
  launch.buffers.back().before.resize(8);
  EXPECT_THAT(run(launch).problems.at(0).message, HasSubstr("has 16 bytes there, 8 here"));
}

TEST_P(OnGpu, a_write_beside_a_buffer_is_seen) {
  TracedLaunch launch = scale_launch();
  launch.symbol = "overrun";
  launch.arguments = {launch.arguments[0], bytes_of<int>({3})};
  launch.pointers.pop_back();
  EXPECT_THAT(run(launch).problems.at(0).message, HasSubstr("has written beside \"x\" (12 bytes)"));
}

TEST_P(OnGpu, a_fault_has_the_drivers_words) {
  TracedLaunch launch = scale_launch();
  launch.symbol = "fault";
  const Replayed replayed = run(launch);
  EXPECT_EQ(replayed.status, "crash");
  EXPECT_THAT(replayed.problems.at(0).message, HasSubstr("error 700: an illegal address"));
}

TEST_P(OnGpu, the_object_that_the_device_takes_is_used) {
  const TracedLaunch launch = scale_launch();
  write_file(scratch_.path("other"), "of another architecture");
  const std::string other = scratch_.path("other"), folder = scratch_.path("run");
  EXPECT_EQ(replay_on_gpu(launch, "scale", gpu_, {other, object()}, folder).status, "ended");
  const Replayed none = replay_on_gpu(launch, "scale", gpu_, {other}, folder);
  EXPECT_EQ(none.status, "refused");
  EXPECT_THAT(none.problems.at(0).message, HasSubstr("no object has \"scale\" for fake"));
  EXPECT_EQ(replay_on_gpu(launch, "unknown", gpu_, {object()}, folder).status, "refused");
}

TEST_P(OnGpu, launches_are_held_against_the_executors) {
  const TracedLaunch right = scale_launch();
  TracedLaunch wrong = scale_launch();
  wrong.buffers[1].after = bytes_of<float>({9, 2, 4, 7});
  const KernelView view{.names = {"x", "y", "n"},
                        .elements = {Element::f32, Element::f32, Element::i32},
                        .error_class = ErrorClass::elementwise};
  const auto further = [] { return FurtherRuns{}; };
  const GpuComparison comparison = compare_on_gpu(gpu_, {object()},
                                                  {{&right, "scale", &view, further},
                                                   {&wrong, "scale", &view, further},
                                                   {&right, "unknown", &view, further}},
                                                  scratch_.path("run"));
  EXPECT_EQ(comparison.num_launches, 2);
  EXPECT_EQ(comparison.num_right, 1);
  EXPECT_EQ(comparison.num_bit_identical, 1);
  EXPECT_THAT(comparison.difference, HasSubstr("y[3] is 6"));
  EXPECT_THAT(comparison.not_run, HasSubstr("no object has \"unknown\""));
}

INSTANTIATE_TEST_SUITE_P(Vendors, OnGpu, testing::Values("nvidia", "amd"),
                         [](const auto& vendor) { return std::string(vendor.param); });

TEST(Nvcc, compiles_each_source_for_the_device_or_is_said_to_be_missing) {
  const ScratchFolder scratch;
  const std::string folders = std::getenv("PATH");
  write_file(scratch.path("nvcc"),
             "#!/bin/sh\nwhile [ \"$1\" != -o ]; do shift; done\n"
             "[ \"${3##*/}\" = odd.cu ] && { echo 'odd.cu(3): error: odd' >&2; exit 2; }\n"
             "cp \"$3\" \"$2\"\n");
  fs::permissions(scratch.path("nvcc"), fs::perms::owner_all);
  write_file(scratch.path("a.cu"), "a");
  write_file(scratch.path("odd.cu"), "odd");
  const Gpu gpu{"nvidia", "fake", "sm_90"};
  Program program{.name = "a", .sources = {scratch.path("a.cu"), scratch.path("b.cpp")}};
  setenv("PATH", (scratch.path() + ":" + folders).c_str(), 1);
  const auto objects = compile_with_nvcc(program, gpu, scratch.path("out"));
  ASSERT_EQ(objects.size(), 1U);
  EXPECT_EQ(read_file(objects[0], 10), "a");
  program.sources = {scratch.path("odd.cu")};
  EXPECT_THAT(caught([&] { compile_with_nvcc(program, gpu, scratch.path("out")); }).message,
              HasSubstr("nvcc does not compile it: odd.cu(3): error: odd"));
  setenv("PATH", scratch.path("out").c_str(), 1);
  EXPECT_EQ(caught([&] { compile_with_nvcc(program, gpu, scratch.path("out")); }).kind,
            ErrorKind::not_found);
  setenv("PATH", folders.c_str(), 1);
}

}  // namespace
}  // namespace ambidex
