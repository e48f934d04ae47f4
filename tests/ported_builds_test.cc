// SPDX-License-Identifier: Apache-2.0
// Translated build files, read by CMake and make themselves: they configure beside packages that
// stand in for ROCm's, and give the command lines that hipcc and clang need.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "port/process.h"
#include "port/translate.h"
#include "scratch.h"

namespace ambidex {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::Each;
using testing::HasSubstr;
using testing::Not;

void write(const std::string& path, const std::string& text) {
  fs::create_directories(fs::path(path).parent_path());
  std::ofstream(path) << text;
}

// Compilers that take anything, and the packages of ROCm as far as CMake looks into them.
std::string stand_in_toolchain(const ScratchFolder& scratch) {
  const std::string rocm = scratch.path("rocm");
  for (const auto& [package, target] :
       std::vector<std::pair<std::string, std::string>>{{"hip", "hip::host"},
                                                        {"hip-lang", "hip-lang::device"},
                                                        {"hipblas", "roc::hipblas"},
                                                        {"hiprand", "hip::hiprand"}}) {
    write(fmt::format("{0}/lib/cmake/{1}/{1}-config.cmake", rocm, package),
          fmt::format("if(NOT TARGET {0})\n  add_library({0} INTERFACE IMPORTED)\nendif()\n"
                      "set(hip_INCLUDE_DIRS {1}/include)\n",
                      target, rocm));
  }
  std::string text = fmt::format(
      "list(APPEND CMAKE_PREFIX_PATH {0})\n"
      "set(CMAKE_SYSTEM_NAME Linux)\n"
      "set(CMAKE_HIP_COMPILER_ROCM_ROOT {0})\n"
      "if(NOT DEFINED CMAKE_HIP_ARCHITECTURES)\n"
      "  set(CMAKE_HIP_ARCHITECTURES gfx90a)\nendif()\n"
      "set(CMAKE_HIP_COMPILE_FEATURES hip_std_17)\n"
      "set(CMAKE_CXX_COMPILE_FEATURES cxx_std_17)\n",
      rocm);
  for (const char* language : {"C", "CXX", "HIP"}) {
    text += fmt::format(
        "set(CMAKE_{0}_COMPILER /bin/true)\nset(CMAKE_{0}_COMPILER_ID Clang)\n"
        "set(CMAKE_{0}_COMPILER_ID_RUN 1)\nset(CMAKE_{0}_COMPILER_FORCED 1)\n"
        "set(CMAKE_{0}_COMPILER_VERSION 19.0.0)\n",
        language);
  }
  write(scratch.path("toolchain.cmake"), text);
  return scratch.path("toolchain.cmake");
}

std::string after(const std::string& name, const std::string& text, size_t num_refusals) {
  const auto build =
      translate_build(name, text, {.rename = true, .relocatable = links_across_files(name, text)});
  EXPECT_EQ(build.refusals.size(), num_refusals);
  for (const TranslateRefusal& refusal : build.refusals) {
    if (num_refusals == 0) ADD_FAILURE() << refusal.line << ": " << refusal.reason;
  }
  return edited(text, build.edits);
}

struct Configured {
  std::vector<std::string> compiles;  // command lines of .hip sources
  std::string link;                   // of the program
};

// The CMakeLists.txt of CUDA, translated and configured with sources of those names.
Configured configured(const std::string& cmake, const std::vector<std::string>& sources) {
  const ScratchFolder scratch;
  write(scratch.path("p/CMakeLists.txt"), after("CMakeLists.txt", cmake, 0));
  for (const std::string& source : sources) write(scratch.path("p/" + source), "");
  const ProcessResult run =
      run_process({CMAKE_PROGRAM, "-G", "Unix Makefiles", "-S", scratch.path("p"), "-B",
                   scratch.path("b"), "-DCMAKE_TOOLCHAIN_FILE=" + stand_in_toolchain(scratch),
                   "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON"},
                  "", 60);
  EXPECT_EQ(run.exit_code, 0) << run.err << text_of_file(scratch.path("p/CMakeLists.txt"));
  Configured out;
  if (run.exit_code != 0) return out;
  const auto commands =
      nlohmann::json::parse(text_of_file(scratch.path("b/compile_commands.json")));
  for (const auto& command : commands) {
    const std::string file = command.at("file").get<std::string>();
    if (file.ends_with(".hip")) out.compiles.push_back(command.at("command").get<std::string>());
  }
  out.link = text_of_file(scratch.path("b/CMakeFiles/prog.dir/link.txt"));
  return out;
}

TEST(PortedBuilds, device_code_of_a_library_is_linked_by_the_program) {
  const Configured got = configured(
      "cmake_minimum_required(VERSION 3.18)\n"
      "project(sph LANGUAGES CXX CUDA)\n"
      "set(CMAKE_CUDA_STANDARD 14)\n"
      "if(NOT CMAKE_CUDA_ARCHITECTURES)\n  set(CMAKE_CUDA_ARCHITECTURES 70 80)\nendif()\n"
      "find_package(CUDAToolkit REQUIRED)\n"
      "add_library(kernels STATIC a.cu b.cu)\n"
      "set_target_properties(kernels PROPERTIES CUDA_SEPARABLE_COMPILATION ON)\n"
      "target_compile_options(kernels PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:--use_fast_math>)\n"
      "add_executable(prog main.cpp)\n"
      "target_link_libraries(prog PRIVATE kernels CUDA::cudart)\n",
      {"a.hip", "b.hip", "main.cpp"});
  EXPECT_EQ(got.compiles.size(), 2U);
  EXPECT_THAT(got.compiles, Each(AllOf(HasSubstr("-fgpu-rdc"), HasSubstr("-x hip"),
                                       HasSubstr("-fgpu-flush-denormals-to-zero"))));
  EXPECT_THAT(got.link, AllOf(HasSubstr("-fgpu-rdc --hip-link"), HasSubstr("--offload-arch=gfx90a"),
                              HasSubstr("libkernels.a")));
}

TEST(PortedBuilds, a_checked_language_with_several_properties_configures) {
  const Configured got = configured(
      "cmake_minimum_required(VERSION 3.20)\nproject(fdtd LANGUAGES CXX)\n"
      "include(CheckLanguage)\ncheck_language(CUDA)\n"
      "if(CMAKE_CUDA_COMPILER)\n  enable_language(CUDA)\nelse()\n"
      "  message(FATAL_ERROR \"no CUDA\")\nendif()\n"
      "set(CMAKE_CUDA_ARCHITECTURES native)\n"
      "set(CMAKE_CUDA_FLAGS \"${CMAKE_CUDA_FLAGS} -lineinfo --expt-extended-lambda "
      "-Xcompiler=-Wall\")\n"
      "add_executable(prog main.cu physics.cu)\n"
      "set_target_properties(prog PROPERTIES\n  CUDA_SEPARABLE_COMPILATION ON # both\n"
      "  CUDA_RESOLVE_DEVICE_SYMBOLS ON\n  CXX_STANDARD 17)\n"
      "target_compile_features(prog PRIVATE cuda_std_17)\n"
      "target_compile_options(prog PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:-maxrregcount=64>)\n",
      {"main.hip", "physics.hip"});
  EXPECT_THAT(got.compiles, Each(AllOf(HasSubstr(" -g -Wall --offload-arch=gfx942 "
                                                 "--offload-arch=gfx950 -fgpu-rdc "),
                                       Not(HasSubstr("maxrregcount")), Not(HasSubstr("native")))));
  EXPECT_THAT(got.link, HasSubstr("--offload-arch=gfx950 -fgpu-rdc --hip-link"));
}

TEST(PortedBuilds, a_project_of_find_cuda_enables_the_language_and_keeps_its_flags) {
  const Configured got = configured(
      "cmake_minimum_required(VERSION 3.5)\nproject(old)\nfind_package(CUDA REQUIRED)\n"
      "set(CUDA_SEPARABLE_COMPILATION ON)\nset(CUDA_VERBOSE_BUILD ON)\n"
      "list(APPEND CUDA_NVCC_FLAGS \"-O3;-std=c++14;-gencode arch=compute_70,code=sm_70;"
      "-Xptxas -v;--default-stream per-thread\")\n"
      "set(CUDA_NVCC_FLAGS ${CUDA_NVCC_FLAGS}; -res-usage # -arch sm_30\n  -Xcompiler -Wall)\n"
      "include_directories(${CUDA_INCLUDE_DIRS})\n"
      "CUDA_ADD_EXECUTABLE(prog k.cu h.cu)\n"
      "target_link_libraries(prog ${CUDA_LIBRARIES} ${CUDA_curand_LIBRARY})\n",
      {"k.hip", "h.hip"});
  EXPECT_EQ(got.compiles.size(), 2U);
  EXPECT_THAT(got.compiles,
              Each(AllOf(HasSubstr("-fgpu-rdc -O3 -std=c++17 --offload-arch=gfx942 "
                                   "--offload-arch=gfx950 -fgpu-default-stream=per-thread "
                                   "-Rpass-analysis=kernel-resource-usage -Wall"),
                         HasSubstr("rocm/include"))));
  EXPECT_THAT(got.link, HasSubstr("-fgpu-rdc --hip-link --offload-arch=gfx942"));
}

TEST(PortedBuilds, options_of_sources_targets_and_expressions_stay_whole) {
  const Configured got = configured(
      "cmake_minimum_required(VERSION 3.18)\nproject(glob LANGUAGES CXX CUDA)\n"
      "file(GLOB SRC CONFIGURE_DEPENDS \"${CMAKE_CURRENT_SOURCE_DIR}/*.cu\")\n"
      "add_executable(prog ${SRC})\n"
      "set_property(TARGET prog PROPERTY CUDA_ARCHITECTURES 80 90)\n"
      "set_source_files_properties(k.cu PROPERTIES COMPILE_FLAGS \"--ptxas-options=-v -Xcompiler "
      "-fopenmp\")\n"
      "target_compile_options(prog PRIVATE "
      "$<$<COMPILE_LANG_AND_ID:CUDA,NVIDIA>:-gencode=arch=compute_80,code=sm_80 -rdc=true "
      "-Xcompiler -Wall>\n  \"$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wextra,-O1;--threads=4>\")\n"
      "target_include_directories(prog PRIVATE ${CMAKE_CUDA_TOOLKIT_INCLUDE_DIRECTORIES})\n"
      "target_link_libraries(prog PRIVATE CUDA::cudart_static CUDA::curand CUDA::cublas)\n",
      {"k.hip"});
  ASSERT_EQ(got.compiles.size(), 1U);
  EXPECT_THAT(got.compiles[0],
              AllOf(HasSubstr("--offload-arch=gfx942 --offload-arch=gfx950"),
                    HasSubstr("-fgpu-rdc -Wall -Wextra -O1"), HasSubstr(" -fopenmp "),
                    Not(HasSubstr("Xcompiler")), Not(HasSubstr("ptxas")), Not(HasSubstr("90a"))));
  EXPECT_THAT(got.link, HasSubstr("-fgpu-rdc --hip-link"));
}

// The lines that make prints for the translated makefile.
std::string printed(const std::string& makefile, const std::vector<std::string>& words,
                    size_t num_refusals = 0) {
  const ScratchFolder scratch;
  write(scratch.path("Makefile"), after("Makefile", makefile, num_refusals));
  for (const char* source : {"k.hip", "h.hip"}) write(scratch.path(source), "");
  std::vector<std::string> command{"make", "-n", "-C", scratch.path()};
  command.insert(command.end(), words.begin(), words.end());
  const ProcessResult run = run_process(command, "", 60);
  EXPECT_EQ(run.exit_code, 0) << run.err;
  return run.out;
}

TEST(PortedBuilds, the_makefile_of_a_cuda_sample_gives_lines_of_hipcc) {
  const std::string lines = printed(
      "CUDA_PATH ?= /usr/local/cuda\n"
      "NVCC := $(CUDA_PATH)/bin/nvcc -ccbin g++\n"
      "SMS ?= 70 80\n"
      "$(foreach sm,$(SMS),$(eval GENCODE_FLAGS += -gencode "
      "arch=compute_$(sm),code=sm_$(sm)))\n"
      "HIGHEST_SM := $(lastword $(sort $(SMS)))\n"
      "GENCODE_FLAGS += -gencode arch=compute_$(HIGHEST_SM),code=compute_$(HIGHEST_SM)\n"
      "ALL_CCFLAGS := -m64 --threads 0 --std=c++11 -Xcompiler \"-Wall,-O2\" -lineinfo -rdc=true\n"
      "ALL_CCFLAGS += $(addprefix -Xcompiler ,$(EXTRA_CCFLAGS))\n"
      "INCLUDES := -I../Common -I$(CUDA_PATH)/include\n"
      "LIBRARIES := -L$(CUDA_PATH)/lib64 -lcudart -lcurand -lcublas\n"
      "all: prog\n"
      "%.o: %.cu\n\t$(EXEC) $(NVCC) $(INCLUDES) $(ALL_CCFLAGS) $(GENCODE_FLAGS) -o $@ -c $<\n"
      "prog: k.o h.o\n\t$(EXEC) $(NVCC) $(GENCODE_FLAGS) -o $@ $+ $(LIBRARIES)\n",
      {"ROCM_PATH=/opt/rocm", "EXTRA_CCFLAGS=-Wextra -Wshadow"});
  EXPECT_THAT(lines, HasSubstr("hipcc -I../Common -I/opt/rocm/include -D__HIP_PLATFORM_AMD__ -m64 "
                               "-std=c++17 -Wall -O2 -g -fgpu-rdc -Wextra -Wshadow "
                               "--offload-arch=gfx942 --offload-arch=gfx950 "));
  EXPECT_THAT(lines, HasSubstr("-o k.o -c k.hip\n"));
  EXPECT_THAT(lines, HasSubstr("hipcc -fgpu-rdc --hip-link --offload-arch=gfx942 "));
  EXPECT_THAT(lines, HasSubstr("-o prog k.o h.o -L/opt/rocm/lib -lamdhip64 -lhiprand -lhipblas\n"));
  for (const char* word : {"gfx9507", "sm_", "nvcc", "ccbin", "threads", "Xcompiler", "cuda"}) {
    EXPECT_THAT(lines, Not(HasSubstr(word)));
  }
}

TEST(PortedBuilds, a_link_without_architectures_gets_those_of_the_objects) {
  const std::string lines = printed(
      "NVCC ?= nvcc\nARCH ?= sm_80\n"
      "NVCCFLAGS = -O3 -arch=$(ARCH) \\\n  --expt-relaxed-constexpr \\\n  -Iinclude\n"
      "%.o: %.cu\n\t$(NVCC) $(NVCCFLAGS) -dc $< -o $@\n"
      "prog: k.o\n\t@$(NVCC) $^ -o $@ -L$(CUDA_HOME)/lib64/stubs -lcudart -lculibos\n",
      {"prog", "ROCM_HOME=/r"});
  EXPECT_THAT(lines, HasSubstr("hipcc -O3 --offload-arch=gfx942 --offload-arch=gfx950 -Iinclude "
                               "-fgpu-rdc -c k.hip -o k.o\n"));
  EXPECT_THAT(lines, HasSubstr("hipcc -fgpu-rdc --hip-link --offload-arch=gfx942 "
                               "--offload-arch=gfx950 k.o -o prog -L/r/lib -lamdhip64\n"));
}

TEST(PortedBuilds, a_device_link_of_its_own_is_refused_where_it_stands) {
  const auto build = translate_build("Makefile",
                                     "F = -arch=sm_80 -prec-div=false\n"
                                     "prog: k.o d.o\n\tg++ -o $@ $^ -lcudart -lcudadevrt\n"
                                     "d.o: k.o\n\tnvcc -arch=sm_80 -dlink $^ -o $@\n"
                                     "k.o: k.cu\n\tnvcc -rdc=true -c $< -o $@\n",
                                     {.rename = true, .relocatable = true});
  std::vector<int64_t> lines;
  for (const TranslateRefusal& refusal : build.refusals) lines.push_back(refusal.line);
  EXPECT_THAT(lines, testing::ElementsAre(1, 3, 3, 5));
}

}  // namespace
}  // namespace ambidex
