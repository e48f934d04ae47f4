// SPDX-License-Identifier: Apache-2.0
// Attacks that words show (docs/port-repair.md), and honest patches that they must not hit.
#include "port/repair_cheats.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ambidex::repair {
namespace {

using testing::HasSubstr;

const std::string kHead = "__global__ void k(float* out, const float* in, int n) {";
const std::string kBody = R"(
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0.0f;
  for (int j = 0; j < n; ++j) sum += in[j];
  if (i < n) out[i] = sum;
)";

std::string fault_of(const std::string& body) {
  return cheat_in({.original = kHead + kBody + "}",
                   .before = kHead + kBody + "}",
                   .after = kHead + body + "}",
                   .sizes = {"n"}});
}

// The body with a line more.
std::string fault_with(const std::string& line) { return fault_of(kBody + line + "\n"); }

TEST(RepairCheats, honest_patches_pass) {
  EXPECT_EQ(fault_of(kBody), "");
  for (const char* line :
       {"__syncthreads();",
        "const unsigned mask = (unsigned)(__ballot(i < n) >> (__lane_id() & 32));",
        "__shared__ float tile[64]; tile[threadIdx.x] = sum;",
        "for (int s = 16; s > 0; s >>= 1) sum += __shfl_down(sum, s, 32);",
        "bool done = false; while (!done) { if (atomicCAS((int*)out, 0, 1) == 0) done = true; }",
        "auto add = [&](float x) { sum += x; }; add(in[0]);", "if (n == 0) return;",
        "if (i % 32 == 31) out[i] = 0.0f;", "__threadfence();",
        "unsigned long long all = ambidex_port::ballot_sync(0xffffffff, i < 64);",
        "struct Pair { int a; int b; }; Pair pair{i, n}; out[pair.a] = sum;",
        "const int lanes = min(64, n); (void)lanes;",
        "float4 v = make_float4(0, 0, 0, 0); sum += v.x;"}) {
    EXPECT_EQ(fault_with(line), "") << line;
  }
}

std::string native_fault(const std::string& head, const std::string& line, bool reads_wide) {
  const std::string before = head + kBody + "}";
  return cheat_in({.original = before,
                   .before = before,
                   .after = head + kBody + line + "\n}",
                   .sizes = {"n"},
                   .native = true,
                   .reads_wide = reads_wide});
}
const std::string kHalfHead =
    "__global__ void k(float* out, const float* in, const half* h, int n) {";

TEST(RepairCheats, what_native_bodies_need_is_for_them_alone) {
  for (const char* line :
       {"using F4 = float __attribute__((ext_vector_type(4))); F4 acc = {0.0f, 0.0f, 0.0f, 0.0f};"
        "acc = __builtin_amdgcn_mfma_f32_16x16x4f32(sum, sum, acc, 0, 0, 0);",
        "\n#pragma unroll 4\nfor (int j = 0; j < 4; ++j) sum += in[j];",
        "\n#pragma unroll\nfor (int j = 0; j < 4; ++j) sum += in[j];",
        "__shared__ float tile[256]; if (threadIdx.x < 128) tile[threadIdx.x] = sum;",
        "typedef float F4 __attribute__((ext_vector_type(4))); F4 v = {sum, sum, sum, sum};",
        "__builtin_amdgcn_global_load_lds((__attribute__((address_space(1))) void*)in, "
        "(__attribute__((address_space(3))) void*)out, 4, 0, 0);",
        "sum += __shfl_xor_sync(~0ull, sum, 32);", "__builtin_nontemporal_store(sum, out + i);"}) {
    EXPECT_EQ(native_fault(kHead, line, true), "") << line;
    EXPECT_NE(fault_with(line), "") << line;
  }
}

TEST(RepairCheats, native_bodies_have_no_other_liberties) {
  for (const char* line :
       {"\n#pragma clang optimize off\n", "\n#pragma unroll 4 x\n", "\n#define n 4\n",
        "__attribute__((constructor)) int z = 0;",
        "__attribute__((ext_vector_type(4))) static float z;", "static __device__ float cache[4];",
        "asm volatile(\"\");", "if (n == 256) return;", "if (n > 256) return;",
        "if (gridDim.x == 128) return;", "out[i] = __expf(sum);", "half z = sum; out[i] = z;"}) {
    EXPECT_NE(native_fault(kHead, line, true), "") << line;
  }
  EXPECT_THAT(native_fault(kHead, "sum = __builtin_amdgcn_update_dpp(0, sum, 1, 2, 3, 0);", true),
              HasSubstr("the executor, by which bodies are verified, does not have it"));
}

TEST(RepairCheats, native_bodies_multiply_operands_as_wide_as_the_inputs_and_sum_in_float) {
  const std::string types =
      "using H4 = _Float16 __attribute__((ext_vector_type(4))); "
      "const H4 v = *reinterpret_cast<const H4*>(h); ";
  const std::string product = types +
                              "using F4 = float __attribute__((ext_vector_type(4))); F4 acc = "
                              "{0.0f, 0.0f, 0.0f, 0.0f}; acc = "
                              "__builtin_amdgcn_mfma_f32_16x16x16f16(v, v, acc, 0, 0, 0);";
  EXPECT_EQ(native_fault(kHalfHead, product, false), "");
  EXPECT_THAT(native_fault(kHalfHead, product, true), HasSubstr("as wide as the inputs"));
  EXPECT_EQ(native_fault(kHalfHead, types + "sum += static_cast<float>(v[0]) * in[0];", false), "");
  for (const char* line : {"H4 two = v + v;", "H4 sums = v; sums += v;", "out[i] = v[0] * v[1];",
                           "out[i] = h[0] * in[0];", "half z = h[0]; z += h[1];"}) {
    EXPECT_THAT(native_fault(kHalfHead, types + line, false), HasSubstr("has 16 bits")) << line;
  }
}

TEST(RepairCheats, state_that_outlives_a_launch_is_refused) {
  for (const char* line : {"static int calls = 0; ++calls;", "static __device__ float cache[64];",
                           "__device__ int x;", "__constant__ int x;", "__managed__ int x;",
                           "thread_local int x;", "extern int x;", "extern __device__ int x;"}) {
    EXPECT_THAT(fault_with(line), HasSubstr("may")) << line;
  }
  EXPECT_EQ(fault_with("extern __shared__ float dynamic[];"), "");
}

TEST(RepairCheats, calls_beyond_the_original_are_refused) {
  for (const char* line :
       {"int f = open(\"/proc/self/mem\", 0);", "system(\"id\");", "printf(\"%f\", sum);",
        "int open(const char*, int); open(nullptr, 0);", "hipMemcpy(out, in, 4, hipMemcpyDefault);",
        "rocblas_sgemm();", "k<<<1, 64>>>(out, in, n);", "malloc(1 << 30);", "::getenv(nullptr);",
        "out[i] = __expf(sum);", "float* heap = new float[n];", "syscall(0);", "abort();"}) {
    EXPECT_NE(fault_with(line), "") << line;
  }
  EXPECT_THAT(fault_with("int f = socket(2, 1, 0);"),
              HasSubstr("\"socket\" is called, which the original does not call"));
  EXPECT_THAT(fault_with("auto f = &dlopen; (void)f;"), HasSubstr("neither in the source"));
  EXPECT_THAT(fault_with("((void(*)())4096)();"), HasSubstr("pointers to functions"));
}

TEST(RepairCheats, other_languages_and_other_files_are_refused) {
  for (const char* line :
       {"asm volatile(\"syscall\");", "__asm__(\"nop\");", "\n#include \"/etc/passwd\"\n",
        "\n#define n 4\n", "\n#pragma clang optimize off\n", "\n%:define n 4\n",
        "_Pragma(\"unroll\")", "[[gnu::constructor]] int z = 0;",
        "__attribute__((constructor)) int z = 0;", "const char* p = __FILE__;", "// \\\n x",
        "const char* s = R\"(text)\";", "int \\u0061b = 0;", "template <int M> struct S;",
        "typedef int open;", "int d\xc3\xa9j\xc3\xa0 = 0; d\xc3\xa9j\xc3\xa0(1);"}) {
    EXPECT_NE(fault_with(line), "") << line;
  }
}

TEST(RepairCheats, preprocessor_lines_stay_as_they_are) {
  const std::string with = "\n#if N\n  int i = 0;\n#else\n  int i = 1;\n#endif\n";
  const auto fault = [&](const std::string& after) {
    return cheat_in({.original = kHead + with + "}",
                     .before = kHead + with + "}",
                     .after = kHead + after + "}",
                     .sizes = {"n"}});
  };
  EXPECT_EQ(fault("\n#if N\n  int i = 2;\n#else\n  int i = 1;\n#endif\n"), "");
  EXPECT_THAT(fault("\n#if M\n  int i = 0;\n#else\n  int i = 1;\n#endif\n"),
              HasSubstr("preprocessor lines"));
  EXPECT_THAT(fault("\n  int i = 0;\n"), HasSubstr("preprocessor lines"));
}

TEST(RepairCheats, branches_on_sizes_at_hand_are_refused) {
  for (const char* line :
       {"if (n == 1000) { out[i] = 1; return; }", "if (1000 == n) return;", "if (n > 999) return;",
        "switch (n) { case 1000: return; }", "if (n - 1000 == 0) return;",
        "if ((n ^ 1000) == 0) return;", "if (gridDim.x == 8) return;",
        "if (blockDim.x == 128) return;", "if (n == 64) return;", "if (n != 32) sum = 0;",
        "if (in[0] == 0.731f) return;", "if (n % 1000 == 0) return;",
        "const int m = n; if (m == 0x3e8) return;", "if (sum > 12.5f) return;"}) {
    EXPECT_NE(fault_with(line), "") << line;
  }
}

TEST(RepairCheats, a_comparison_of_the_original_may_stay_or_move) {
  const std::string body = "\n  if (n == 1000) out[0] = 1;\n";
  const std::string after =
      "\n  __syncthreads();\n  if (n == 1000u) out[0] = 1;\n  if (n == 1000) out[0] = 1;\n";
  const Subject subject{.original = kHead + body + "}",
                        .before = kHead + body + "}",
                        .after = kHead + "\n  __syncthreads();" + body + "}",
                        .sizes = {"n"}};
  EXPECT_EQ(cheat_in(subject), "");
}

TEST(RepairCheats, pointers_as_numbers_are_refused) {
  for (const char* line : {"if ((uintptr_t)out == 0x7f0000001000) return;",
                           "if ((unsigned long long)out == 0x7f0000001000) return;"}) {
    EXPECT_NE(fault_with(line), "") << line;
  }
}

std::string narrowing(const std::string& before, const std::string& after) {
  return less_in({.original = before, .before = before, .after = after, .sizes = {}});
}

TEST(RepairCensus, narrower_accumulators_are_refused) {
  EXPECT_THAT(narrowing("float sum = 0;", "half sum = 0;"), HasSubstr("half or narrower"));
  EXPECT_THAT(narrowing("float sum = 0;", "__hip_bfloat16 sum = 0;"),
              HasSubstr("half or narrower"));
  EXPECT_THAT(narrowing("float sum = 0;", "__hip_fp8_e4m3 sum;"), HasSubstr("8-bit"));
  EXPECT_THAT(narrowing("half x; float sum = x;", "half x; half sum = x;"), HasSubstr("2 times"));
  EXPECT_THAT(narrowing("half a, b; float sum;", "half a, b; float sum; __hadd(a, b);"),
              HasSubstr("half or narrower"));
  EXPECT_THAT(narrowing("double sum = 0;", "float sum = 0;"), HasSubstr("float or narrower"));
  EXPECT_THAT(narrowing("double sum = 0;", "auto sum = 0.0f;"), HasSubstr("literals"));
  EXPECT_THAT(narrowing("int count;", "short count;"), HasSubstr("8 or 16 bits"));
  EXPECT_THAT(narrowing("long long count;", "int count;"), HasSubstr("64 bits"));
}

TEST(RepairCensus, atomics_and_fences_stay) {
  EXPECT_THAT(narrowing("atomicAdd(p, 1); x = 1;", "*p = *p + 1; x = 1;"), HasSubstr("a race"));
  EXPECT_THAT(narrowing("__threadfence(); x = 1;", "x = 1;"), HasSubstr("a race"));
  EXPECT_EQ(narrowing("atomicAdd(p, 1);", "if (x) { atomicAdd(p, 1); } else { atomicAdd(p, 1); }"),
            "");
}

TEST(RepairCensus, wider_or_equal_types_are_not) {
  EXPECT_EQ(narrowing("half x; float sum = x;", "float sum = 0; half x;"), "");
  EXPECT_EQ(narrowing("float sum = 0;", "double sum = 0; float y;"), "");
  EXPECT_EQ(narrowing("half sum = 0;", "float sum = 0; half x;"), "");
  EXPECT_EQ(narrowing("unsigned mask;", "unsigned long long mask;"), "");
}

}  // namespace
}  // namespace ambidex::repair
