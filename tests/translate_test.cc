// SPDX-License-Identifier: Apache-2.0
// CUDA sources to HIP: what each rule makes, what is refused, and what stays as it was.
#include "port/translate.h"

#include <gmock/gmock.h>

#include "ported.h"

namespace ambidex {
namespace {

using ::testing::HasSubstr;

TEST(Translate, a_shuffle_has_its_width_spelled) {
  EXPECT_EQ(line_of_kernel("v += __shfl_down_sync(0xffffffff, v, 1);"),
            "v += ambidex_port::shfl_down_sync(0xffffffff, v, 1, 32);");
  EXPECT_EQ(line_of_kernel("v = __shfl_sync(m, v, 0, 16);"),
            "v = ambidex_port::shfl_sync(m, v, 0, 16);");
  EXPECT_EQ(line_of_kernel("v = __shfl_xor_sync(m, f<int, 3>(v), g(1, 2));"),
            "v = ambidex_port::shfl_xor_sync(m, f<int, 3>(v), g(1, 2), 32);");
}

TEST(Translate, macro_bodies_and_branches_not_taken_are_translated_too) {
  const std::string text = port(
                               "#define SUM(v) __shfl_down_sync(~0u, v, \\\n  1)\n"
                               "#if 0\nint x = __ballot_sync(~0u, 1);\n#endif\n"
                               "template <class T> __device__ T f(T v) {\n"
                               "  return __shfl_sync(~0u, v, 0);\n}\n")
                               .text;
  EXPECT_THAT(text,
              HasSubstr("#define SUM(v) ambidex_port::shfl_down_sync(~0u, v, \\\n  1, 32)\n"));
  EXPECT_THAT(text, HasSubstr("int x = ambidex_port::ballot_sync(~0u, 1);"));
  EXPECT_THAT(text, HasSubstr("return ambidex_port::shfl_sync(~0u, v, 0, 32);"));
}

TEST(Translate, votes_are_those_of_the_logical_warp) {
  EXPECT_EQ(line_of_kernel("p[0] = __popc(__ballot_sync(~0u, v > 0)) + __any_sync(~0u, 1);"),
            "p[0] = __popc(ambidex_port::ballot_sync(~0u, v > 0)) + "
            "ambidex_port::any_sync(~0u, 1);");
  EXPECT_EQ(line_of_kernel("unsigned m = __match_any_sync(__activemask(), p[0]);"),
            "unsigned m = ambidex_port::match_any_sync(ambidex_port::activemask(), p[0]);");
  EXPECT_EQ(line_of_kernel("__syncwarp(); v += warpSize;"),
            "ambidex_port::syncwarp(); v += ambidex_port::warp_size;");
}

TEST(Translate, comments_strings_and_members_are_left_alone) {
  const std::string text =
      "// cudaMalloc\nconst char* s = \"cudaMalloc\"; /* __shfl_sync(a, b, c) */\n"
      "struct S { int clock; } s1; int t = s1.clock; R\"(cudaFree)\";\n";
  EXPECT_EQ(port(text, "a.h").text, text);
}

TEST(Translate, the_host_keeps_its_own_clock) {
  const std::string text = port(
                               "#include <ctime>\nlong t() { return clock(); }\n"
                               "__device__ long u() { return clock() + clock64(); }\n")
                               .text;
  EXPECT_THAT(text, HasSubstr("long t() { return clock(); }"));
  EXPECT_THAT(text, HasSubstr("return ambidex_port::clock() + ambidex_port::clock64();"));
}

TEST(Translate, the_include_of_nvcc_becomes_one_that_is_written) {
  EXPECT_EQ(port("// what\n#pragma once\n#include <cstdio>\n__global__ void k() {}\n").text,
            "// what\n#pragma once\n#include <hip/hip_runtime.h>\n#include <cstdio>\n"
            "__global__ void k() {}\n");
  EXPECT_EQ(port("#include <cuda_runtime.h>\r\nint n = warpSize;\r\n").text,
            "#include <hip/hip_runtime.h>\r\n#include \"ambidex_port.h\"\r\n"
            "int n = ambidex_port::warp_size;\r\n");
  EXPECT_EQ(port("int main() {}\n", "a.cpp").text, "int main() {}\n");
}

TEST(Translate, launch_bounds_count_waves_per_unit) {
  EXPECT_THAT(port("__global__ void __launch_bounds__(512, 2) k() {}\n").text,
              HasSubstr("__launch_bounds__(512, 4)"));
  EXPECT_THAT(port("__global__ void __launch_bounds__(128, 3) k() {}\n").text,
              HasSubstr("__launch_bounds__(128, 2)"));
  EXPECT_THAT(port("__global__ void __launch_bounds__(T, B) k() {}\n").text,
              HasSubstr("__launch_bounds__(T, ((B) * (T) + 255) / 256)"));
  EXPECT_THAT(port("__global__ void __launch_bounds__(256) k() {}\n").text,
              HasSubstr("__launch_bounds__(256)"));
  EXPECT_EQ(refused_hazards("__global__ void __launch_bounds__(256, 1, 2) k() {}\n"), "R04 ");
}

TEST(Translate, conditions_on_the_architecture_ask_the_port) {
  const std::string text = port(
                               "#if __CUDA_ARCH__ >= 800\nint a;\n#else\nint b;\n#endif\n"
                               "#ifdef __CUDA_ARCH__\nint c;\n#endif\n"
                               "#if defined(__CUDACC__) && CUDA_VERSION >= 11000\nint d;\n#endif\n")
                               .text;
  EXPECT_THAT(text, HasSubstr("#if AMBIDEX_PORT_CUDA_ARCH >= 800\n"));
  EXPECT_THAT(text, HasSubstr("#ifdef __HIP_DEVICE_COMPILE__\n"));
  EXPECT_THAT(text, HasSubstr("#if defined(__HIP__) && AMBIDEX_PORT_CUDA_VERSION >= 11000\n"));
}

TEST(Translate, a_branch_that_cannot_be_translated_gives_way_to_the_next) {
  const Ported ported = port(
      "__device__ void f() {\n#if __CUDA_ARCH__ >= 900\n"
      "  asm(\"wgmma.fence.sync.aligned;\");\n#elif __CUDA_ARCH__ >= 700\n"
      "  int a;\n#else\n  int b;\n#endif\n}\n");
  EXPECT_THAT(ported.text, HasSubstr("#if AMBIDEX_PORT_CUDA_ARCH_AT_MOST(899) >= 900\n"));
  EXPECT_THAT(ported.text, HasSubstr("#elif AMBIDEX_PORT_CUDA_ARCH_AT_MOST(899) >= 700\n"));
  EXPECT_TRUE(ported.refusals.empty());
}

TEST(Translate, ptx_of_one_meaning_becomes_cpp) {
  EXPECT_EQ(line_of_kernel("asm(\"mov.u32 %0, %%laneid;\" : \"=r\"(p[0]));"),
            "p[0] = (unsigned)ambidex_port::lane_id();");
  EXPECT_EQ(
      line_of_kernel("asm volatile(\"add.u32 %0, %1, %2;\" : \"=r\"(a) : \"r\"(b), \"r\"(c));"),
      "a = (unsigned)(b) + (unsigned)(c);");
  EXPECT_EQ(line_of_kernel("asm(\"ex2.approx.ftz.f32 %0, %1;\" : \"=f\"(v) : \"f\"(v));"),
            "v = ambidex_port::ftz(ambidex_port::ex2_approx(ambidex_port::ftz((float)(v))));");
  EXPECT_EQ(line_of_kernel("asm volatile(\"\" ::: \"memory\");"),
            "asm volatile(\"\" ::: \"memory\");");
}

TEST(Translate, a_carry_of_ptx_stays_in_its_statement) {
  EXPECT_EQ(line_of_kernel("asm(\"add.cc.u32 %0, %1, %2; addc.u32 %0, %0, 0;\" : \"=r\"(a) : "
                           "\"r\"(b), \"r\"(c));"),
            "do { unsigned ambidex_carry = 0; "
            "a = ambidex_port::add_cc((unsigned)(b), (unsigned)(c), ambidex_carry); "
            "a = ambidex_port::addc((unsigned)(a), (unsigned)0, ambidex_carry); } while (0);");
  EXPECT_EQ(refused_hazards("__device__ void f() { asm(\"addc.u32 %0, %1, %2;\" : \"=r\"(a) : "
                            "\"r\"(b), \"r\"(c)); }"),
            "N01 ");
}

TEST(Translate, vectors_of_ptx_are_moved_as_one) {
  EXPECT_EQ(line_of_kernel("asm(\"ld.global.nc.v2.f32 {%0, %1}, [%2];\" : \"=f\"(v), \"=f\"(w) : "
                           "\"l\"(q));"),
            "do { { const float2 ambidex_loaded = ambidex_port::ldg((const float2*)((unsigned long "
            "long)(q))); v = ambidex_loaded.x; w = ambidex_loaded.y; }; } while (0);");
  EXPECT_EQ(line_of_kernel("asm(\"st.global.v2.u32 [%0], {%1, %2};\" :: \"l\"(q), \"r\"(a), "
                           "\"r\"(b));"),
            "*(uint2*)((unsigned long long)(q)) = make_uint2((unsigned)(a), (unsigned)(b));");
}

TEST(Translate, other_rules_reach_the_operands_of_ptx) {
  EXPECT_EQ(line_of_kernel("asm(\"popc.b32 %0, %1;\" : \"=r\"(a) : \"r\"(__ballot_sync(~0u, 1)));"),
            "a = (unsigned)__popc((unsigned)(ambidex_port::ballot_sync(~0u, 1)));");
}

TEST(Translate, ptx_without_a_rule_is_refused) {
  EXPECT_EQ(refused_hazards("__device__ void f() { asm(\"mma.sync.aligned.m16n8k8.row.col.f32.f16."
                            "f16.f32 {%0}, {%1}, {%2}, {%3};\" : \"=f\"(a) : \"r\"(b)); }"),
            "N03 ");
  EXPECT_EQ(refused_hazards("__device__ void f() { asm(\"add.cc.u32 %0, %1, %2;\" : \"=r\"(a) : "
                            "\"r\"(b), \"r\"(c)); }"),
            "N01 ");
}

TEST(Translate, a_spin_lock_among_lanes_is_refused_and_a_loop_that_swaps_is_not) {
  EXPECT_EQ(refused_hazards("__device__ void f(int* l) { while (atomicCAS(l, 0, 1) != 0); }"),
            "S03 ");
  EXPECT_EQ(refused_hazards("__device__ void f(int* l) {\n"
                            "  if (threadIdx.x == 0) { while (atomicCAS(l, 0, 1) != 0) {} }\n}"),
            "");
  EXPECT_EQ(refused_hazards("__device__ void f(int* l) { int o, a; do { a = o;\n"
                            "  o = atomicCAS(l, a, a + 1); } while (o != a); }"),
            "");
}

TEST(Translate, names_without_a_counterpart_are_refused_where_they_stand) {
  const Ported ported =
      port("int f() {\n  cudnnCreate(0);\n  cudaNoSuchThing(1);\n  return 0;\n}\n");
  ASSERT_EQ(ported.refusals.size(), 2U);
  EXPECT_EQ(ported.refusals[0].line, 2);
  EXPECT_THAT(ported.refusals[0].reason, HasSubstr("MIOpen"));
  EXPECT_EQ(ported.refusals[1].line, 3);
  EXPECT_THAT(ported.refusals[1].reason, HasSubstr("cudaNoSuchThing is not in the table"));
  EXPECT_EQ(refused_hazards("#define cudaCheck(x) x\nint a = cudaCheck(1);\n"), "");
}

TEST(Translate, a_cub_warp_primitive_has_32_lanes) {
  const std::string text = port(
                               "#include <cub/cub.cuh>\nusing R = cub::WarpReduce<float>;\n"
                               "using S = cub::WarpScan<int, 16>;\n")
                               .text;
  EXPECT_THAT(text, HasSubstr("#include <hipcub/hipcub.hpp>\n"));
  EXPECT_THAT(text, HasSubstr("hipcub::WarpReduce<float, 32>"));
  EXPECT_THAT(text, HasSubstr("hipcub::WarpScan<int, 16>"));
}

TEST(Translate, the_host_agrees_on_the_width_of_a_warp) {
  const std::string text = port(
                               "int f(int d) { cudaDeviceProp p; int w;\n"
                               "  cudaDeviceGetAttribute(&w, cudaDevAttrWarpSize, d);\n"
                               "  return p.warpSize + w; }\n")
                               .text;
  EXPECT_THAT(text, HasSubstr("(*(&w) = ambidex_port::warp_size, hipSuccess);"));
  EXPECT_THAT(text, HasSubstr("return ambidex_port::warp_size + w;"));
}

TEST(Translate, halves_of_a_pair_are_taken_by_name) {
  const std::string text = port(
                               "__device__ float f(half2 a, float2 b, __half2* p) {\n"
                               "  half2 c; c.x = a.y; c.y = p[1].x;\n"
                               "  return float(c.x) + b.x; }\n")
                               .text;
  EXPECT_THAT(text, HasSubstr("c = __halves2half2(__high2half(a), __high2half(c));"));
  EXPECT_THAT(text, HasSubstr("c = __halves2half2(__low2half(c), __low2half(p[1]));"));
  EXPECT_THAT(text, HasSubstr("return float(__low2half(c)) + b.x;"));
}

TEST(Translate, an_asynchronous_copy_finds_the_pointer_of_its_address) {
  const std::string text = port(
                               "__device__ void f(void* to, const void* from) {\n"
                               "  unsigned s = (unsigned)__cvta_generic_to_shared(to);\n"
                               "  asm volatile(\"cp.async.cg.shared.global [%0], [%1], 16;\" :: "
                               "\"r\"(s), \"l\"(from));\n"
                               "  asm volatile(\"cp.async.wait_group %0;\" :: \"n\"(1));\n}\n")
                               .text;
  EXPECT_THAT(text, HasSubstr("ambidex_port::cp_async<16>(to, (const void*)"
                              "((unsigned long long)(from)));"));
  EXPECT_THAT(text, HasSubstr("ambidex_port::cp_async_wait_group<1>();"));
}

TEST(Translate, threads_that_would_return_stay_for_the_barrier) {
  const std::string text = port(
                               "__global__ void k(const float* in, float* out, int n) {\n"
                               "  __shared__ float s[256];\n"
                               "  int i = blockIdx.x * 256 + threadIdx.x;\n"
                               "  if (i >= n) return;\n"
                               "  float v = in[i];  // load\n"
                               "  s[threadIdx.x] = v;\n"
                               "  for (int o = 128; o > 0; o >>= 1) {\n"
                               "    if (threadIdx.x < o) s[0] += s[o];\n"
                               "    __syncthreads();\n  }\n"
                               "  out[i] = s[0];\n}\n")
                               .text;
  EXPECT_THAT(text, HasSubstr("  const bool ambidex_live = !(i >= n);\n"
                              "  float v = ambidex_live ? (in[i]) : float();  // load\n"
                              "  if (ambidex_live) { s[threadIdx.x] = v; }\n"
                              "  for (int o = 128; o > 0; o >>= 1) {\n"
                              "    if (ambidex_live) { if (threadIdx.x < o) s[0] += s[o]; }\n"
                              "    __syncthreads();\n  }\n"
                              "  if (ambidex_live) { out[i] = s[0]; }\n}\n"));
}

TEST(Translate, returns_that_no_rule_can_keep_are_refused_and_uniform_ones_stay) {
  EXPECT_EQ(refused_hazards("__global__ void k(int* p, int n) {\n  if (threadIdx.x > n) return;\n"
                            "  auto v = p[0];\n  __syncthreads();\n  p[1] = v;\n}\n"),
            "S01 ");
  EXPECT_EQ(refused_hazards("__global__ void k(int* p, int n) {\n  for (int i = 0; i < n; ++i) {\n"
                            "    if (p[threadIdx.x]) return;\n    __syncthreads();\n  }\n}\n"),
            "S01 ");
  const Ported uniform = port(
      "__global__ void k(int* p, int n) {\n  if (blockIdx.x > n) return;\n"
      "  __syncthreads();\n  p[1] = 2;\n}\n");
  EXPECT_TRUE(uniform.refusals.empty());
  EXPECT_THAT(uniform.text, HasSubstr("if (blockIdx.x > n) return;"));
}

TEST(Translate, the_assembly_of_the_host_is_its_own) {
  const std::string text = "inline void wait() { asm volatile(\"pause\"); }\n";
  EXPECT_EQ(port(text, "a.h").text, text);
  EXPECT_EQ(refused_hazards(text), "");
}

TEST(Translate, every_edit_names_its_rule) {
  for (const TranslateEdit& edit :
       port("__global__ void k(int* p) { p[0] = __shfl_sync(~0u, p[1], 2); }").edits) {
    EXPECT_FALSE(edit.rule.empty());
  }
}

TEST(Translate, bytes_that_are_no_text_stay) {
  const std::string bytes = "// \xff\xfe\x80\n__device__ int f() { return warpSize; } // \xe9\n";
  const std::string text = port(bytes).text;
  EXPECT_THAT(text, HasSubstr("// \xff\xfe\x80\n"));
  EXPECT_THAT(text, HasSubstr("return ambidex_port::warp_size; } // \xe9\n"));
}

}  // namespace
}  // namespace ambidex
