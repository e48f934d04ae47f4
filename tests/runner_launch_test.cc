// SPDX-License-Identifier: Apache-2.0
// One kernel on buffers of the caller's; launches that a device refuses; modules that do not build.
#include <cstring>
#include <map>

#include "runner_support.h"

namespace ambidex {
namespace {

using testing::HasSubstr;

const char* const kScale = R"(
template <class T>
__global__ void scale(T* out, const T* in, T factor, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && i != 5) out[i] = in[i] * factor;
}
template __global__ void scale<float>(float*, const float*, float, int);
template __global__ void scale<double>(double*, const double*, double, int);
)";

nlohmann::json scale_request(TestProgram& program, int poison) {
  std::vector<float> values(20);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  const std::string input = program.path("in.bin");
  write_file(input, std::string_view(reinterpret_cast<char*>(values.data()), 80));
  return {{"mode", "launch"},
          {"launch",
           {{"kernel", "scale<float>"},
            {"grid", {2, 1, 1}},
            {"block", {16, 1, 1}},
            {"buffers",
             {{{"name", "out"}, {"bytes", 96}, {"poison", poison}, {"element_bytes", 4}},
              {{"name", "in"}, {"bytes", 80}, {"file", input}, {"element_bytes", 4}}}},
            {"arguments",
             {{{"buffer", 0}, {"offset", 8}}, {{"buffer", 1}}, {{"f32", 3}}, {{"i32", 20}}}}}}};
}

TEST(RunnerLaunch, a_kernel_runs_on_given_buffers_and_its_writes_are_known) {
  TestProgram program(kScale);
  nlohmann::json request = scale_request(program, 0x7f);
  request["launch"]["kernel"] = "void scale<float>(float*, float const*, float, int)";
  const nlohmann::json answer = program.run(request);
  ASSERT_EQ(answer["status"], "ended") << answer.dump(1);
  EXPECT_EQ(answer["problems"].size(), 0) << problems_of(answer);
  const nlohmann::json& out = answer["buffers"][0];
  const std::string bytes = text_of_file(out["contents"]);
  ASSERT_EQ(bytes.size(), 96);
  float untouched = 0;
  std::memset(&untouched, 0x7f, 4);
  for (int i = 0; i < 20; ++i) {
    float value = 0;
    std::memcpy(&value, bytes.data() + 8 + 4 * i, 4);
    EXPECT_EQ(value, i == 5 ? untouched : 3.0f * static_cast<float>(i)) << i;
  }
  EXPECT_EQ(bytes.substr(28, 4), std::string(4, '\x7f'));  // element 5
  EXPECT_EQ(out["written"], nlohmann::json({{8, 28}, {32, 88}}));
}

TEST(RunnerLaunch, the_last_write_of_watched_bytes_has_thread_and_line) {
  TestProgram program(kScale);
  nlohmann::json request = scale_request(program, 0);
  request["launch"]["kernel"] = "void scale<float>(float*, float const*, float, int)";
  request["launch"]["watch"] = {{"buffer", 0}, {"offset", 8 + 4 * 18}, {"bytes", 4}};
  nlohmann::json answer = program.run(request);
  ASSERT_EQ(answer["last_write"].size(), 1) << answer.dump(1);
  EXPECT_EQ(answer["last_write"][0]["block"], nlohmann::json({1, 0, 0}));
  EXPECT_EQ(answer["last_write"][0]["thread"], nlohmann::json({2, 0, 0}));
  EXPECT_EQ(answer["last_write"][0]["line"], line_of(kScale, "out[i] = "));
  request["launch"]["watch"]["offset"] = 8 + 4 * 5;  // the element that is left out
  answer = program.run(request);
  EXPECT_EQ(answer["last_write"], nlohmann::json::array());
  request["launch"]["watch"]["offset"] = 93;
  EXPECT_THAT(error_text(ErrorKind::bad_input, [&] { program.run(request); }), HasSubstr("bytes"));
}

// A third is not a float; to an integer all directions round the same way.
TEST(RunnerLaunch, floats_are_rounded_as_asked_and_integers_to_the_nearest) {
  TestProgram program(R"(
__global__ void thirds(float* out, int* whole, float one) {
  out[threadIdx.x] = one / 3.0f;
  whole[threadIdx.x] = __float2int_rn(one * 2.5f) + (int)rintf(one * 3.5f);
})");
  const auto run = [&](const char* rounding) {
    const nlohmann::json answer =
        program.run({{"mode", "launch"},
                     {"rounding", rounding},
                     {"seed", 1},
                     {"launch",
                      {{"kernel", "thirds"},
                       {"block", {64, 1, 1}},
                       {"buffers", {{{"bytes", 256}}, {{"bytes", 256}}}},
                       {"arguments", {{{"buffer", 0}}, {{"buffer", 1}}, {{"f32", 1}}}}}}});
    EXPECT_EQ(answer["status"], "ended") << answer.dump(1);
    const std::string whole = text_of_file(answer["buffers"][1]["contents"]);
    for (size_t i = 0; i < 64; ++i) {
      int value = 0;
      std::memcpy(&value, whole.data() + 4 * i, 4);
      EXPECT_EQ(value, 6) << rounding;
    }
    std::map<float, int> counts;
    const std::string out = text_of_file(answer["buffers"][0]["contents"]);
    for (size_t i = 0; i < 64; ++i) {
      float value = 0;
      std::memcpy(&value, out.data() + 4 * i, 4);
      ++counts[value];
    }
    return counts;
  };
  const float above = 0x1.555556p-2f, below = 0x1.555554p-2f;
  EXPECT_EQ(run("nearest"), (std::map<float, int>{{above, 64}}));
  EXPECT_EQ(run("up"), (std::map<float, int>{{above, 64}}));
  EXPECT_EQ(run("down"), (std::map<float, int>{{below, 64}}));
  EXPECT_EQ(run("mixed").size(), 2u);
}

TEST(RunnerLaunch, a_name_that_fits_two_kernels_or_none_is_refused) {
  TestProgram program(kScale);
  nlohmann::json request = scale_request(program, 0);
  request["launch"]["kernel"] = "scale";
  EXPECT_THAT(error_text(ErrorKind::bad_input, [&] { program.run(request); }),
              HasSubstr("kernel \"scale\": 2 kernels have this name"));
  request["launch"]["kernel"] = "scalp";
  EXPECT_THAT(error_text(ErrorKind::not_found, [&] { program.run(request); }),
              HasSubstr("no kernel \"scalp\"; nearest: "));
}

TEST(RunnerLaunch, arguments_that_do_not_fit_are_refused) {
  TestProgram program(R"(__global__ void one(double x) {})");
  nlohmann::json request = {{"mode", "launch"}, {"launch", {{"kernel", "one"}}}};
  EXPECT_THAT(error_text(ErrorKind::bad_input, [&] { program.run(request); }),
              HasSubstr("one(double) takes 1 arguments, got 0"));
  request["launch"]["arguments"] = {{{"f32", 1}}};
  EXPECT_THAT(error_text(ErrorKind::bad_input, [&] { program.run(request); }),
              HasSubstr("argument 0 (x) of one(double) has 8 bytes, got 4"));
  request["launch"]["arguments"] = {{{"f64", 1}}};
  request["launch"]["block"] = {1025, 1, 1};
  EXPECT_THAT(error_text(ErrorKind::bad_input, [&] { program.run(request); }),
              HasSubstr("invalid configuration"));
}

// Codes are those of the runtimes' references.
TEST(RunnerLaunch, launches_that_an_nvidia_device_refuses) {
  TestProgram program(R"(
#include <cstdio>
__global__ void plain() {}
__global__ void __launch_bounds__(128) bounded() {}
__global__ void large() { extern __shared__ char area[]; area[threadIdx.x] = 0; }
int launched() { return cudaGetLastError(); }
int main() {
  plain<<<1, 1025>>>(); printf("%d ", launched());
  plain<<<0, 1>>>(); printf("%d ", launched());
  plain<<<dim3(1, 65536), 1>>>(); printf("%d ", launched());
  plain<<<1, dim3(1, 1, 65)>>>(); printf("%d ", launched());
  bounded<<<1, 129>>>(); printf("%d ", launched());
  large<<<1, 32, 49153>>>(); printf("%d ", launched());
  cudaFuncSetAttribute(large, cudaFuncAttributeMaxDynamicSharedMemorySize, 200000);
  large<<<1, 32, 200000>>>(); printf("%d ", launched());
  printf("%d ", cudaFuncSetAttribute(large, cudaFuncAttributeMaxDynamicSharedMemorySize, 232449));
  printf("%d ", cudaLaunchKernel((const void*)nullptr, dim3(1), dim3(1), nullptr, 0, 0));
  printf("%s", cudaGetErrorName(cudaErrorInvalidConfiguration));
}
)");
  const nlohmann::json answer = program.run();
  EXPECT_EQ(answer["stdout"], "9 9 9 9 701 1 0 1 98 cudaErrorInvalidConfiguration")
      << answer.dump(1);
}

TEST(RunnerLaunch, launches_that_an_amd_device_refuses) {
  TestProgram program(R"(
#include <hip/hip_runtime.h>
#include <cstdio>
__global__ void plain() {}
int launched() { return hipGetLastError(); }
int main() {
  plain<<<1, 1025>>>(); printf("%d ", launched());
  plain<<<(1u << 31) - 1, 4>>>(); printf("%d ", launched());
  plain<<<1, 32, 65537>>>(); printf("%d ", launched());
  plain<<<dim3(1, 65537), 1>>>(); printf("%d ", launched());
  plain<<<dim3(1, 65536), 1>>>(); printf("%d", launched());
}
)",
                      "hip");
  const nlohmann::json answer = program.run({{"wave_width", 64}});
  EXPECT_EQ(answer["stdout"], "9 9 9 9 0") << answer.dump(1);
}

TEST(RunnerModule, errors_of_the_source_come_with_their_lines) {
  TestProgram program("__global__ void k(int* p) {\n  *p = undeclared;\n}\n");
  const Module module = build_module(program.asked);
  EXPECT_FALSE(module.ok);
  ASSERT_FALSE(module.messages.empty());
  EXPECT_EQ(module.messages[0].severity, "error");
  EXPECT_EQ(module.messages[0].line, 2);
  EXPECT_EQ(module.messages[0].column, 8);
  EXPECT_THAT(module.messages[0].message, HasSubstr("undeclared"));
}

TEST(RunnerModule, a_device_function_without_definition_is_named) {
  TestProgram program(
      "__device__ int gone(int);\n"
      "__global__ void k(int* p) { *p = gone(1); }\n");
  EXPECT_THAT(error_text(ErrorKind::bad_input, [&] { program.module(); }),
              HasSubstr("device code uses gone(int), which no source of the program defines"));
}

TEST(RunnerModule, parameters_are_described) {
  TestProgram program(R"(
struct Inner { const double* values[2]; };
struct Outer { int n; Inner inner; };
__global__ void __launch_bounds__(64, 2) kernel(Outer outer, unsigned char flag) {
  __shared__ int words[10];
  words[threadIdx.x] = flag;
}
)");
  const Module& module = program.module();
  ASSERT_EQ(module.kernels.size(), 1);
  const ModuleKernel& kernel = module.kernels[0];
  EXPECT_EQ(kernel.name, "kernel(Outer, unsigned char)");
  EXPECT_EQ(kernel.line, 4);
  EXPECT_EQ(kernel.max_threads, 64);
  EXPECT_EQ(kernel.min_blocks, 2);
  EXPECT_EQ(kernel.shared_bytes, 40);
  EXPECT_FALSE(kernel.dynamic_shared);
  ASSERT_EQ(kernel.parameters.size(), 2);
  EXPECT_EQ(kernel.parameters[0].type.kind, "struct");
  EXPECT_EQ(kernel.parameters[0].type.num_bytes, 24);
  ASSERT_EQ(kernel.parameters[0].pointers.size(), 2);
  EXPECT_EQ(kernel.parameters[0].pointers[1].offset, 16);
  EXPECT_TRUE(kernel.parameters[0].pointers[1].is_const);
  EXPECT_EQ(kernel.parameters[0].pointers[1].element.name, "double");
  EXPECT_EQ(kernel.parameters[1].type.kind, "uint");
  EXPECT_EQ(kernel.parameters[1].type.num_bytes, 1);
}

TEST(RunnerModule, a_module_is_kept_until_a_file_that_it_includes_changes) {
  TestProgram program({{"value.h", "#define VALUE 1\n"},
                       {"main.cu", "#include \"value.h\"\nint main() { return VALUE; }\n"}});
  const std::string first = build_module(program.asked).path;
  EXPECT_EQ(build_module(program.asked).path, first);
  write_file(program.path("value.h"), "#define VALUE 2\n");
  const std::string second = build_module(program.asked).path;
  EXPECT_NE(second, first);
  EXPECT_EQ(run_module({{"module", second}}, 10)["exit_code"], 2);
  write_file(program.path("value.h"), "#define VALUE 1\n");
  EXPECT_EQ(build_module(program.asked).path, first);
}

TEST(RunnerModule, a_module_that_was_touched_is_built_again) {
  TestProgram program("int main() { return 3; }\n");
  const std::string path = build_module(program.asked).path;
  std::filesystem::resize_file(path, 1000);
  const std::string again = build_module(program.asked).path;
  EXPECT_EQ(run_module({{"module", again}}, 10)["exit_code"], 3);
}

TEST(RunnerModule, an_instruction_that_is_not_known_traps_where_it_is_reached) {
  const std::string source = R"(
__global__ void k(unsigned* p, bool reach) {
  unsigned x = 1;
  if (reach) asm volatile("{ made.up.u32 %0, %1; }" : "=r"(x) : "r"(2));  // HERE
  *p = x;
}
int main(int argc, char**) {
  unsigned* p;
  cudaMalloc(&p, 4);
  k<<<1, 1>>>(p, argc > 1);
}
)";
  TestProgram program(source);
  EXPECT_EQ(program.run()["problems"].size(), 0);
  const nlohmann::json answer = program.run({{"program", {{"arguments", {"x"}}}}});
  ASSERT_EQ(answer["problems"].size(), 1) << answer.dump(1);
  EXPECT_EQ(answer["problems"][0]["kind"], "trap");
  EXPECT_THAT(answer["problems"][0]["message"].get<std::string>(),
              HasSubstr("{ made.up.u32 %0, %1; }"));
  EXPECT_EQ(answer["problems"][0]["line"], line_of(source, "// HERE"));
}

}  // namespace
}  // namespace ambidex
