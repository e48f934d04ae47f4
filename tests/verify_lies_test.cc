// SPDX-License-Identifier: Apache-2.0
// Ports that would pass if only results were compared: whose GPU code is another than what the
// executor runs, whose outputs belong together and do not, whose faults lie where no case goes.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "ambidex/base.h"
#include "base/files.h"
#include "port/frontend.h"
#include "port/verify.h"
#include "verify_sources.h"

namespace ambidex {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

std::string with(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

// The same text for HIP.
std::string in_hip(const std::string& cuda) {
  std::string text = cuda;
  for (size_t at = 0; (at = text.find("cuda", at)) != std::string::npos;)
    text.replace(at, 4, "hip");
  return "#include <hip/hip_runtime.h>\n" + text;
}

// Why the port is not right; "" if it is.
std::string fault_of(const std::string& original, const std::string& port) {
  try {
    const VerifyReport report = verify_sources(original, port);
    if (report.right()) return "";
    for (const KernelReport& kernel : report.kernels) {
      if (!kernel.reason.empty()) return kernel.reason;
    }
    return report.program;
  } catch (const Error& error) {
    return error.what();
  }
}

constexpr const char* kScale = R"(
__global__ void scale(float* x, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= a;
}
int main() {
  const int n = 1000;
  float h[n], *x;
  for (int i = 0; i < n; i++) h[i] = i;
  cudaMalloc(&x, n * 4);
  cudaMemcpy(x, h, n * 4, cudaMemcpyHostToDevice);
  scale<<<(n + 255) / 256, 256>>>(x, 3.0f, n);
  return cudaDeviceSynchronize() != cudaSuccess;
}
)";
constexpr const char* kBody = "if (i < n) x[i] *= a;";

// The body, and another one where the preprocessor's condition holds.
std::string scale_unless(const std::string& condition, const std::string& other) {
  return with(in_hip(kScale), kBody,
              fmt::format("\n#if {}\n{}\n#else\n{}\n#endif\n", condition, other, kBody));
}

TEST(VerifyLies, what_is_verified_is_what_the_gpu_gets) {
  for (const char* condition :
       {"defined(__gfx942__)", "defined(__GFX9__)", "__has_builtin(__builtin_amdgcn_s_barrier)",
        "!__has_feature(thread_sanitizer)", "!defined(__SANITIZE_THREAD__)",
        "defined(__amdgcn_processor__)", "!defined(AMBIDEX_HIP_SIMT)", "__LDBL_MANT_DIG__ == 53",
        "__SIZEOF_LONG_DOUBLE__ < 16", "defined(FP_FAST_FMAF)", "defined(__gfx950__)",
        "defined(__gfx90a__) || defined(__gfx942__) || defined(__gfx950__)"}) {
    EXPECT_NE(fault_of(kScale, scale_unless(condition, "if (i < n) x[i] = 7;")), "") << condition;
  }
}

TEST(VerifyLies, another_program_for_the_gpu_is_refused_with_its_line) {
  const std::string fault =
      fault_of(kScale, scale_unless("__has_builtin(__builtin_amdgcn_s_barrier)", "x[0] = 7;"));
  EXPECT_THAT(fault, HasSubstr("a.hip:6:"));
  EXPECT_THAT(fault, HasSubstr("this condition is true on gfx942 and false in what the executor"));
  const std::string expanded = fault_of(
      kScale, with(in_hip(kScale), kBody, "if (i < n) x[i] *= __LDBL_MANT_DIG__ == 53 ? 7 : a;"));
  EXPECT_THAT(expanded, HasSubstr("a.hip:5:"));
  EXPECT_THAT(expanded, HasSubstr("leaves \"53\" on gfx942 and \"64\" in what the executor runs"));
}

TEST(VerifyLies, code_of_one_arch_is_verified_on_each) {
  const std::string wrong = scale_unless("defined(__gfx950__)", "if (i < n) x[i] = 7;");
  EXPECT_THAT(fault_of(kScale, wrong), HasSubstr("on gfx950: "));
  const VerifyReport report = verify_sources(
      kScale, scale_unless("defined(__gfx950__)", "if (i < n) { float y = x[i]; x[i] = a * y; }"));
  EXPECT_TRUE(report.right()) << report.kernels[0].reason;
  EXPECT_THAT(report.remarks, testing::Contains(HasSubstr("gfx950 gets other code than gfx942")));
}

TEST(VerifyLies, ordinary_conditions_are_no_fault) {
  const std::string host = R"(
#ifdef __amdgcn_processor__
static int twice(int x) { return 2 * x; }
static int calls = 0;
#else
static int twice(int x);
static int twice(int x) { return x + x; }
#endif
#if defined(_WIN32)
#include <windows.h>
#endif
int main() {
#if __has_builtin(__builtin_amdgcn_s_barrier)
  (void)twice(1);
#endif
)";
  EXPECT_EQ(fault_of(kScale, with(in_hip(kScale), "int main() {", host)), "");
  for (const char* condition :
       {"defined(__HIP_DEVICE_COMPILE__)", "defined(__HIP_PLATFORM_AMD__)", "defined(__gfx942__)",
        "defined(__SSE2__)", "defined(__HIPCC__)", "!defined(__CUDA_ARCH__)"}) {
    EXPECT_EQ(fault_of(kScale, scale_unless(condition, "if (i < n) x[i] = x[i] * a;")), "")
        << condition;
  }
}

TEST(VerifyLies, builtins_of_the_gpu_are_the_same_words_in_the_executor) {
  const std::string body =
      "\n#define HALF 2\n__builtin_amdgcn_sched_barrier(HALF - 2); "
      "__builtin_amdgcn_s_setprio(HALF);\n"
      "__builtin_amdgcn_fence(__ATOMIC_SEQ_CST, \"agent\"); "
      "if (i < n) x[i] *= a * __builtin_amdgcn_rcpf(HALF) * __builtin_amdgcn_rcpf(0.5f);";
  EXPECT_EQ(fault_of(kScale, with(in_hip(kScale), kBody, body)), "");
}

TEST(VerifyLies, a_source_cannot_hide_its_accesses_from_the_checkers) {
  const std::string port = with(with(in_hip(kScale), "__global__ void",
                                     "__global__ __attribute__((no_sanitize(\"thread\"))) void"),
                                kBody, "float y = x[i]; if (i < n) x[i] = y * a;");
  EXPECT_THAT(fault_of(kScale, port), HasSubstr("out_of_bounds"));
}

// Pairs are appended by a counter.
constexpr const char* kPairs = R"(
__global__ void compact(const int* in, int* keys, float* vals, int* count, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && (in[i] & 1)) {
    int p = atomicAdd(count, 1);
    keys[p] = i;
    vals[p] = in[i];
  }
}
int main() {
  const int n = 1000;
  int h[n], *in, *k, *c;
  float* v;
  for (int i = 0; i < n; i++) h[i] = (i * 2654435761u) >> 7;
  cudaMalloc(&in, n * 4); cudaMalloc(&k, n * 4); cudaMalloc(&v, n * 4); cudaMalloc(&c, 4);
  cudaMemcpy(in, h, n * 4, cudaMemcpyHostToDevice);
  cudaMemset(k, 0, n * 4); cudaMemset(v, 0, n * 4); cudaMemset(c, 0, 4);
  compact<<<(n + 255) / 256, 256>>>(in, k, v, c, n);
  return cudaDeviceSynchronize() != cudaSuccess;
}
)";

TEST(VerifyLies, the_order_of_a_list_is_no_rounding_of_its_values) {
  const std::string original =
      with(with(with(kPairs, "int* keys, float* vals,", "float* vals,"), "keys[p] = i;", ""),
           "n = 1000", "n = 128");
  const std::string list = with(with(original, "(in, k, v, c, n)", "(in, v, c, n)"),
                                "vals[p] = in[i];", "vals[p] = in[i] % 1000;");
  EXPECT_EQ(fault_of(list, in_hip(list)), "");
  EXPECT_THAT(
      fault_of(list, with(in_hip(list), "in[i] % 1000;", "in[i] % 1000 * 1.01f;")),
      HasSubstr("launch 0, width 64, seed 0: vals holds other elements than the original's"));
}

// The value of the lane that is as far from the last as this one is from the first.
constexpr const char* kOfAnother = R"(
    unsigned long long m = __ballot(1), t = m;
    int skip = __popcll(m >> __lane_id()) - 1;
    for (int j = 0; j < skip; j++) t &= t - 1;
    vals[p] = __shfl(in[i], __ffsll(t) - 1);)";

TEST(VerifyLies, what_is_written_together_stays_together) {
  EXPECT_EQ(fault_of(kPairs, in_hip(kPairs)), "");
  EXPECT_THAT(fault_of(kPairs, with(in_hip(kPairs), "vals[p] = in[i];", kOfAnother)),
              HasSubstr("keys and vals: the original leaves no such row in any order"));
}

TEST(VerifyLies, structures_that_come_in_any_order_stay_whole) {
  std::string original = with(kPairs, "int* keys, float* vals,", "Pair* pairs,");
  original = with(original, "__global__", "struct Pair { int key; float val; };\n__global__");
  original = with(original, "keys[p] = i;", "pairs[p].key = i;");
  original = with(original, "vals[p] = in[i];", "pairs[p].val = in[i];");
  original = with(original, "(in, k, v, c, n)", "(in, k, c, n)");
  original = with(original, "*in, *k, *c;\n  float* v;", "*in, *c;\n  Pair* k;");
  original =
      with(original, "cudaMalloc(&k, n * 4); cudaMalloc(&v, n * 4);", "cudaMalloc(&k, n * 8);");
  original = with(original, "cudaMemset(k, 0, n * 4); cudaMemset(v, 0, n * 4);",
                  "cudaMemset(k, 0, n * 8);");
  EXPECT_EQ(fault_of(original, in_hip(original)), "");
  EXPECT_NE(fault_of(original, with(in_hip(original), "pairs[p].val = in[i];",
                                    with(kOfAnother, "vals[p] =", "pairs[p].val ="))),
            "");
}

TEST(VerifyLies, lists_of_their_own_counters_are_compared_each_by_itself) {
  const std::string original =
      with(with(kPairs, "vals[p] = in[i];\n  }",
                "}\n  if (i < n && (in[i] & 2)) vals[atomicAdd(count + 1, 1)] = in[i];"),
           "keys[p] = i;\n    }", "keys[p] = i;\n  }");
  std::string two = with(original, "cudaMalloc(&c, 4)", "cudaMalloc(&c, 8)");
  two = with(two, "cudaMemset(c, 0, 4)", "cudaMemset(c, 0, 8)");
  const VerifyReport report = verify_sources(two, in_hip(two));
  EXPECT_TRUE(report.right()) << report.kernels[0].reason;
  EXPECT_THAT(report.remarks,
              testing::Contains(HasSubstr("compact: the original leaves keys and vals in an order "
                                          "that is nobody's")));
}

TEST(VerifyLies, a_branch_of_the_port_alone_that_no_case_enters_is_not_right) {
  EXPECT_EQ(fault_of(kScale, in_hip(kScale)), "");
  for (const char* body :
       {"if (i < n) x[i] *= (n > 1000000 ? 7.f : a);",
        "if (i < n) x[i] *= (blockIdx.x > 5000 ? 7.f : a);",
        "if (i < n) x[i] *= ((n % 4096) == 4095 ? 7.f : a);",
        "if (i < n) x[i] *= (clock64() < 0 ? 7.f : a);",
        "if (i < n) x[i] *= (((unsigned long long)x >> 44) != ((unsigned long long)&i >> 44) ? 7.f "
        ": a);",
        "if (i < n) x[i] = (x[i] == 1.25f ? 7.f : x[i] * a);",
        "if (i < n) x[i] *= (blockDim.x == 512 ? 7.f : a);",
        "if (n > 5000) __builtin_trap(); if (i < n) x[i] *= a;",
        "if (i < n) x[i] = x[i] * a + 4 * (n > 1000000);",
        "switch (n) { case 123456: x[0] = 7; } if (i < n) x[i] *= a;",
        "bool large = n > 1000000; if (i < n) x[i] *= large ? 7.f : a;"}) {
    EXPECT_THAT(fault_of(kScale, with(in_hip(kScale), kBody, body)),
                HasSubstr("in every case, and the original asks nothing like it"))
        << body;
  }
}

// Debug information names files from the folder that they share with the working folder.
TEST(VerifyLies, branches_are_found_in_their_sources_wherever_the_command_was_started) {
  const ScratchFolder scratch;
  const std::string source = scratch.path("a.cu");
  write_file(source, kScale);
  const fs::path started = fs::current_path();
  fs::current_path(scratch.path());
  const auto answer = ask_frontend("module", {{"files", {source}},
                                              {"dialect", "cuda"},
                                              {"checked", true},
                                              {"output", scratch.path("a.so")}});
  fs::current_path(started);
  ASSERT_FALSE(answer.at("decisions").empty());
  for (const auto& decision : answer.at("decisions")) EXPECT_EQ(decision.at("file"), source);
}

TEST(VerifyLies, modes_and_flags_that_were_not_launched_are_tried) {
  const std::string original = R"(
__global__ void blend(float* x, int mode, bool negate, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i] - 100;
  if (mode == 3) v = v > 0 ? v : 0;
  x[i] = negate ? -v : v;
}
int main() {
  const int n = 300;
  float h[n], *x;
  for (int i = 0; i < n; i++) h[i] = i;
  cudaMalloc(&x, n * 4);
  cudaMemcpy(x, h, n * 4, cudaMemcpyHostToDevice);
  blend<<<2, 256>>>(x, 0, false, n);
  return cudaDeviceSynchronize() != cudaSuccess;
}
)";
  EXPECT_EQ(fault_of(original, in_hip(original)), "");
  EXPECT_THAT(fault_of(original, with(in_hip(original), "if (mode == 3) v = v > 0 ? v : 0;", "")),
              HasSubstr("mode = 3"));
  EXPECT_THAT(fault_of(original, with(in_hip(original), "negate ? -v : v", "v")),
              HasSubstr("negate = 1"));
}

TEST(VerifyLies, numbers_that_were_not_launched_are_tried) {
  EXPECT_EQ(fault_of(kScale, in_hip(kScale)), "");
  // What the launch has, 3, hides that the port takes no account of it.
  EXPECT_THAT(fault_of(kScale, with(in_hip(kScale), kBody, "if (i < n) x[i] *= 3.0f;")),
              HasSubstr(", a = "));
  const std::string blend = with(kScale, kBody, "if (i < n) x[i] = a == 0 ? 1 : x[i] / a;");
  EXPECT_EQ(fault_of(blend, in_hip(blend)), "");
  EXPECT_THAT(
      fault_of(blend, with(in_hip(blend), "a == 0 ? 1 : x[i] / a", "a == 0 ? 2 : x[i] / a")),
      HasSubstr("a = 0"));
}

// What both leave has no sign of what they have added.
constexpr const char* kHuge = R"(
__global__ void scale(const float* in, float* x, int huge, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = in[i] * in[i] / (huge - huge) + i;
}
int main() {
  const int n = 1000;
  float h[n], *in, *x;
  for (int i = 0; i < n; i++) h[i] = i + 1;
  cudaMalloc(&in, n * 4);
  cudaMalloc(&x, n * 4);
  cudaMemcpy(in, h, n * 4, cudaMemcpyHostToDevice);
  scale<<<(n + 255) / 256, 256>>>(in, x, 3, n);
  return cudaDeviceSynchronize() != cudaSuccess;
}
)";

TEST(VerifyLies, infinities_alone_show_nothing_of_what_a_kernel_computes) {
  EXPECT_THAT(fault_of(kHuge, with(in_hip(kHuge), "+ i;", "- i;")),
              HasSubstr("every float that it leaves is NaN or infinite, in every case"));
}

TEST(VerifyLies, a_kernel_that_is_made_to_fill_with_infinities_is_right_with_a_remark) {
  const std::string fill =
      with(with(kScale, kBody, "if (i < n) x[i] = -__int_as_float(0x7f800000);"), "float a, ", "");
  const std::string launched = with(fill, "(x, 3.0f, n)", "(x, n)");
  const VerifyReport report = verify_sources(launched, in_hip(launched));
  EXPECT_TRUE(report.right());
  EXPECT_THAT(report.remarks,
              testing::Contains(HasSubstr("scale: every float that it leaves in x is NaN or "
                                          "infinite, in every case")));
}

TEST(VerifyLies, a_branch_that_the_original_has_too_is_no_fault_of_the_port) {
  const std::string original =
      with(kScale, kBody, "if (n > 1000000) a = 7;\n  " + std::string(kBody));
  EXPECT_EQ(fault_of(original, in_hip(original)), "");
  EXPECT_EQ(fault_of(original,
                     with(in_hip(original), "if (n > 1000000) a = 7;", "a = n > 1000000 ? 7 : a;")),
            "");
}

}  // namespace
}  // namespace ambidex
