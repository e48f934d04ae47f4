// SPDX-License-Identifier: Apache-2.0
// CUDA sources to HIP: fragments, random numbers, lockstep, locks, and the limits of a launch.
#include <gmock/gmock.h>

#include "ported.h"

namespace ambidex {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(TranslateRules, fragments_are_those_of_the_port) {
  const std::string text = port(
                               "#include <mma.h>\nusing namespace nvcuda;\n"
                               "nvcuda::wmma::fragment<wmma::accumulator, 16, 16, 16, float>* f;\n"
                               "namespace w = nvcuda::wmma;\n")
                               .text;
  EXPECT_THAT(text, HasSubstr("#include \"ambidex_port/wmma.h\"\n"
                              "namespace wmma = ambidex_port::wmma;\n"
                              "ambidex_port::wmma::fragment<wmma::accumulator, 16, 16, 16, float>* "
                              "f;\nnamespace w = ambidex_port::wmma;\n"));
  EXPECT_EQ(refused_hazards("#include <mma.h>\nusing namespace nvcuda;\n"), "");
}

TEST(TranslateRules, fragments_that_the_port_lacks_are_refused) {
  EXPECT_EQ(refused_hazards("using T = nvcuda::wmma::experimental::precision::b1;\n"), "N02 ");
  EXPECT_EQ(refused_hazards("__device__ void f() { wmma::bmma_sync(d, a, b, c); }\n"), "N02 ");
}

TEST(TranslateRules, device_generators_have_the_numbers_of_curand) {
  const std::string text = port(
                               "#include <curand_kernel.h>\n"
                               "__global__ void k(curandStatePhilox4_32_10_t* s, float* x) {\n"
                               "  curandState t; curand_init(1, 2, 3, &t);\n"
                               "  x[0] = curand_uniform(&t) + curand_normal(s);\n}\n")
                               .text;
  EXPECT_THAT(text, HasSubstr("#include \"ambidex_port/random.h\"\n"));
  EXPECT_THAT(text, HasSubstr("k(ambidex_port::curandStatePhilox4_32_10_t* s, float* x)"));
  EXPECT_THAT(text, HasSubstr("ambidex_port::curandState t; curand_init(1, 2, 3, &t);"));
  EXPECT_THAT(text, HasSubstr("x[0] = curand_uniform(&t) + curand_normal(s);"));
  EXPECT_EQ(refused_hazards("__device__ unsigned f(curandStateMRG32k3a* s) { return 0; }"), "N22 ");
  EXPECT_EQ(
      refused_hazards("__device__ unsigned f(curandState* s) { return curand_poisson(s, 2); }"),
      "N22 ");
}

TEST(TranslateRules, each_step_of_a_warp_in_lockstep_reads_before_it_writes) {
  const std::string text = port(
                               "template <int N> __device__ void tail(volatile int* s, int t) {\n"
                               "  if (N >= 64) s[t] += s[t + 32];  // first\n"
                               "  s[t] = min(s[t], s[t + 16]);\n}\n")
                               .text;
  EXPECT_THAT(text, HasSubstr("  if (N >= 64) { const auto ambidex_step = s[t + 32]; "
                              "ambidex_port::syncwarp(); s[t] += ambidex_step; "
                              "ambidex_port::syncwarp(); }  // first\n"
                              "  { const auto ambidex_step = min(s[t], s[t + 16]); "
                              "ambidex_port::syncwarp(); s[t] = ambidex_step; "
                              "ambidex_port::syncwarp(); }\n"));
  EXPECT_THAT(text, HasSubstr("#include \"ambidex_port.h\"\n"));
}

TEST(TranslateRules, a_plain_store_that_other_lanes_read_is_ordered_too) {
  const std::string text = port(
                               "__global__ void k(const int* in, int* out) {\n"
                               "  volatile __shared__ int s[32];\n  int t = threadIdx.x;\n"
                               "  s[t] = in[t];\n  out[t] = s[t ^ 1];\n}\n")
                               .text;
  EXPECT_THAT(text, HasSubstr("  { ambidex_port::syncwarp(); s[t] = in[t]; "
                              "ambidex_port::syncwarp(); }\n  out[t] = s[t ^ 1];\n"));
}

TEST(TranslateRules, lockstep_without_volatile_is_told_by_two_steps_in_a_row) {
  const std::string text = port(
                               "__global__ void k(float* out) {\n  __shared__ float s[64];\n"
                               "  int t = threadIdx.x;\n  s[t] = t;\n  __syncthreads();\n"
                               "  s[t] += s[t + 2];\n  s[t] += s[t + 1];\n  out[t] = s[t];\n}\n")
                               .text;
  EXPECT_THAT(text, HasSubstr("  s[t] = t;\n  __syncthreads();\n"));
  EXPECT_THAT(text, HasSubstr("{ const auto ambidex_step = s[t + 2]; "));
}

TEST(TranslateRules, steps_with_barriers_and_arrays_of_one_thread_stay) {
  const std::string text =
      "#include <hip/hip_runtime.h>\n"
      "__global__ void k(float* out, volatile int* flags) {\n  __shared__ volatile float s[64];\n"
      "  float a[4];\n  int t = threadIdx.x;\n  s[t] = t;\n  __syncthreads();\n"
      "  if (t < 2) s[t] += s[t + 2];\n  __syncthreads();\n"
      "  a[1] = a[0]; a[2] = a[1];\n  flags[t] = flags[t];\n  out[t] = s[0];\n}\n";
  EXPECT_EQ(port(text).text, text);
}

TEST(TranslateRules, lockstep_in_another_form_is_refused) {
  EXPECT_EQ(refused_hazards("__global__ void k(int* out) {\n  __shared__ volatile int s[32];\n"
                            "  int t = threadIdx.x;\n  s[t] = t;\n"
                            "  out[t] = s[t + 1], s[t]++;\n}\n"),
            "S04 ");
}

TEST(TranslateRules, a_lock_is_held_inside_of_the_loop_that_takes_it) {
  EXPECT_EQ(refused_hazards("__device__ void f(int* l, int* x) {\n  while (true) {\n"
                            "    if (atomicCAS(l, 0, 1) == 0) break;\n  }\n"
                            "  x[0] += 1;\n  atomicExch(l, 0);\n}\n"),
            "S03 ");
  EXPECT_EQ(refused_hazards("__device__ void f(int* l, int* x) {\n  int seen;\n"
                            "  do { seen = atomicCAS(&l[2], 0, 1); } while (seen != 0);\n"
                            "  x[0] += 1;\n  l[2] = 0;\n}\n"),
            "S03 ");
  EXPECT_EQ(refused_hazards("__device__ void f(int* l, int* x) {\n  bool done = false;\n"
                            "  while (!done) {\n    if (atomicCAS(l, 0, 1) == 0) {\n"
                            "      x[0] += 1;\n      atomicExch(l, 0);\n      done = true;\n"
                            "    }\n  }\n}\n"),
            "");
  EXPECT_EQ(refused_hazards("__device__ void f(int* l) { do {} while (atomicCAS(l, 0, 1)); }\n"),
            "S03 ");
}

TEST(TranslateRules, a_wait_for_another_warp_of_the_block_is_one_for_the_same_wave) {
  const Ported waits = port(
      "__global__ void k(int* out) {\n  __shared__ volatile int flag, box[32];\n"
      "  if (threadIdx.x == 0) flag = 1;\n"
      "  if (threadIdx.x >= 32) {\n    while (flag == 0) { }\n    out[0] = box[1];\n  }\n}\n");
  ASSERT_EQ(waits.refusals.size(), 1);
  EXPECT_EQ(waits.refusals[0].hazard, "S03");
  EXPECT_THAT(waits.refusals[0].reason, HasSubstr("halves of one wave"));
  EXPECT_THAT(waits.refusals[0].reason, Not(HasSubstr("caches")));
}

TEST(TranslateRules, flags_that_are_stored_and_waited_for_get_their_order) {
  const std::string text = port(
                               "__device__ volatile unsigned turn;\n"
                               "__global__ void k(volatile int* flags, float* x) {\n"
                               "  if (threadIdx.x == 0) while (flags[blockIdx.x] == 0) {}\n"
                               "  x[0] += 1;\n  __threadfence();\n"
                               "  if (threadIdx.x == 0) flags[blockIdx.x + 1] = 1 + *flags;\n"
                               "  int seen;\n  do { seen = turn; } while (seen != blockIdx.x);\n"
                               "  turn = seen + 1;\n}\n")
                               .text;
  EXPECT_THAT(text, HasSubstr("while (ambidex_port::ld_acquire_gpu(&flags[blockIdx.x]) == 0) {}"));
  EXPECT_THAT(text, HasSubstr("ambidex_port::st_release_gpu(&flags[blockIdx.x + 1], "
                              "1 + ambidex_port::ld_acquire_gpu(flags));"));
  EXPECT_THAT(text, HasSubstr("do { seen = ambidex_port::ld_acquire_gpu(&turn); } while"));
  EXPECT_THAT(text, HasSubstr("  ambidex_port::st_release_gpu(&turn, seen + 1);\n"));
  EXPECT_EQ(port(text, "a.hip").text, text);
}

TEST(TranslateRules, a_flag_by_a_star_behind_a_condition_is_one_too) {
  const std::string text =
      port(
          "__global__ void k(volatile int* flag, int* out) {\n"
          "  __threadfence();\n  if (threadIdx.x == 0) *flag = 1;\n"
          "  else *flag = 2;\n  while (clock64() < 9) if (*flag) out[0] = 1;\n}\n")
          .text;
  EXPECT_THAT(text, HasSubstr("if (threadIdx.x == 0) ambidex_port::st_release_gpu(flag, 1);"));
  EXPECT_THAT(text, HasSubstr("else ambidex_port::st_release_gpu(flag, 2);"));
  EXPECT_THAT(text, HasSubstr("if (ambidex_port::ld_acquire_gpu(flag)) out[0] = 1;"));
}

TEST(TranslateRules, volatile_memory_that_is_no_flag_stays) {
  const std::string text =
      "__global__ void k(volatile int* part, unsigned* count, int* out) {\n"
      "  part[blockIdx.x] = out[blockIdx.x];\n  __syncthreads();\n"
      "  if (threadIdx.x < gridDim.x) out[0] = part[threadIdx.x];\n}\n";
  EXPECT_THAT(port(text).text, HasSubstr("  part[blockIdx.x] = out[blockIdx.x];\n"));
  EXPECT_THAT(port(text).text, HasSubstr("out[0] = part[threadIdx.x];\n"));
}

TEST(TranslateRules, threads_that_agree_may_return_anywhere) {
  const std::string kernel =
      "__global__ void k(const int* in, int* out, int n) {\n"
      "  __shared__ int s[64], last;\n  int t = threadIdx.x, v = in[t];\n"
      "  if (t == 0) last = in[64];\n  __syncthreads();\n"
      "  for (int pass = 0; pass < n; pass++) {\n"
      "    s[t] = v;\n    __syncthreads();\n    v = s[63 - t];\n"
      "    if (CONDITION) { if (t < 9) return; out[t] = v; return; }\n"
      "    __syncthreads();\n  }\n}\n";
  const auto refused = [&](const std::string& condition) {
    std::string text = kernel;
    return refused_hazards(text.replace(text.find("CONDITION"), 9, condition));
  };
  EXPECT_EQ(refused("pass == 1"), "");
  EXPECT_EQ(refused("last > pass"), "");
  EXPECT_EQ(refused("s[pass] == 3"), "");
  EXPECT_EQ(refused("__syncthreads_or(v > 7)"), "");
  EXPECT_EQ(refused("v == 1"), "S01 ");
  EXPECT_EQ(refused("s[t] == 1"), "S01 ");
}

TEST(TranslateRules, what_only_some_threads_change_differs_between_them) {
  EXPECT_EQ(refused_hazards("__global__ void k(int* out, int n) {\n  int rounds = 0;\n"
                            "  if (threadIdx.x < 7) rounds = 1;\n"
                            "  for (int i = 0; i < n; ++i) {\n    __syncthreads();\n"
                            "    if (rounds > i) { out[i] = 1; return; }\n  }\n}\n"),
            "S01 ");
}

TEST(TranslateRules, atomics_of_ptx_are_told_by_their_operation) {
  EXPECT_EQ(line_of_kernel("unsigned r; asm volatile(\"atom.global.inc.u32 %0, [%1], %2;\" : "
                           "\"=r\"(r) : \"l\"(p), \"r\"(7) : \"memory\");"),
            line_of_kernel("unsigned r; asm volatile(\"atom.relaxed.gpu.global.inc.u32 %0, [%1], "
                           "%2;\" : \"=r\"(r) : \"l\"(p), \"r\"(7) : \"memory\");"));
  EXPECT_THAT(line_of_kernel("unsigned r; asm volatile(\"atom.global.dec.u32 %0, [%1], %2;\" : "
                             "\"=r\"(r) : \"l\"(p), \"r\"(7) : \"memory\");"),
              HasSubstr("atomicDec((unsigned*)"));
  EXPECT_THAT(line_of_kernel("asm volatile(\"red.or.b32 [%0], %1;\" :: \"l\"(p), \"r\"(7));"),
              HasSubstr("atomicOr((unsigned*)"));
  EXPECT_EQ(refused_hazards("__device__ void f(int* p) {\n  asm volatile("
                            "\"red.async.relaxed.cluster.s32 [%0], 1;\" :: \"l\"(p));\n}\n"),
            "N06 ");
}

TEST(TranslateRules, graphs_are_instantiated_by_the_form_that_is_meant) {
  const std::string text = port(
                               "void f(cudaGraph_t g, cudaGraphExec_t* e) {\n"
                               "  cudaGraphInstantiate(e, g);\n"
                               "  CHECK(cudaGraphInstantiate(e, g, 0));\n"
                               "  cudaGraphInstantiate(e, g, NULL, NULL, 0);\n}\n")
                               .text;
  EXPECT_THAT(text, HasSubstr("  hipGraphInstantiateWithFlags(e, g, 0);\n"
                              "  CHECK(hipGraphInstantiateWithFlags(e, g, 0));\n"
                              "  hipGraphInstantiate(e, g, NULL, NULL, 0);\n"));
  EXPECT_EQ(refused_hazards("void f(cudaGraphExec_t e, cudaGraph_t g, Result* r) {\n"
                            "  cudaGraphExecUpdate(e, g, r);\n}\n"),
            "R11 ");
}

TEST(TranslateRules, a_wait_for_a_plain_store_is_refused) {
  EXPECT_EQ(refused_hazards("__global__ void k(volatile int* flags) {\n"
                            "  while (flags[blockIdx.x] == 0) {}\n}\n"),
            "S08 ");
  EXPECT_EQ(refused_hazards("__device__ volatile int ready;\n__global__ void k() {\n"
                            "  if (threadIdx.x == 0) while (ready == 0) __threadfence();\n}\n"),
            "S08 ");
  EXPECT_EQ(refused_hazards("__device__ int f(int* a, int p) {\n  int i = 0;\n"
                            "  while (a[++i] < p) ;\n  while (next(a) == 0) ;\n  return i;\n}\n"),
            "");
}

TEST(TranslateRules, groups_of_the_lanes_that_are_together_are_of_the_logical_warp) {
  const std::string text = port(
                               "namespace cg = cooperative_groups;\n"
                               "__device__ int f(int* p) {\n"
                               "  cg::coalesced_group g = cg::coalesced_threads();\n"
                               "  return g.size() + coalesced_threads().thread_rank();\n}\n")
                               .text;
  EXPECT_THAT(text, HasSubstr("  ambidex_port::coalesced_group g = "
                              "ambidex_port::coalesced_threads();\n"
                              "  return g.size() + "
                              "ambidex_port::coalesced_threads().thread_rank();\n"));
  const std::string parts = port(
                                "#include <cooperative_groups.h>\n"
                                "namespace cg = cooperative_groups;\nusing namespace cg;\n"
                                "__device__ int f(thread_block_tile<32> t, int k) {\n"
                                "  cg::coalesced_group g = cg::labeled_partition(t, k);\n"
                                "  return g.size() + binary_partition(t, k > 0).size();\n}\n")
                                .text;
  EXPECT_THAT(parts, HasSubstr("ambidex_port::coalesced_group g = "
                               "ambidex_port::labeled_partition(t, k);\n"
                               "  return g.size() + "
                               "ambidex_port::binary_partition(t, k > 0).size();\n"));
}

TEST(TranslateRules, groups_exchange_by_the_port_what_is_not_seen_to_be_a_number) {
  const auto line = [](const std::string& declaration, const std::string& call) {
    const std::string text = port(
                                 "#include <cooperative_groups.h>\nnamespace cg = "
                                 "cooperative_groups;\nstruct Best { float v; int i; };\n"
                                 "template <class T> __device__ void f(cg::thread_block_tile<32> t,"
                                 " cg::thread_block_tile<8>* p, T x) {\n  " +
                                 declaration + "\n  r = " + call + ";\n}\n")
                                 .text;
    const size_t begin = text.find("r = ") + 4;
    return text.substr(begin, text.find(';', begin) - begin);
  };
  EXPECT_EQ(line("Best b;", "t.shfl_down(b, 4)"), "ambidex_port::shfl_down(t, b, 4)");
  EXPECT_EQ(line("half2 h;", "p->shfl_xor(h, 1)"), "ambidex_port::shfl_xor(*p, h, 1)");
  EXPECT_EQ(line("", "t.shfl(x, 0)"), "ambidex_port::shfl(t, x, 0)");
  EXPECT_EQ(line("Best b;", "t.shfl_up(b.v, 1)"), "ambidex_port::shfl_up(t, b.v, 1)");
  EXPECT_EQ(line("", "t.shfl(make(1), 0)"), "ambidex_port::shfl(t, make(1), 0)");
  EXPECT_EQ(line("const float* s; int i;", "t.shfl(2.f * s[i], 0)"), "t.shfl(2.f * s[i], 0)");
  EXPECT_EQ(line("unsigned long long u;", "t.shfl(u, 0)"), "t.shfl(u, 0)");
}

TEST(TranslateRules, halves_are_added_atomically_by_the_port) {
  const std::string text = port(
                               "#include <cuda_fp16.h>\n"
                               "template <class T> __device__ void f(T* t, T v) {\n"
                               "  atomicAdd(t, v);\n}\n"
                               "__global__ void k(__half2* p, float* x, int i, __half2 h) {\n"
                               "  atomicAdd(&p[i], h);\n  atomicAdd(x + i, 1.f);\n}\n")
                               .text;
  EXPECT_THAT(text, HasSubstr("  ambidex_port::atomic_add(t, v);\n"));
  EXPECT_THAT(text, HasSubstr("  ambidex_port::atomic_add(&p[i], h);\n  atomicAdd(x + i, 1.f);"));
}

TEST(TranslateRules, branches_of_hip_alone_stay_as_they_are) {
  const std::string sources =
      "#if defined(USE_ROCM) || defined(__HIP_PLATFORM_AMD__)\n"
      "__device__ float f(float v) { return __shfl_xor(v, 1); }\n#else\n"
      "__device__ float f(float v) { return __shfl_xor_sync(0xffffffff, v, 1); }\n#endif\n";
  const std::string text = port(sources).text;
  EXPECT_THAT(text, HasSubstr("{ return __shfl_xor(v, 1); }"));
  EXPECT_THAT(text, HasSubstr("{ return ambidex_port::shfl_xor_sync(0xffffffff, v, 1, 32); }"));
}

TEST(TranslateRules, threads_that_should_have_returned_leave_loops_with_the_others) {
  const std::string text = port(
                               "__global__ void k(int* x, int n) {\n"
                               "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                               "  if (i >= n) return;\n"
                               "  for (int d = 1; d < 64; d *= 2) {\n"
                               "    bool moved = x[i] > d;\n"
                               "    if (!__syncthreads_or(moved)) break;\n"
                               "    if (d > 16) continue;\n"
                               "    x[i] -= d;\n  }\n}\n")
                               .text;
  EXPECT_THAT(text, HasSubstr("if (!__syncthreads_or(moved)) break;\n    if (d > 16) continue;\n"));
  EXPECT_THAT(text, HasSubstr("if (ambidex_live) { x[i] -= d; }"));
  EXPECT_EQ(refused_hazards("__global__ void k(int* x, int n) {\n"
                            "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                            "  if (i >= n) return;\n  for (int d = 1; d < 64; d *= 2) {\n"
                            "    __syncthreads();\n    if (x[i] > d) break;\n  }\n}\n"),
            "S01 ");
}

TEST(TranslateRules, all_threads_make_the_call_that_holds_a_barrier) {
  const std::string sum = "__device__ float sum(float x) { __syncthreads(); return x; }\n";
  const std::string text = port(sum +
                                "__global__ void k(const float* in, float* out, int n) {\n"
                                "  int i = blockIdx.x * blockDim.y + threadIdx.y;\n"
                                "  if (i >= n) return;\n  float s = in[i];\n"
                                "  float mean = sum(s) / n;\n  s = sum(s - mean);\n"
                                "  out[i] = s;\n}\n")
                               .text;
  EXPECT_THAT(text, HasSubstr("  float s = ambidex_live ? (in[i]) : float();\n"
                              "  float mean = sum(s) / n;\n  s = sum(s - mean);\n"
                              "  if (ambidex_live) { out[i] = s; }\n"));
  EXPECT_EQ(refused_hazards(sum + "__global__ void k(const float* in, float* out, int n) {\n"
                                  "  int i = threadIdx.x;\n  if (i >= n) return;\n"
                                  "  float mean = sum(in[i]) / n;\n  out[i] = mean;\n}\n"),
            "S01 ");
}

TEST(TranslateRules, policies_of_thrust_are_rocthrusts) {
  const std::string text = port(
                               "#include <thrust/system/cuda/execution_policy.h>\n"
                               "void f() { thrust::sort(thrust::cuda::par.on(s), a, b); }\n")
                               .text;
  EXPECT_THAT(text, HasSubstr("#include <thrust/system/hip/execution_policy.h>\n"));
  EXPECT_THAT(text, HasSubstr("thrust::sort(thrust::hip::par.on(s), a, b);"));
}

TEST(TranslateRules, an_opt_in_to_shared_memory_is_checked) {
  const std::string text =
      port(
          "void f(int n) {\n"
          "  cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, n);\n"
          "  e = cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, n);\n"
          "  cudaFuncSetAttribute(k, cudaFuncAttributePreferredSharedMemoryCarveout, n);\n}\n")
          .text;
  EXPECT_THAT(
      text,
      HasSubstr("  ambidex_port::must(ambidex_port::set_function_attribute("
                "reinterpret_cast<const void*>(k), hipFuncAttributeMaxDynamicSharedMemorySize, n), "
                "\"cudaFuncSetAttribute\");\n"));
  EXPECT_THAT(text, HasSubstr("  e = ambidex_port::set_function_attribute("));
  EXPECT_THAT(text, HasSubstr("  hipFuncSetAttribute(reinterpret_cast<const void*>(k), "
                              "hipFuncAttributePreferredSharedMemoryCarveout, n);\n"));
}

TEST(TranslateRules, a_cooperative_launch_that_fails_is_not_ignored) {
  const std::string text = port(
                               "void f() {\n  cudaLaunchCooperativeKernel(k, g, b, a);\n"
                               "  if (cudaLaunchCooperativeKernel(k, g, b, a)) exit(1);\n}\n")
                               .text;
  EXPECT_THAT(text, HasSubstr("  ambidex_port::must(hipLaunchCooperativeKernel(k, g, b, a), "
                              "\"cudaLaunchCooperativeKernel\");\n"
                              "  if (hipLaunchCooperativeKernel(k, g, b, a)) exit(1);\n"));
}

TEST(TranslateRules, kernels_get_the_bound_of_their_launches) {
  const std::string kernel = "template <class T> __global__ void k(T* x) {}\n";
  EXPECT_THAT(port("#define THREADS 128\n" + kernel +
                   "void f(int* x) { k<<<1, THREADS>>>(x); k<int><<<1, dim3(16, 16)>>>(x); }\n")
                  .text,
              HasSubstr("__global__ void __launch_bounds__(256) k(T* x) {}"));
  EXPECT_THAT(port(kernel + "void f(int* x) { dim3 b(8, 4); k<<<1, b>>>(x); }\n").text,
              HasSubstr("__launch_bounds__(32) k("));
  EXPECT_THAT(port(kernel + "const int kThreads = 64;\n"
                            "void f(int* x) { k<<<1, kThreads, 0, s>>>(x); }\n")
                  .text,
              HasSubstr("__launch_bounds__(64) k("));
}

TEST(TranslateRules, kernels_of_unknown_launches_get_no_bound) {
  const std::string kernel = "__global__ void k(int* x) {}\n";
  for (const std::string use :
       {"void f(int* x, int n) { k<<<1, n>>>(x); k<<<1, 64>>>(x); }\n",
        "void f(int* x) { k<<<1, 64>>>(x); auto p = &k; }\n",
        "void f(int* x) { dim3 b(8, 4); b.x = 1024; k<<<1, b>>>(x); }\n",
        "void f(int* x) { int n = 64; n = 128; k<<<1, n>>>(x); }\n", "int main() {}\n"}) {
    EXPECT_THAT(port(kernel + use).text, Not(HasSubstr("__launch_bounds__"))) << use;
  }
}

TEST(TranslateRules, words_that_are_hints_are_left_out) {
  const std::string text =
      port(
          "static void CUDART_CB done(void* p) {}\n"
          "__global__ void __maxnreg__(32) k(const __grid_constant__ int n, int* x) {}\n")
          .text;
  EXPECT_THAT(text, HasSubstr("static void done(void* p) {}\n"));
  EXPECT_THAT(text, HasSubstr("__global__ void k(const int n, int* x) {}\n"));
}

TEST(TranslateRules, functions_that_hip_has_for_kernels_only_bring_the_port_s_header) {
  const std::string text = port(
                               "inline __host__ __device__ float f(float x) { return rsqrtf(x); }\n"
                               "__global__ void k(float* x) { x[0] = f(x[1]); }\n")
                               .text;
  EXPECT_THAT(text, HasSubstr("return rsqrtf(x);"));
  EXPECT_THAT(text, HasSubstr("#include \"ambidex_port.h\"\n"));
  const std::string half = port(
                               "#include <cuda_fp16.h>\n__global__ void k(half* x) {\n"
                               "  x[0] = __hfma_relu(x[1], x[2], CUDART_ONE_FP16);\n}\n")
                               .text;
  EXPECT_THAT(half,
              HasSubstr("ambidex_port::hfma_relu(x[1], x[2], ambidex_port::half_bits(0x3C00))"));
  EXPECT_THAT(half, HasSubstr("#include \"ambidex_port/halves.h\"\n"));
}

TEST(TranslateRules, pointers_to_pointers_are_cast_where_hip_has_no_template) {
  const std::string text = port(
                               "__global__ void k(float* x) {}\nvoid f(float* h, size_t p) {\n"
                               "  float *d, *e;\n  cudaMallocPitch(&d, &p, 4, 4);\n"
                               "  cudaHostGetDevicePointer((void**)&e, h, 0);\n}\n")
                               .text;
  EXPECT_THAT(text, HasSubstr("hipMallocPitch(reinterpret_cast<void**>(&d), &p, 4, 4);"));
  EXPECT_THAT(text, HasSubstr("hipHostGetDevicePointer((void**)&e, h, 0);"));
}

TEST(TranslateRules, operators_that_hip_has_are_left_to_it) {
  const std::string head = "__global__ void k(float3* x) {}\ninline __host__ __device__ ";
  const std::string text =
      port(head +
           "void operator+=(float3 &a, const float3& b) { a.x += b.x; a.y += b.y; a.z += b.z; }\n")
          .text;
  EXPECT_THAT(text, HasSubstr("#if !defined(__HIP_PLATFORM_AMD__)  // HIP has this operator\n"
                              "inline __host__ __device__ void operator+=("));
  EXPECT_THAT(text, HasSubstr("a.z += b.z; }\n#endif\n"));
  EXPECT_EQ(refused_hazards(head + "float2 operator*(float2 a, float2 b) {\n  return make_float2("
                                   "a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);\n}\n"),
            "N21 ");
  EXPECT_EQ(refused_hazards(head + "float3 operator*(float3 a, float b) { return a; }\n"), "");
}

TEST(TranslateRules, arrays_and_compilers_at_run_time_are_refused_by_name) {
  EXPECT_EQ(refused_hazards("void f() { cudaArray_t a; }\n"), "N16 ");
  EXPECT_EQ(refused_hazards("void f() { nvrtcCompileProgram(p, 0, nullptr); }\n"), "N21 ");
  EXPECT_EQ(refused_hazards("void f() { cuModuleLoadData(&m, image); }\n"), "R12 ");
  EXPECT_EQ(refused_hazards("void f() { cuMemAdviseNothing(p); }\n"), "N21 ");
}

TEST(TranslateRules, every_rule_finds_nothing_to_do_in_what_it_has_made) {
  const std::string text =
      port(
          "#include <mma.h>\n#include <curand_kernel.h>\nusing namespace nvcuda;\n"
          "__global__ void k(volatile int* s, curandState* r) {\n"
          "  s[0] += s[0 + 1];\n  s[0] += s[0 + 2];\n}\n"
          "void f(size_t n) {\n  k<<<n, 64>>>(0, 0);\n"
          "  cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, n);\n"
          "  cudaLaunchCooperativeKernel(k, g, b, a);\n}\n")
          .text;
  EXPECT_THAT(text, HasSubstr("k<<<ambidex_port::checked_grid(n, 64), 64>>>"));
  EXPECT_EQ(port(text, "a.hip").text, text);
}

}  // namespace
}  // namespace ambidex
