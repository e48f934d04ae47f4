// SPDX-License-Identifier: Apache-2.0
// `__managed__` variables: one memory for host and kernels, in CUDA's form and in HIP's, which
// reaches it through a pointer.
#include <cstring>

#include "port/process.h"
#include "runner_support.h"

namespace ambidex {
namespace {

TEST(RunnerManaged, managed_variables_are_one_for_host_and_device) {
  TestProgram program(R"(
#include <cstdio>
__managed__ int counter = 5;
static __managed__ float values[3] = {1, 2, 3};
__global__ void bump() { counter += 37; values[2] *= 2; }
int main() {
  if (counter != 5) return 1;
  counter = 10;
  bump<<<1, 1>>>();
  cudaDeviceSynchronize();
  if (counter != 47 || values[2] != 6) return 2;
  printf("right\n");
}
)");
  expect_right(program);
}

// X is the runtime's prefix.
constexpr const char* kManagedProgram = R"(
#include <RUNTIME>
#include <cstdio>
struct Box { int hits; float sum; };
__device__ __managed__ Box box = {2, 0.5f};
static __managed__ float table[4] = {1, 2, 3, 4};
namespace deep { __managed__ int limit; }
extern __managed__ int elsewhere;
__constant__ float weights[4];
__global__ void count(const int* x) {
  if (x[threadIdx.x] > deep::limit) atomicAdd(&box.hits, 1);
  if (threadIdx.x == 0) box.sum = weights[0] + table[3] + elsewhere;
}
int main() {
  if (box.hits != 2 || box.sum != 0.5f || table[1] != 2 || deep::limit != 0) return 1;
  int host[64], want = 2, *x;
  for (int i = 0; i < 64; ++i) want += (host[i] = i % 7) > 3;
  XMalloc((void**)&x, sizeof host);
  XMemcpy(x, host, sizeof host, XMemcpyHostToDevice);
  deep::limit = 3;
  table[3] = 8;
  elsewhere = 100;
  if (XMemcpyToSymbol(weights, table, sizeof table) != XSuccess) return 2;
  if (XMemcpy(table, host, 4, XMemcpyHostToDevice) != XSuccess) return 3;
  if (XMemcpy(host, table, 4, XMemcpyDeviceToHost) != XSuccess) return 3;
  int back = 0;
  if (XMemcpyFromSymbol(&back, deep::limit, sizeof back) != XSuccess || back != 3) return 4;
  void* address = nullptr;
  if (XGetSymbolAddress(&address, box) != XSuccess || address != &box) return 5;
  ATTRIBUTES about;
  if (XPointerGetAttributes(&about, &box) != XSuccess || about.type != XMemoryTypeManaged) return 6;
  count<<<1, 64>>>(x);
  XDeviceSynchronize();
  if (box.hits != want || box.sum != 109) return 7;
  printf("right\n");
}
)";

TestProgram managed_program(const std::string& dialect) {
  std::string text = kManagedProgram;
  const auto put = [&text](const std::string& mark, const std::string& word) {
    for (size_t at = 0; (at = text.find(mark, at)) != std::string::npos; at += word.size()) {
      text.replace(at, mark.size(), word);
    }
  };
  const bool hip = dialect == "hip";
  put("RUNTIME", hip ? "hip/hip_runtime.h" : "cuda_runtime.h");
  put("ATTRIBUTES", hip ? "hipPointerAttribute_t" : "cudaPointerAttributes");
  put("X", dialect);
  const std::string other = hip ? "#include <hip/hip_runtime.h>\n" : "";
  const std::string ending = hip ? ".hip" : ".cu";
  return TestProgram({{"program" + ending, text},
                      {"other" + ending, other + "__device__ __managed__ int elsewhere = 1;\n"}},
                     dialect);
}

TEST(RunnerManaged, managed_variables_are_memory_of_both_sides_in_every_call) {
  TestProgram cuda = managed_program("cuda");
  expect_right(cuda);
  TestProgram hip = managed_program("hip");
  for (const int width : {32, 64}) expect_right(hip, {{"wave_width", width}});
  hip.asked.checked = false;
  hip.forget();
  expect_right(hip, {{"wave_width", 64}});
}

TEST(RunnerManaged, a_program_with_them_is_ported) {
  const TestProgram program = managed_program("cuda");
  const ScratchFolder scratch;
  const ProcessResult result = run_process(
      {AMBIDEX_BINARY_DIR "/ambidex", "port", "run", program.path(""), "-o", scratch.path("port")},
      "", 60);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, testing::StartsWith("PASS-UNMEASURED  count")) << result.out;
}

// As a replay of a recorded launch does it: what is given outlives the program's constructors.
TEST(RunnerManaged, a_launch_may_give_a_managed_variable_its_value) {
  for (const std::string dialect : {"cuda", "hip"}) {
    TestProgram program("#include <" +
                            std::string(dialect == "hip" ? "hip/hip_runtime.h" : "cuda_runtime.h") +
                            ">\n__device__ __managed__ int counter = 7;\n"
                            "__global__ void bump() { counter += 1; }\n",
                        dialect);
    const int given = 40;
    const std::string file = program.path("counter.bin");
    write_file(file, {reinterpret_cast<const char*>(&given), sizeof given});
    const auto answer = program.run({{"mode", "launch"},
                                     {"launch",
                                      {{"kernel", "bump"},
                                       {"grid", {1, 1, 1}},
                                       {"block", {1, 1, 1}},
                                       {"buffers",
                                        {{{"name", "counter"},
                                          {"variable", "counter"},
                                          {"bytes", sizeof given},
                                          {"file", file}}}}}}});
    ASSERT_EQ(answer["status"], "ended") << answer.dump(1);
    int got = 0;
    const std::string bytes = read_file(answer["buffers"][0]["contents"], sizeof got);
    ASSERT_EQ(bytes.size(), sizeof got);
    std::memcpy(&got, bytes.data(), sizeof got);
    EXPECT_EQ(got, given + 1) << dialect;
  }
}

}  // namespace
}  // namespace ambidex
