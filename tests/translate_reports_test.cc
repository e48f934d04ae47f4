// SPDX-License-Identifier: Apache-2.0
// Public reports of ports that went wrong, each reduced to what went wrong in it: what translate
// makes of the CUDA source, or that it refuses.
#include <gmock/gmock.h>

#include "port/scan.h"
#include "ported.h"

namespace ambidex {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// https://github.com/pytorch/FBGEMM/pull/5830: a ballot of 64 lanes in 32 bits.
TEST(TranslateReports, ranks_by_ballot_are_those_of_the_logical_warp) {
  EXPECT_EQ(line_of_kernel("unsigned m = __ballot_sync(full, b == mine); "
                           "int r = __popc(m & lanes_below);"),
            "unsigned m = ambidex_port::ballot_sync(full, b == mine); "
            "int r = __popc(m & lanes_below);");
}

// https://github.com/pytorch/FBGEMM/pull/5831: threads that return before a barrier.
TEST(TranslateReports, rows_outside_stay_until_the_barrier) {
  const std::string text = port(
                               "__global__ void k(float* x, int rows) {\n"
                               "  const int start = blockIdx.x * blockDim.y + threadIdx.y;\n"
                               "  if (start >= rows) return;\n  __shared__ float s[4];\n"
                               "  s[threadIdx.y] = x[start];\n  __syncthreads();\n"
                               "  x[start] = s[0];\n}\n")
                               .text;
  EXPECT_THAT(text, HasSubstr("  const bool ambidex_live = !(start >= rows);\n"));
  EXPECT_THAT(text, HasSubstr("\n  __syncthreads();\n  if (ambidex_live) { x[start] = s[0]; }\n"));
  EXPECT_THAT(text, Not(HasSubstr("return;")));
}

// https://github.com/pytorch/FBGEMM/pull/5763 and, that y counts, 6016: 2^32 threads.
TEST(TranslateReports, a_launch_of_too_many_threads_is_not_silent) {
  const std::string kernel = "__global__ void k(float* x, long n);\n";
  EXPECT_THAT(
      port(kernel + "void f(float* x, int n) { k<<<div_up(n, 16), dim3(64, 16)>>>(x, n); }").text,
      HasSubstr("k<<<ambidex_port::checked_grid(div_up(n, 16), dim3(64, 16)), "
                "dim3(64, 16)>>>(x, n);"));
  EXPECT_THAT(
      port(kernel + "void f(float* x, int64_t n) { k<<<(n + 255) / 256, 256>>>(x, n); }").text,
      HasSubstr("k<<<ambidex_port::checked_grid((n + 255) / 256, 256), 256>>>(x, n);"));
  EXPECT_THAT(port(kernel + "void f(float* x, size_t n) {\n  auto blocks = (n + 255) / 256;\n"
                            "  dim3 grid(blocks);\n  k<<<grid, 256>>>(x, n);\n}")
                  .text,
              HasSubstr("k<<<ambidex_port::checked_grid(grid, 256), 256>>>(x, n);"));
  EXPECT_THAT(port(kernel + "void f(float* x, int n) { k<<<(n + 255) / 256, 256>>>(x, n); }").text,
              HasSubstr("k<<<(n + 255) / 256, 256>>>(x, n);"));
  EXPECT_THAT(
      port("void f(size_t n) { cudaLaunchKernel(k, dim3(n / 256), dim3(256), a, 0, 0); }").text,
      HasSubstr("hipLaunchKernel(k, ambidex_port::checked_grid(dim3(n / 256), dim3(256)), "
                "dim3(256), a, 0, 0);"));
  EXPECT_EQ(refused_hazards(kernel + "void f(size_t n) { k<<<n++, 256>>>(0, n); }"), "R05 ");
}

// https://github.com/cupy/cupy/pull/9746: 2^31 - 1 blocks are a cap of CUDA, not of AMD.
TEST(TranslateReports, a_cap_must_be_one_for_threads_too) {
  const std::string kernel = "__global__ void k(float* x, size_t n);\n";
  EXPECT_THAT(
      port(kernel + "void f(size_t n) { k<<<std::min<size_t>(n, 0x7fffffff), 128>>>(0, n); }").text,
      HasSubstr("checked_grid(std::min<size_t>(n, 0x7fffffff), 128)"));
  EXPECT_THAT(
      port(kernel + "void f(size_t n) { k<<<std::min<size_t>(n, 65535), 128>>>(0, n); }").text,
      HasSubstr("k<<<std::min<size_t>(n, 65535), 128>>>"));
}

// https://github.com/pytorch/FBGEMM/pull/6123: the wave's size in the name of a kernel.
// https://github.com/vllm-project/vllm/pull/20330: it must be a constant, the same on the host.
// https://github.com/bitsandbytes-foundation/bitsandbytes/pull/1885: and so must grid and block.
TEST(TranslateReports, the_size_of_a_warp_is_one_constant_for_host_and_device) {
  const std::string text = port(
                               "#define WARP_SIZE warpSize\ntemplate <int W> __global__ void k();\n"
                               "void f(int n) { k<WARP_SIZE><<<n / WARP_SIZE, 2 * 32>>>(); }\n")
                               .text;
  EXPECT_THAT(text, HasSubstr("#define WARP_SIZE ambidex_port::warp_size\n"));
  EXPECT_THAT(text, HasSubstr("k<WARP_SIZE><<<n / WARP_SIZE, 2 * 32>>>();"));
}

// https://github.com/ggml-org/llama.cpp/issues/3630: WARP_SIZE made 64 in some places only.
// https://github.com/vllm-project/vllm/pull/12789: an array of 32 filled by 64 lanes.
TEST(TranslateReports, nothing_of_32_lanes_is_widened) {
  const std::string text =
      "#include <hip/hip_runtime.h>\n#define WARP_SIZE 32\n"
      "__global__ void k(int* x) {\n  __shared__ int c[32][8];\n"
      "  const int lane = threadIdx.x % WARP_SIZE, warp = threadIdx.x >> 5;\n"
      "  c[lane][warp] = x[lane];\n  __syncthreads();\n  x[lane] = c[lane ^ 1][warp];\n}\n"
      "void f(int* x, dim3 block) { k<<<1, block>>>(x); }\n";
  EXPECT_EQ(port(text).text, text);
}

// The same: a width of 64 beside rows and partials of 32 is named by the scan of the HIP source.
TEST(TranslateReports, a_width_made_64_in_some_places_is_an_error_of_the_scan) {
  const ScratchFolder scratch;
  const std::string path = scratch.path() + "/a.hip";
  write_file(path,
             "#include <hip/hip_runtime.h>\n#define WARP_SIZE 64\n"
             "__global__ void k(int* x) {\n  __shared__ int c[32];\n"
             "  const int warp = threadIdx.x / WARP_SIZE;\n  c[warp] = x[0];\n"
             "  __syncthreads();\n  x[threadIdx.x] = c[threadIdx.x % WARP_SIZE];\n}\n"
             "void f(int* x) { k<<<1, dim3(32, 4)>>>(x); }\n");
  std::string grave;
  for (const Finding& finding : scan({.paths = {path}, .hip = true}).findings) {
    if (finding.severity == Severity::s0) grave += finding.id + " ";
  }
  EXPECT_EQ(grave, "W08 W07 ");
}

// https://github.com/ROCm/hip/issues/3667: a mask of 32 bits, which must not be zero-extended.
TEST(TranslateReports, a_mask_of_a_logical_warp_stays_one) {
  EXPECT_EQ(line_of_kernel("v += __shfl_xor_sync(unsigned_mask, v, 1);"),
            "v += ambidex_port::shfl_xor_sync(unsigned_mask, v, 1, 32);");
}

// https://github.com/ROCm/hip/issues/3290: a half of a half2 read as its bits.
TEST(TranslateReports, a_half_of_a_pair_is_a_number) {
  EXPECT_EQ(line_of_kernel("half2 h2 = q[0]; v = (float)h2.x;"),
            "half2 h2 = q[0]; v = (float)__low2half(h2);");
}

// https://github.com/ROCm/rocm-systems/pull/646: blocks per multiprocessor taken for waves.
TEST(TranslateReports, the_second_bound_is_in_waves) {
  EXPECT_THAT(port("__global__ void __launch_bounds__(512, 2) k() {}\n").text,
              HasSubstr("__launch_bounds__(512, 4)"));
}

// https://github.com/stotko/stdgpu/pull/484: a lock for each slot, tried by lanes of one wave.
TEST(TranslateReports, a_lock_that_lanes_try_is_refused) {
  EXPECT_EQ(refused_hazards("__device__ void f(Lock* locks, int i) {\n"
                            "  while (!locks[i].try_lock()) {}\n  locks[i].unlock();\n}\n"),
            "S03 ");
}

// https://github.com/tile-ai/tilelang/pull/2872: __syncwarp made nothing.
TEST(TranslateReports, a_barrier_of_a_warp_stays_one) {
  EXPECT_EQ(line_of_kernel("__syncwarp(); __syncwarp(mask);"),
            "ambidex_port::syncwarp(); ambidex_port::syncwarp(mask);");
}

// https://github.com/ROCm/aiter/issues/3807: bits of one fp8 format read as the other.
TEST(TranslateReports, fp8_is_of_one_format_on_every_device) {
  EXPECT_EQ(line_of_kernel("__nv_fp8_e4m3 q(v); v = float(q);"),
            "ambidex_port::fp8_e4m3 q(v); v = float(q);");
}

// https://github.com/ROCm/rocm-systems/issues/10372: an asynchronous copy that is none.
TEST(TranslateReports, a_copy_of_a_group_is_the_ports) {
  EXPECT_THAT(port("namespace cg = cooperative_groups;\n"
                   "__global__ void k(int* to, const int* from) {\n"
                   "  cg::memcpy_async(block, to, from, 64);\n  cg::wait(block);\n}\n")
                  .text,
              HasSubstr("ambidex_port::memcpy_async(block, to, from, 64);\n"
                        "  ambidex_port::wait(block);\n"));
}

}  // namespace
}  // namespace ambidex
