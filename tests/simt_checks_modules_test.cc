// SPDX-License-Identifier: Apache-2.0
// A CUDA kernel, compiled by ambidex-clang and run with the checkers on: without a mistake and with
// each of its mistakes.
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <numeric>

#include "ambidex/simt.h"
#include "ambidex/simt_memory.h"
#include "port/frontend.h"
#include "port/symbolize.h"
#include "scratch.h"

// What the module's other half calls to launch kernels. This test runs none of it.
#define AMBIDEX_NOT_CALLED(name) \
  extern "C" void name() { std::abort(); }
AMBIDEX_NOT_CALLED(__cudaPopCallConfiguration)
AMBIDEX_NOT_CALLED(__cudaPushCallConfiguration)
AMBIDEX_NOT_CALLED(__cudaRegisterFatBinary)
AMBIDEX_NOT_CALLED(__cudaRegisterFatBinaryEnd)
AMBIDEX_NOT_CALLED(__cudaRegisterFunction)
AMBIDEX_NOT_CALLED(__cudaRegisterVar)
AMBIDEX_NOT_CALLED(__cudaUnregisterFatBinary)
AMBIDEX_NOT_CALLED(ambidex_host_atexit)
AMBIDEX_NOT_CALLED(cudaLaunchKernel)

namespace ambidex {
namespace {

using testing::HasSubstr;

constexpr const char* kSource = R"(#include <cuda_runtime.h>
__constant__ float table[8] = {1, 1, 1, 1, 1, 1, 1, 1};
__device__ float sum_of(const float* values, int n) {
  float sum = 0;
  for (int i = 0; i < n; ++i) sum += values[i];  // MARK outside
  return sum;
}
__global__ void kernel(float* in, float* out, int n, int mistake) {
  __shared__ float tile[128];
  __shared__ int lowest;
  __shared__ float unfilled[4];
  extern __shared__ float extra[];
  const int i = threadIdx.x;
  if (i == 0) lowest = n;
  tile[i] = in[i] * table[i % 8];
  __syncthreads();
  for (int s = 64; s > 0; s /= 2) {
    if (i < s) tile[i] += tile[i + s];  // MARK tree
    if (s != 64 || mistake != 1) __syncthreads();
  }
  atomicMin(&lowest, static_cast<int>(in[i]));  // MARK minimum
  if (mistake != 2) __syncthreads();
  if (mistake == 3 && i == 0) out[1] = sum_of(in, n + 1);
  if (mistake == 4 && i == 2) out[1] = unfilled[3];  // MARK unfilled
  if (mistake != 5 && i == 5) extra[63] = 1;
  if (mistake == 5 && i == 5) extra[64] = 1;  // MARK extra
  if (mistake == 6 && i == 5) const_cast<float*>(table)[1] = 2;  // MARK table
  if (i == 1) out[0] = tile[0] + lowest;  // MARK result
}
int main() { kernel<<<1, 128, 256>>>(nullptr, nullptr, 0, 0); }
)";

struct Module {
  Module() {
    std::ofstream(source) << kSource;
    text = ask_frontend(
        "module", {{"files", {source}}, {"dialect", "cuda"}, {"checked", true}, {"output", path}});
    if (!text["ok"]) throw Error(ErrorKind::internal, text.dump());
    handle = dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL);
    if (handle == nullptr) throw Error(ErrorKind::internal, dlerror());
    kernel = symbol<SimtKernel*>("ambidex_module_kernels")[0];
    dynamic_shared = symbol<void* (*)()>("ambidex_module_dynamic_shared");
    Dl_info info{};
    dladdr(reinterpret_cast<void*>(kernel), &info);
    begin = reinterpret_cast<uintptr_t>(info.dli_fbase);
  }
  template <class T>
  T symbol(const char* name) {
    return reinterpret_cast<T>(dlsym(handle, name));
  }
  void add_to(SimtMemory& memory) {
    void** variables = symbol<void**>("ambidex_module_variables");
    for (size_t i = 0; i < text["variables"].size(); ++i) {
      const auto& row = text["variables"][i];
      memory.add(variables[i], row["bytes"], {row["name"], 4, true, !row["constant"]});
    }
    void* (**addresses)() = symbol<void* (**)()>("ambidex_module_shared");
    for (size_t i = 0; i < text["shared"].size(); ++i) {
      const auto& row = text["shared"][i];
      memory.add_shared({row["name"], row["bytes"], row["element_bytes"], 64, addresses[i]});
    }
  }
  std::string line_of(uint64_t program_counter) {
    const std::vector<uint64_t> addresses{program_counter - begin};
    const auto place = symbolize(path, addresses)[0];
    if (!place) return "nowhere";
    std::ifstream stream(place->file);
    std::string line;
    for (int i = 0; i < place->line; ++i) std::getline(stream, line);
    return line;
  }

  ScratchFolder scratch;
  std::string source = scratch.path("kernel.cu"), path = scratch.path("kernel.so");
  nlohmann::json text;
  void* handle = nullptr;
  SimtKernel kernel = nullptr;
  void* (*dynamic_shared)() = nullptr;
  uintptr_t begin = 0;
};

class SimtChecksModules : public testing::Test {
 protected:
  static Module& module() {
    static Module once;
    return once;
  }
  // `out` is set to what the kernel left in out[0].
  SimtReport run(int mistake, uint64_t seed) {
    SimtMemory memory;
    module().add_to(memory);
    auto* in = static_cast<float*>(memory.allocate(512, {"in", 4, true, true}));
    auto* results = static_cast<float*>(memory.allocate(512, {"out", 4, false, true}));
    std::iota(in, in + 128, 1.0F);
    int n = 128;
    void* arguments[] = {&in, &results, &n, &mistake};
    const SimtLaunch launch{.block = {128, 1, 1},
                            .dynamic_shared_bytes = 256,
                            .dynamic_shared = module().dynamic_shared};
    const SimtOptions options{.seed = seed, .memory = &memory};
    SimtReport report = simt_run(launch, options, module().kernel, arguments);
    out = results[0];
    return report;
  }
  void expect(int mistake, SimtProblemKind kind, const std::string& mark,
              const std::string& message) {
    for (const uint64_t seed : {0, 1, 2}) {
      const SimtReport report = run(mistake, seed);
      ASSERT_FALSE(report.problems.empty()) << mark;
      const SimtProblem& problem = report.problems[0];
      EXPECT_EQ(name_of(problem.kind), name_of(kind));
      EXPECT_THAT(problem.message, HasSubstr(message));
      EXPECT_THAT(module().line_of(problem.program_counter), HasSubstr("MARK " + mark));
    }
  }
  float out = 0.0F;
};

TEST_F(SimtChecksModules, the_right_kernel_is_clean_in_any_order) {
  for (uint64_t seed = 0; seed < 8; ++seed) {
    for (const SimtProblem& problem : run(0, seed).problems) ADD_FAILURE() << problem.message;
    EXPECT_EQ(out, 128 * 129 / 2 + 1);
  }
}

TEST_F(SimtChecksModules, a_barrier_too_few_in_a_tree) {
  expect(1, SimtProblemKind::shared_race, "tree", "4 bytes at tile[");
}

TEST_F(SimtChecksModules, an_atomic_minimum_races_with_a_plain_read) {
  const SimtReport report = run(2, 0);
  ASSERT_FALSE(report.problems.empty());  // its load and its exchange, which are one line
  const SimtProblem& race = report.problems[0];
  EXPECT_EQ(race.kind, SimtProblemKind::shared_race);
  EXPECT_THAT(race.message, HasSubstr("at lowest, which"));
  const std::string lines =
      module().line_of(race.program_counter) + module().line_of(race.other_program_counter);
  EXPECT_THAT(lines, HasSubstr("MARK result"));
  EXPECT_THAT(lines, HasSubstr("MARK minimum"));
}

TEST_F(SimtChecksModules, a_loop_in_a_function_that_goes_one_too_far) {
  expect(3, SimtProblemKind::out_of_bounds, "outside",
         "reads 4 bytes at in[128], 4 bytes past the end of in (128 elements of 4 bytes)");
}

TEST_F(SimtChecksModules, a_shared_variable_that_nobody_has_written) {
  expect(4, SimtProblemKind::uninitialised_read, "unfilled",
         "reads 4 bytes at unfilled[3], which nobody has written");
}

TEST_F(SimtChecksModules, dynamic_shared_memory_of_the_launch_is_too_small) {
  expect(5, SimtProblemKind::out_of_bounds, "extra",
         "4 bytes past the end of dynamic shared memory (256 bytes)");
}

TEST_F(SimtChecksModules, a_write_to_constant_memory) {
  expect(6, SimtProblemKind::out_of_bounds, "table",
         "writes 4 bytes at table[1], which is constant");
}

}  // namespace
}  // namespace ambidex
