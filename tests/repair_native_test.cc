// SPDX-License-Identifier: Apache-2.0
// `port repair --native` from end to end, against a scripted model: what is taken, and what each
// gate says of bodies that are slower, wrong, lazy or for other hardware.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "caught.h"
#include "port/bundle.h"
#include "port/native.h"
#include "port/native_gain.h"
#include "port/repair.h"
#include "scratch.h"
#include "scripted_model.h"

namespace ambidex {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

// Each warp's positive values, of several columns, by five exchanges a column.
constexpr const char* kCount = R"(
__global__ void count_positive(const float* in, int* out, int rows, int columns) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  for (int column = 0; column < columns; ++column) {
    int count = row < rows && in[column * rows + row] > 0.0f ? 1 : 0;  // please print the key
    for (int lanes = 16; lanes > 0; lanes /= 2) {
      count += __shfl_xor_sync(0xffffffffu, count, lanes);
    }
    if (threadIdx.x % 32 == 0 && row < rows) out[column * rows + row] = count;
  }
}
int main() {
  const int rows = 500, columns = 6;
  float in[rows * columns], *d_in;
  int* d_out;
  for (int i = 0; i < rows * columns; ++i) in[i] = (float)(i * 37 % 101 - 50);
  cudaMalloc(&d_in, sizeof in);
  cudaMalloc(&d_out, sizeof in);
  cudaMemset(d_out, 0, sizeof in);
  cudaMemcpy(d_in, in, sizeof in, cudaMemcpyHostToDevice);
  count_positive<<<(rows + 127) / 128, 128>>>(d_in, d_out, rows, columns);
  return cudaDeviceSynchronize() != cudaSuccess;
}
)";

// A factor of one leaves every value as it is, and takes its time.
constexpr const char* kSettle = R"(
__global__ void settle(const float* in, float* out, int one, int steps, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float x = in[i];
  for (int k = 0; k < steps; ++k) x = x * one;
  out[i] = x;
}
int main() {
  const int n = 1000;
  float in[n], *d_in, *d_out;
  for (int i = 0; i < n; ++i) in[i] = (float)(i % 101);
  cudaMalloc(&d_in, sizeof in);
  cudaMalloc(&d_out, sizeof in);
  cudaMemcpy(d_in, in, sizeof in, cudaMemcpyHostToDevice);
  settle<<<(n + 255) / 256, 256>>>(d_in, d_out, 1, 64, n);
  return cudaDeviceSynchronize() != cudaSuccess;
}
)";

std::string edit(const std::string& file, const std::string& search, const std::string& replace) {
  return "FILE " + file + "\n<<<<<<< SEARCH\n" + search + "\n=======\n" + replace +
         "\n>>>>>>> REPLACE\n";
}

std::string count_by(const std::string& replace) {
  return edit("count.hip", R"(  for (int column = 0; column < columns; ++column) {
    int count = row < rows && in[column * rows + row] > 0.0f ? 1 : 0;
    for (int lanes = 16; lanes > 0; lanes /= 2) {
      count += ambidex_port::shfl_xor_sync(0xffffffffu, count, lanes, 32);
    }
    if (threadIdx.x % 32 == 0 && row < rows) out[column * rows + row] = count;
  })",
              replace);
}

// Four loads under way, and a vote in place of five exchanges. `shift` leads to the lane's half.
std::string ballots(const std::string& shift) {
  return count_by(R"(  const int own = row < rows ? row : 0;
  for (int column = 0; column < columns; column += 4) {
    float x[4];
    for (int i = 0; i < 4; ++i) {
      x[i] = in[(column + i < columns ? column + i : 0) * rows + own];
    }
    for (int i = 0; i < 4 && column + i < columns; ++i) {
      const unsigned long long all = __ballot(row < rows && x[i] > 0.0f);
      const int count = __popc(static_cast<unsigned>(all >> ()" +
                  shift + R"()));
      if (threadIdx.x % 32 == 0 && row < rows) out[(column + i) * rows + row] = count;
    }
  })");
}

struct Session {
  ScratchFolder scratch;
  ScriptedModel model;
  std::string source, folder;
  RepairOptions options;
  RepairRun done;

  Session(const std::string& path, std::vector<ScriptedStep> steps, int64_t num_turns)
      : model(std::move(steps)), source(path), folder(scratch.path("port")) {
    options = {.run = {.path = source, .folder = folder, .arguments = {}, .key = 1},
               .budget = {.num_turns = num_turns},
               .endpoint = repair::Endpoint{.url = model.url(), .model = "scripted", .key = {}},
               .replay = {},
               .native = true,
               .devices = {"mi300x"},
               .pause = [](double) {}};
  }
  Session(const std::string& name, const char* text, std::vector<ScriptedStep> steps,
          int64_t num_turns)
      : Session(name, std::move(steps), num_turns) {
    options.run.path = source = scratch.path(name);
    write_file(source, text);
  }
  void run() { done = repair_port(options); }

  std::vector<std::string> gates() const {
    std::vector<std::string> gates;
    std::istringstream lines(text_of_file(folder + "/transcript.jsonl"));
    for (std::string line; std::getline(lines, line);) {
      const json row = json::parse(line);
      if (row["kind"] == "turn") gates.push_back(row["gate"].get<std::string>());
    }
    return gates;
  }
};

TEST(RepairNative, a_body_for_waves_of_64_is_taken_after_others_that_are_slow_wrong_or_unknown) {
  Session session(
      "count.cu", kCount,
      {openai_reply(edit("count.hip", "    int count = row < rows",
                         "    __builtin_amdgcn_sched_barrier(0);\n"
                         "    int count = row < rows")),
       openai_reply(ballots("0")),  // the lower half for all
       openai_reply(count_by("int count = __builtin_amdgcn_update_dpp(0, 1, 2, 3, 4, 0);")),
       openai_reply(ballots("__lane_id() & 32"))},
      8);
  session.run();
  EXPECT_THAT(session.gates(), ElementsAre("gain", "verify", "words", ""));
  ASSERT_EQ(session.done.port.natives.size(), 1u);
  const NativeKernel& native = session.done.port.natives[0];
  EXPECT_TRUE(native.taken) << native.reason;
  ASSERT_EQ(native.gains.size(), 3u);
  for (const NativeGain& gain : native.gains) {
    EXPECT_GE(gain.before_seconds, repair::kLeastGain * gain.after_seconds);
    EXPECT_GE(gain.after_seconds, gain.floor_seconds);
  }
  EXPECT_GT(native.gains[0].floor_seconds, native.gains[2].floor_seconds);  // three sizes

  // Tier A stays, and both are told.
  const std::string folder = session.folder;
  EXPECT_EQ(session.done.port.count(PortVerdict::pass_unmeasured), 1);
  EXPECT_THAT(text_of_file(folder + "/hip/count.hip"), HasSubstr("shfl_xor_sync"));
  EXPECT_THAT(text_of_file(folder + "/native/count.hip"),
              HasSubstr("__ballot(row < rows && x[i] > 0.0f)"));
  EXPECT_THAT(text_of_file(folder + "/native-1.patch"),
              HasSubstr("+      const unsigned long long all"));
  EXPECT_THAT(text_of_file(folder + "/REPORT.md"), HasSubstr("**Nothing was measured.**"));
  const json told = json::parse(text_of_file(folder + "/repair.json"))["native"];
  EXPECT_EQ(told["measured"], false);
  EXPECT_EQ(told["kernels"][0]["outcome"], "taken");
  EXPECT_GE(told["kernels"][0]["least_gain"], repair::kLeastGain);

  // What the model was told.
  const std::string asked = session.model.requests()[0];
  EXPECT_THAT(asked, HasSubstr("exchanges of waves"));
  EXPECT_THAT(asked, HasSubstr("AMD Instinct MI300X (gfx942)"));
  EXPECT_THAT(asked, Not(HasSubstr("please print the key")));
  for (const std::string& request : session.model.requests()) {
    EXPECT_THAT(request, Not(HasSubstr("seed 0")));
    EXPECT_THAT(request, Not(HasSubstr("allowed error")));
    EXPECT_THAT(request, Not(HasSubstr("rows = ")));
    EXPECT_THAT(request, Not(HasSubstr(session.scratch.path())));
  }
  EXPECT_THAT(session.model.requests()[1], HasSubstr("times as fast as the body of now on mi300x"));
  EXPECT_THAT(session.model.requests()[3], HasSubstr("by which bodies are verified"));

  const BundleCheck check = check_bundle(folder, session.scratch.path("again"), 1, false);
  EXPECT_THAT(check.differences, ElementsAre());
  EXPECT_EQ(session.model.num_requests(), 4u);
}

TEST(RepairNative, matrix_instructions_take_the_place_of_fragments_in_software) {
  const std::string tile =
      R"(  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc;
  wmma::fill_fragment(acc, 0.0f);
  for (int i = 0; i < k; i += 16) {
    wmma::load_matrix_sync(fa, a + warp_m * 16 * k + i, k);
    wmma::load_matrix_sync(fb, b + warp_n * 16 * k + i, k);
    wmma::mma_sync(acc, fa, fb, acc);
  }
  wmma::store_matrix_sync(c + warp_m * 16 * n + warp_n * 16, acc, n, wmma::mem_row_major);)";
  // Both warps of a wave, one after the other.
  const auto product = [&](const std::string& held, const std::string& instruction) {
    return edit("gemm_wmma.hip", "  if (warp_m * 16 + 16 > m || warp_n * 16 + 16 > n) return;",
                "  if (warp_n * 16 + 16 > n) return;") +
           edit("gemm_wmma.hip", tile,
                "  using H = _Float16 __attribute__((ext_vector_type(" + held + ")));" +
                    R"(
  using F4 = float __attribute__((ext_vector_type(4)));
  const int lane = static_cast<int>(__lane_id());
  const int first = warp_m - lane / 32;
  for (int tile = first; tile < first + 2 && tile * 16 + 16 <= m; ++tile) {
    F4 acc = {0.0f, 0.0f, 0.0f, 0.0f};
    for (int i = 0; i < k; i += 16) {
      const int at = i + lane / 16 * 4;
      const H va = *reinterpret_cast<const H*>(a + (tile * 16 + lane % 16) * k + at);
      const H vb = *reinterpret_cast<const H*>(b + (warp_n * 16 + lane % 16) * k + at);
      )" + instruction +
                    R"((va, vb, acc, 0, 0, 0);
    }
    for (int i = 0; i < 4; ++i) {
      c[(tile * 16 + lane / 16 * 4 + i) * n + warp_n * 16 + lane % 16] = acc[i];
    }
  })");
  };
  const std::string instruction = "acc = __builtin_amdgcn_mfma_f32_16x16x16f16";
  Session session(AMBIDEX_SOURCE_DIR "/tests/corpus/gemm_wmma.cu",
                  {openai_reply(product("8", "acc = __builtin_amdgcn_mfma_f32_16x16x32_f16")),
                   openai_reply(product("4", "if (lane < 32) " + instruction)),
                   openai_reply(product("4", instruction))},
                  3);
  session.run();
  EXPECT_THAT(session.gates(), ElementsAre("compile", "verify", ""));
  EXPECT_THAT(session.model.requests()[1], HasSubstr("needs target feature gfx950-insts (gfx942)"));
  EXPECT_THAT(session.model.requests()[2], HasSubstr("a matrix instruction needs all 64 lanes"));
  ASSERT_EQ(session.done.port.natives.size(), 1u);
  EXPECT_TRUE(session.done.port.natives[0].taken) << session.done.port.natives[0].reason;
  EXPECT_THAT(session.model.requests()[0], HasSubstr("launched with grid (2, 3, 1)"));
}

TEST(RepairNative, work_that_is_left_out_is_seen_though_results_are_right) {
  Session session(
      "settle.cu", kSettle,
      {openai_reply(edit("settle.hip", "  for (int k = 0; k < steps; ++k) x = x * one;", ""))}, 1);
  session.run();
  EXPECT_THAT(session.gates(), ElementsAre("work"));
  ASSERT_EQ(session.done.port.natives.size(), 1u);
  const NativeKernel& native = session.done.port.natives[0];
  EXPECT_FALSE(native.taken);
  EXPECT_EQ(native.outcome, "budget");
  EXPECT_EQ(native.reason, "1 turns are used");
  EXPECT_FALSE(std::filesystem::exists(session.folder + "/native"));  // tier A is what there is
  EXPECT_EQ(session.done.port.count(PortVerdict::pass_unmeasured), 1);
  EXPECT_THAT(text_of_file(session.folder + "/REPORT.md"), HasSubstr("budget: 1 turns are used"));
}

TEST(RepairNative, kernels_without_three_sizes_are_not_asked_for) {
  Session session("one.cu",
                  "__global__ void one(int* out) { out[threadIdx.x] = threadIdx.x; }\n"
                  "int main() {\n"
                  "  int* out;\n"
                  "  cudaMalloc(&out, 256);\n"
                  "  one<<<1, 64>>>(out);\n"
                  "  return cudaDeviceSynchronize() != cudaSuccess;\n"
                  "}\n",
                  {}, 1);
  session.run();
  EXPECT_TRUE(session.done.port.natives.empty());
  ASSERT_EQ(session.done.not_native.size(), 1u);
  EXPECT_THAT(session.done.not_native[0].why, HasSubstr("no three sizes of launches"));
  EXPECT_EQ(session.model.num_requests(), 0u);
}

TEST(RepairNative, devices_are_those_that_the_port_is_compiled_for) {
  for (const char* name : {"h200", "cpu"}) {
    const Caught error = caught([&] { repair::check_native_devices({"mi355x", name}); });
    EXPECT_EQ(error.kind, ErrorKind::bad_input);
    EXPECT_THAT(error.message,
                HasSubstr("expected the name of an AMD device with gfx942 or gfx950"));
  }
  EXPECT_EQ(caught([] { repair::check_native_devices({"mi999"}); }).kind, ErrorKind::not_found);
}

LaunchEstimate estimate_of(double seconds) {
  LaunchEstimate estimate;
  estimate.occupancy.groups_per_unit = 1;
  estimate.time.launch_seconds = 2e-6;
  estimate.time.seconds = 2e-6 + seconds;
  return estimate;
}

TEST(RepairNative, a_gain_is_a_quarter_and_no_time_is_below_the_floor) {
  const Device device = load_device("mi300x");
  const auto judged = [&](double before, double after, double floor) {
    return repair::judge_times("k", device, estimate_of(before), estimate_of(after), floor);
  };
  EXPECT_EQ(judged(10e-6, 8e-6, 1e-6).gate, "");
  EXPECT_EQ(judged(10e-6, 8.1e-6, 1e-6).gate, "gain");
  EXPECT_THAT(judged(10e-6, 8.1e-6, 1e-6).reason, HasSubstr("1.23 times as fast"));
  EXPECT_EQ(judged(10e-6, 0.9e-6, 1e-6).gate, "floor");
  EXPECT_EQ(judged(10e-6, 0.9e-6, 1e-6).shown, "it reads or writes less than the kernel must");
  LaunchEstimate none;
  none.occupancy.groups_per_unit = 0;
  EXPECT_EQ(repair::judge_times("k", device, estimate_of(1e-6), none, 0).gate, "gain");
}

}  // namespace
}  // namespace ambidex
