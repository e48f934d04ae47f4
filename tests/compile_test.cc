// SPDX-License-Identifier: Apache-2.0
// `port compile`: what LLVM's metadata says of kernels, and every reason to refuse one.
#include "port/compile.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "caught.h"
#include "port/process.h"
#include "scratch.h"

namespace ambidex {
namespace {

class Compile : public ::testing::Test {
 protected:
  // Compiles `body` after the include of HIP's header, which is line 1.
  CompiledSource compile(const std::string& body, CompileOptions options = {}) {
    const std::string file = folder.path("kernel.hip");
    std::ofstream(file) << "#include <hip/hip_runtime.h>\n" << body;
    options.output_folder = folder.path("objects");
    return compile_hip(file, options);
  }
  ScratchFolder folder;
};

std::vector<std::string> errors_of(const CompiledSource& compiled, const std::string& pass) {
  std::vector<std::string> found;
  for (const CompileDiagnostic& row : compiled.diagnostics) {
    if (row.pass != pass || (row.severity != "error" && row.severity != "fatal")) continue;
    found.push_back(row.message);
  }
  return found;
}

::testing::AssertionResult has_error(const CompiledSource& compiled, const std::string& pass,
                                     const std::string& text) {
  const std::vector<std::string> errors = errors_of(compiled, pass);
  for (const std::string& error : errors) {
    if (error.find(text) != std::string::npos) return ::testing::AssertionSuccess();
  }
  return ::testing::AssertionFailure() << errors.size() << " errors in " << pass
                                       << (errors.empty() ? "" : ", first: " + errors[0]);
}

const KernelResources& kernel_of(const CompiledSource& compiled, const std::string& arch,
                                 const std::string& prefix) {
  for (const CodeObject& object : compiled.objects) {
    if (object.arch != arch) continue;
    for (const KernelResources& kernel : object.kernels) {
      if (kernel.name.starts_with(prefix)) return kernel;
    }
  }
  ADD_FAILURE() << "no kernel " << prefix << " for " << arch;
  static const KernelResources none;
  return none;
}

// Sizes and offsets by C's rules for the parameters, as HIP's launch packs them.
TEST_F(Compile, writes_a_loadable_object_for_each_arch_and_tells_where_arguments_lie) {
  const CompiledSource compiled = compile(
      "__global__ void scale(float* out, char c, double factor, int n) {\n"
      "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (i < n) out[i] = c * factor;\n"
      "}\n");
  EXPECT_TRUE(compiled.ok);
  ASSERT_EQ(compiled.objects.size(), 2u);
  for (const CodeObject& object : compiled.objects) {
    EXPECT_EQ(object.path, folder.path("objects/kernel-" + object.arch + ".co"));
    std::ifstream file(object.path, std::ios::binary);
    std::string bytes{std::istreambuf_iterator<char>(file), {}};
    ASSERT_GT(bytes.size(), 64u);
    EXPECT_EQ(bytes.substr(0, 4), "\177ELF");
    EXPECT_EQ(bytes[16], 3) << "ET_DYN: what a loader takes";
    EXPECT_EQ(static_cast<unsigned char>(bytes[18]), 224) << "EM_AMDGPU";
    const KernelResources& kernel = kernel_of(compiled, object.arch, "scale");
    ASSERT_GE(kernel.arguments.size(), 5u);
    const std::vector<int64_t> offsets{0, 8, 16, 24}, sizes{8, 1, 8, 4};
    const std::vector<std::string> names{"out", "c", "factor", "n"};
    for (size_t i = 0; i < 4; ++i) {
      EXPECT_EQ(kernel.arguments[i].offset_bytes, offsets[i]);
      EXPECT_EQ(kernel.arguments[i].num_bytes, sizes[i]);
      EXPECT_EQ(kernel.arguments[i].name, names[i]);
    }
    EXPECT_EQ(kernel.arguments[0].type, "float *");
    EXPECT_EQ(kernel.arguments[4].name, "") << "hidden ones have no name in the source";
    EXPECT_EQ(kernel.wave_width, 64);
    EXPECT_EQ(kernel.max_threads, 1024);
    EXPECT_GT(kernel.num_vgprs, 0);
    EXPECT_EQ(kernel.scratch_bytes, 0);
  }
}

TEST_F(Compile, launch_bounds_reach_the_metadata) {
  const CompiledSource compiled =
      compile("__global__ void __launch_bounds__(192) k(float* p) { p[threadIdx.x] = 1; }\n");
  EXPECT_EQ(kernel_of(compiled, "gfx942", "k(").max_threads, 192);
}

TEST_F(Compile, a_kernel_with_too_few_registers_spills_to_scratch) {
  std::string body =
      "__global__ void __launch_bounds__(1024, 8) k(float* p) {\n"
      "  float v[160];\n#pragma unroll\n"
      "  for (int i = 0; i < 160; ++i) v[i] = p[i * 1024 + threadIdx.x];\n"
      "  __syncthreads();\n#pragma unroll\n"
      "  for (int i = 0; i < 160; ++i) p[(159 - i) * 1024 + threadIdx.x] = v[i] * v[(i + 7) % "
      "160];\n"
      "}\n";
  const CompiledSource compiled = compile(body);
  const KernelResources& kernel = kernel_of(compiled, "gfx942", "k(");
  EXPECT_LE(kernel.num_vgprs, 64);
  EXPECT_EQ(kernel.max_waves_per_simd, 8);
  EXPECT_GT(kernel.num_vgpr_spills, 0);
  EXPECT_GE(kernel.scratch_bytes, 4 * (160 - 64));
}

TEST_F(Compile, static_lds_over_the_limit_is_refused_where_it_is) {
  const CompiledSource compiled = compile(
      "__global__ void k(float* p) {\n  __shared__ float tile[20000];\n"
      "  tile[threadIdx.x] = p[threadIdx.x];\n  __syncthreads();\n"
      "  p[threadIdx.x] = tile[threadIdx.x ^ 1];\n}\n");
  EXPECT_FALSE(compiled.ok);
  EXPECT_TRUE(has_error(compiled, "gfx942", "local memory (80000) exceeds limit (65536)"));
  EXPECT_TRUE(errors_of(compiled, "gfx950").empty());
  EXPECT_EQ(kernel_of(compiled, "gfx950", "k(").lds_bytes, 80000);
}

constexpr const char* kDynamic =
    "__global__ void k(float* p) {\n  extern __shared__ float tile[];\n  __shared__ float "
    "row[64];\n"
    "  tile[threadIdx.x] = row[threadIdx.x] = p[threadIdx.x];\n  __syncthreads();\n"
    "  p[threadIdx.x] = tile[threadIdx.x ^ 1] + row[threadIdx.x ^ 2];\n}\n";

TEST_F(Compile, static_and_dynamic_lds_are_added_at_every_launch) {
  const CompiledSource compiled =
      compile(std::string(kDynamic) +
              "constexpr int kRows = 16320;\n"
              "void run(float* p) {\n"
              "  k<<<1, 64, kRows * sizeof(float)>>>(p);\n"
              "  hipLaunchKernelGGL(k, dim3(1), dim3(8, 8), (kRows + 1) * 4, 0, p);\n}\n");
  EXPECT_FALSE(compiled.ok);
  ASSERT_EQ(errors_of(compiled, "gfx942").size(), 1u) << "65536 bytes fit, 65540 do not";
  EXPECT_TRUE(has_error(compiled, "gfx942",
                        "launched with 256 static + 65284 dynamic bytes of LDS, and gfx942 has "
                        "65536; use smaller tiles"));
  EXPECT_EQ(compiled.diagnostics.back().line, 12);
  EXPECT_TRUE(errors_of(compiled, "gfx950").empty());
  ASSERT_EQ(compiled.launches.size(), 4u);
  EXPECT_EQ(compiled.launches[1].threads, 64);
}

TEST_F(Compile, dynamic_lds_that_only_the_run_knows_is_reported_as_unknown) {
  const CompiledSource compiled =
      compile(std::string(kDynamic) + "void run(float* p, int n) { k<<<1, n, n * 4>>>(p); }\n");
  EXPECT_TRUE(compiled.ok);
  ASSERT_EQ(compiled.launches.size(), 2u);
  EXPECT_EQ(compiled.launches[0].dynamic_lds_bytes, -1);
  EXPECT_TRUE(to_json(compiled)["launches"][0]["dynamic_lds_bytes"].is_null());
}

TEST_F(Compile, blocks_beyond_the_launch_bound_are_refused) {
  const CompiledSource compiled = compile(
      "__global__ void __launch_bounds__(128) k(float* p) { p[threadIdx.x] = 1; }\n"
      "void run(float* p) { k<<<1, 256>>>(p); }\n");
  EXPECT_TRUE(has_error(compiled, "gfx942",
                        "blocks of 256 threads, and is compiled for at most "
                        "128; raise __launch_bounds__ or use smaller blocks"));
}

constexpr const char* kNarrowed =
    "__global__ void k(unsigned* p) {\n"
    "  unsigned lanes = __ballot(p[threadIdx.x] > 3);\n"
    "  p[threadIdx.x] = lanes;\n}\n";

TEST_F(Compile, a_ballot_in_unsigned_is_an_error_on_a_touched_line_and_a_warning_elsewhere) {
  const CompiledSource before = compile(kNarrowed);
  EXPECT_TRUE(before.ok);
  const auto warning =
      std::find_if(before.diagnostics.begin(), before.diagnostics.end(),
                   [](const CompileDiagnostic& row) { return row.flag == "shorten-64-to-32"; });
  ASSERT_NE(warning, before.diagnostics.end());
  EXPECT_EQ(warning->severity, "warning");
  EXPECT_EQ(warning->line, 3);
  const CompiledSource touched = compile(kNarrowed, {.touched = {{warning->file, {3}}}});
  EXPECT_FALSE(touched.ok);
  EXPECT_TRUE(has_error(touched, "gfx942", "implicit conversion loses integer precision"));
}

TEST_F(Compile, an_undefined_cuda_arch_is_an_error_on_a_touched_line) {
  const std::string file = folder.path("kernel.hip");
  const CompiledSource compiled =
      compile("#if __CUDA_ARCH__ >= 700\n#endif\n__global__ void k(int* p) { *p = 1; }\n",
              {.touched = {{file, {2}}}});
  EXPECT_FALSE(compiled.ok);
  EXPECT_TRUE(has_error(compiled, "gfx950", "'__CUDA_ARCH__' is not defined, evaluates to 0"));
}

TEST_F(Compile, instructions_of_one_arch_are_refused_on_the_other) {
  const CompiledSource newer = compile(
      "typedef float F4 __attribute__((ext_vector_type(4)));\n"
      "typedef __bf16 B8 __attribute__((ext_vector_type(8)));\n"
      "__global__ void k(F4* p, B8* a) {\n"
      "  *p = __builtin_amdgcn_mfma_f32_16x16x32_bf16(*a, *a, *p, 0, 0, 0);\n}\n");
  EXPECT_TRUE(has_error(newer, "gfx942", "needs target feature gfx950-insts"));
  EXPECT_TRUE(errors_of(newer, "gfx950").empty());
  const CompiledSource older = compile(
      "typedef float F4 __attribute__((ext_vector_type(4)));\n"
      "typedef float F2 __attribute__((ext_vector_type(2)));\n"
      "__global__ void k(F4* p, F2* a) {\n"
      "  *p = __builtin_amdgcn_mfma_f32_16x16x8_xf32(*a, *a, *p, 0, 0, 0);\n}\n");
  EXPECT_TRUE(errors_of(older, "gfx942").empty());
  EXPECT_TRUE(has_error(older, "gfx950", "gfx950 cannot do this: Cannot select"));
}

TEST_F(Compile, inline_ptx_is_refused) {
  const CompiledSource compiled = compile(
      "__global__ void k(unsigned* p) {\n  unsigned lane;\n"
      "  asm volatile(\"mov.u32 %0, %%laneid;\" : \"=r\"(lane));\n  *p = lane;\n}\n");
  EXPECT_FALSE(compiled.ok);
  EXPECT_TRUE(has_error(compiled, "gfx942", "invalid"));
  EXPECT_TRUE(has_error(compiled, "gfx950", "invalid"));
}

TEST_F(Compile, an_unknown_include_is_named) {
  const CompiledSource compiled = compile("#include <cub/warp/nothing.cuh>\n");
  EXPECT_TRUE(has_error(compiled, "host", "'cub/warp/nothing.cuh' file not found"));
  EXPECT_TRUE(has_error(compiled, "gfx942", "'cub/warp/nothing.cuh' file not found"));
}

TEST_F(Compile, templates_are_instantiated_where_launched_and_where_asked_for) {
  const std::string body =
      "template <class T, int n> __global__ void fill(T* p) { p[threadIdx.x] = T(n); }\n"
      "void run(float* p) { fill<float, 3><<<1, 64>>>(p); }\n";
  const CompiledSource compiled = compile(body, {.instantiations = {"fill<double, 7>"}});
  ASSERT_TRUE(compiled.ok);
  EXPECT_EQ(compiled.objects[0].kernels.size(), 2u);
  EXPECT_EQ(kernel_of(compiled, "gfx942", "void fill<double, 7>").arguments[0].type, "double *");
  kernel_of(compiled, "gfx950", "void fill<float, 3>");
}

TEST_F(Compile, text_from_a_kernel_needs_what_only_rocm_has) {
  const CompiledSource compiled =
      compile("__global__ void k() { printf(\"%d\\n\", threadIdx.x); }\n");
  EXPECT_TRUE(compiled.ok);
  EXPECT_EQ(compiled.objects[0].path, "");
  const std::vector<std::string>& missing = compiled.objects[0].undefined;
  EXPECT_NE(std::find(missing.begin(), missing.end(), "__ockl_printf_begin"), missing.end());
}

// What the headers promise of instructions, read from the object by LLVM's disassembler.
TEST_F(Compile, words_become_the_instructions_that_they_stand_for) {
  const CompiledSource compiled = compile(
      "#include <rocwmma/rocwmma.hpp>\n#include \"ambidex_port.h\"\n"
      "__global__ void product(_Float16* a, float* c) {\n"
      "  rocwmma::fragment<rocwmma::matrix_a, 16, 16, 16, _Float16, rocwmma::row_major> x;\n"
      "  rocwmma::fragment<rocwmma::matrix_b, 16, 16, 16, _Float16, rocwmma::row_major> y;\n"
      "  rocwmma::fragment<rocwmma::accumulator, 16, 16, 16, float> z;\n"
      "  rocwmma::fill_fragment(z, 0.0f);\n  rocwmma::load_matrix_sync(x, a, 16);\n"
      "  rocwmma::load_matrix_sync(y, a, 16);\n  rocwmma::mma_sync(z, x, y, z);\n"
      "  rocwmma::store_matrix_sync(c, z, 16, rocwmma::mem_row_major);\n}\n"
      "__global__ void warps(unsigned* p) {\n  __shared__ unsigned s[64];\n"
      "  s[threadIdx.x] = *p;\n  ambidex_port::syncwarp();\n"
      "  p[threadIdx.x] = ambidex_port::shfl_sync(~0u, s[threadIdx.x ^ 1], 3);\n}\n"
      "__global__ void __launch_bounds__(256) block(unsigned* p) {\n"
      "  __shared__ unsigned s[256];\n  s[threadIdx.x] = *p;\n  __syncthreads();\n"
      "  p[threadIdx.x] = s[255 - threadIdx.x];\n}\n",
      {.archs = {"gfx942"}});
  ASSERT_TRUE(compiled.ok);
  const auto text = [&](const std::string& symbol) {
    const ProcessResult result = run_process(
        {"llvm-objdump-22", "-d", "--disassemble-symbols=" + symbol, compiled.objects[0].path}, "",
        30);
    return result.out;
  };
  EXPECT_NE(text("_Z7productPDF16_Pf").find("v_mfma_f32_16x16x16"), std::string::npos);
  const std::string warps = text("_Z5warpsPj");
  EXPECT_NE(warps.find("ds_bpermute_b32"), std::string::npos) << warps;
  EXPECT_EQ(warps.find("s_barrier"), std::string::npos) << "a warp waits for no other";
  EXPECT_NE(text("_Z5blockPj").find("s_barrier"), std::string::npos);
}

// By hand: 512 registers, 4 SIMDs; 65536 bytes of LDS in steps of 512, 163840 in steps of 1280.
TEST(Occupancy, is_bounded_by_registers_whole_blocks_and_lds) {
  EXPECT_EQ(resident_waves_per_simd("gfx942", 8, 256, 0), 8);
  EXPECT_EQ(resident_waves_per_simd("gfx942", 3, 512, 0), 2) << "12 waves hold one block of 8";
  EXPECT_EQ(resident_waves_per_simd("gfx942", 8, 256, 33000), 1) << "one block of 4 waves";
  EXPECT_EQ(resident_waves_per_simd("gfx942", 8, 256, 32768), 2);
  EXPECT_EQ(resident_waves_per_simd("gfx950", 8, 256, 32768), 4) << "33280 given, four blocks";
  EXPECT_EQ(resident_waves_per_simd("gfx942", 8, 256, 65537), 0);
  EXPECT_EQ(resident_waves_per_simd("gfx942", 2, 1024, 0), 0);
}

TEST_F(Compile, what_cannot_be_compiled_at_all_is_an_error) {
  const Caught unknown = caught([&] { compile("", {.archs = {"gfx90a"}}); });
  EXPECT_EQ(unknown.kind, ErrorKind::unsupported);
  EXPECT_NE(unknown.message.find("gfx90a"), std::string::npos);
  EXPECT_NE(unknown.message.find("gfx942"), std::string::npos);
  const Caught missing =
      caught([&] { compile_hip("/nowhere/k.hip", {.output_folder = folder.path("o")}); });
  EXPECT_EQ(missing.kind, ErrorKind::not_found);
  EXPECT_NE(missing.message.find("/nowhere/k.hip"), std::string::npos);
  compile("");  // leaves its source
  const Caught folder_is_file = caught(
      [&] { compile_hip(folder.path("kernel.hip"), {.output_folder = "/dev/null/objects"}); });
  EXPECT_NE(folder_is_file.message.find("/dev/null/objects: cannot be made"), std::string::npos);
}

}  // namespace
}  // namespace ambidex
