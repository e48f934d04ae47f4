// SPDX-License-Identifier: Apache-2.0
// Build files of CUDA projects as those of HIP.
#include <gmock/gmock.h>

#include "port/translate.h"

namespace ambidex {
namespace {

std::string after(const std::string& name, const std::string& text) {
  return edited(text, translate_build(name, text, {}).edits);
}

TEST(TranslateBuild, only_files_of_cmake_make_and_setup_are_build_files) {
  for (const char* name :
       {"CMakeLists.txt", "a/CMakeLists.txt", "x.cmake", "Makefile", "b/rules.mk", "setup.py"}) {
    EXPECT_TRUE(is_build_file(name)) << name;
  }
  for (const char* name : {"a.cu", "CMakeLists.txt.in2", "README", "Makefile.am~"}) {
    EXPECT_FALSE(is_build_file(name)) << name;
  }
}

TEST(TranslateBuild, a_cmake_project_of_cuda_becomes_one_of_hip) {
  EXPECT_EQ(
      after("CMakeLists.txt",
            "project(CUDA_app LANGUAGES CXX CUDA)  # CUDA here\n"
            "find_package(CUDAToolkit 12 REQUIRED)\n"
            "set(CMAKE_CUDA_ARCHITECTURES 80 90)\n"
            "add_executable(app main.cu src/scan.cu io.cpp)\n"
            "target_link_libraries(app PRIVATE CUDA::cudart CUDA::cublas)\n"
            "set_target_properties(app PROPERTIES CUDA_ARCHITECTURES \"90\" CUDA_STANDARD 17)\n"),
      "project(CUDA_app LANGUAGES CXX HIP)  # CUDA here\n"
      "find_package(hip REQUIRED)\n"
      "set(CMAKE_HIP_ARCHITECTURES gfx942 gfx950)\n"
      "add_executable(app main.hip src/scan.hip io.cpp)\n"
      "find_package(hipblas REQUIRED)\n"
      "target_link_libraries(app PRIVATE hip::host roc::hipblas)\n"
      "set_target_properties(app PROPERTIES HIP_ARCHITECTURES \"gfx942;gfx950\" "
      "HIP_STANDARD 17)\n");
}

TEST(TranslateBuild, what_a_setup_of_pytorch_says_of_nvcc_is_refused_by_its_line) {
  const std::string text =
      "from torch.utils.cpp_extension import CUDAExtension  # not 'a.cu'\n"
      "CUDAExtension('rows', ['rows.cpp', 'a.cu', 'b.cu'],\n"
      "              extra_compile_args={\"nvcc\": ['--use_fast_math']})\n";
  const BuildTranslation read = translate_build("setup.py", text, {});
  EXPECT_TRUE(read.edits.empty());
  ASSERT_EQ(read.refusals.size(), 2u);
  EXPECT_EQ(read.refusals[0].line, 2);
  EXPECT_THAT(read.refusals[0].reason, testing::HasSubstr(".hip"));
  EXPECT_EQ(read.refusals[1].line, 3);
  EXPECT_THAT(read.refusals[1].reason, testing::HasSubstr("hipcc"));
}

TEST(TranslateBuild, a_makefile_of_nvcc_becomes_one_of_hipcc) {
  EXPECT_EQ(after("Makefile",
                  "NVCC = /usr/local/cuda/bin/nvcc  # nvcc\r\n"
                  "FLAGS = -O3 -arch=sm_90 -use_fast_math -lineinfo\r\n"
                  "%.o: %.cu\r\n\t$(NVCC) $(FLAGS) -dc $< -o $@ -Xcompiler -fPIC\r\n"
                  "app: a.o\r\n\t$(NVCC) $^ -o $@ -lcublas -lcudart\r\n"),
            "NVCC = hipcc  # nvcc\r\n"
            "FLAGS = -O3 --offload-arch=gfx942 --offload-arch=gfx950 "
            "-fgpu-flush-denormals-to-zero -g\r\n"
            "%.o: %.hip\r\n\t$(NVCC) $(FLAGS) -fgpu-rdc -c $< -o $@ -fPIC\r\n"
            "app: a.o\r\n\t$(NVCC) -fgpu-rdc --hip-link --offload-arch=gfx942 "
            "--offload-arch=gfx950 $^ -o $@ -lhipblas -lamdhip64\r\n");
}

TEST(TranslateBuild, lists_of_architectures_become_one) {
  EXPECT_EQ(after("Makefile",
                  "F = -gencode arch=compute_80,code=sm_80 -gencode "
                  "arch=compute_90,code=[sm_90,compute_90] -O2\n"),
            "F = --offload-arch=gfx942 --offload-arch=gfx950 -O2\n");
}

TEST(TranslateBuild, fast_math_does_not_promise_that_there_are_no_nans) {
  const auto build = translate_build("Makefile", "F = --use_fast_math\n", {});
  ASSERT_EQ(build.edits.size(), 1U);
  EXPECT_EQ(build.edits[0].hazard, "N12");
  EXPECT_EQ(after("Makefile", "F = --use_fast_math\n"), "F = -fgpu-flush-denormals-to-zero\n");
}

TEST(TranslateBuild, what_has_no_counterpart_is_refused_by_name) {
  const auto build = translate_build("Makefile", "L = -lm\nL += -lcudnn # -lcutlass\n", {});
  ASSERT_EQ(build.refusals.size(), 1U);
  EXPECT_EQ(build.refusals[0].line, 2);
  EXPECT_EQ(build.refusals[0].hazard, "N21");
}

// File, line and hazard of each refusal.
std::vector<std::string> refused(const std::string& name, const std::string& text) {
  std::vector<std::string> out;
  for (const TranslateRefusal& refusal : translate_build(name, text, {}).refusals) {
    out.push_back(std::to_string(refusal.line) + " " + refusal.hazard);
  }
  return out;
}

TEST(TranslateBuild, what_is_left_of_an_emptied_command_is_a_command) {
  EXPECT_EQ(after("CMakeLists.txt",
                  "set_target_properties(a PROPERTIES CUDA_RESOLVE_DEVICE_SYMBOLS ON)\n"
                  "set_property(TARGET a PROPERTY CUDA_SEPARABLE_COMPILATION OFF)  # no\n"
                  "set(CMAKE_CUDA_HOST_COMPILER g++)\n"
                  "set(CMAKE_CUDA_COMPILER /usr/local/cuda/bin/nvcc)\n"
                  "add_library(a a.c)\n"),
            "\n# no\nadd_library(a a.c)\n");
}

TEST(TranslateBuild, quotes_close_whatever_is_taken_out_of_them) {
  EXPECT_EQ(
      after("CMakeLists.txt",
            "set(CMAKE_CUDA_FLAGS \"-lineinfo -Xcompiler \\\"-Wall,-fPIC\\\" -ccbin "
            "${CMAKE_CXX_COMPILER}\")\n"
            "string(APPEND CMAKE_CUDA_FLAGS \" --threads 4\")\n"
            "set_source_files_properties(a.cu PROPERTIES COMPILE_FLAGS \"-Xptxas -v\")\n"
            "target_compile_options(a PRIVATE \"--threads\" \"0\" \"SHELL:-Xcompiler -O2\")\n"),
      "set(CMAKE_HIP_FLAGS \"-g -Wall -fPIC\")\n"
      "string(APPEND CMAKE_HIP_FLAGS \"\")\n"
      "set_source_files_properties(a.hip PROPERTIES COMPILE_FLAGS \"\")\n"
      "target_compile_options(a PRIVATE \"SHELL:-O2\")\n");
}

TEST(TranslateBuild, comments_brackets_and_prose_of_cmake_stay) {
  const std::string text =
      "#[[ enable_language(CUDA) ]]\n"
      "message(STATUS \"CUDA_FOUND, nvcc -gencode arch=compute_80,code=sm_80\") # -lcudart\n"
      "set(A [=[find_package(CUDA)]=])\n";
  EXPECT_EQ(after("x.cmake", text), text);
}

TEST(TranslateBuild, packages_are_found_where_their_targets_are_used) {
  EXPECT_EQ(after("CMakeLists.txt",
                  "if(A)\n  target_link_libraries(a CUDA::curand)\nelse()\n"
                  "  target_link_libraries(a curand)\nendif()\n"),
            "if(A)\n  find_package(hiprand REQUIRED)\n  target_link_libraries(a hip::hiprand)\n"
            "else()\n  find_package(hiprand REQUIRED)\n  target_link_libraries(a hip::hiprand)\n"
            "endif()\n");
}

TEST(TranslateBuild, a_package_that_may_be_missing_enables_the_language_only_if_found) {
  EXPECT_EQ(after("CMakeLists.txt", "find_package(CUDA 9.0 QUIET)\n"),
            "find_package(hip QUIET)\nif(hip_FOUND)\n  enable_language(HIP)\nendif()\n");
}

TEST(TranslateBuild, cmake_without_a_counterpart_is_refused_by_line) {
  EXPECT_THAT(refused("CMakeLists.txt",
                      "if(CMAKE_CUDA_COMPILER_VERSION VERSION_GREATER 11)\nendif()\n"
                      "find_package(Thrust REQUIRED)\n"
                      "add_custom_command(OUTPUT a.ptx COMMAND ${CMAKE_CUDA_COMPILER} -ptx a.cu)\n"
                      "set_property(TARGET a PROPERTY CUDA_PTX_COMPILATION ON)\n"
                      "cuda_select_nvcc_arch_flags(F Auto)\n"
                      "include_directories(${CUDA_TOOLKIT_ROOT_DIR}/samples)\n"
                      "target_link_libraries(a CUDA::cudnn CUDA::nvToolsExt CUDA::what)\n"
                      "cuda_add_library(a a.cu OPTIONS -arch=sm_35)\n"
                      "if(CMAKE_CUDA_ARCHITECTURES STREQUAL \"70\")\nendif()\n"),
              testing::ElementsAre("1 R09", "3 N20", "4 N21", "5 N01", "6 R08", "7 N21", "8 N21",
                                   "8 N20", "8 N21", "9 N21", "10 R08"));
}

TEST(TranslateBuild, makefiles_without_a_counterpart_are_refused_by_line) {
  EXPECT_THAT(refused("Makefile",
                      "V = $(shell nvcc --version | grep release)\n"
                      "L = $(CUDA_HOME)/lib64/libcudart.so /usr/local/cuda/samples/inc\n"
                      "G = $(addprefix -gencode arch=compute_,$(SMS))\n"
                      "P = $(patsubst %,-arch=sm_%,$(SMS))\n"
                      "a.ptx: a.cu\n\tnvcc -ptx a.cu\n"),
              testing::ElementsAre("1 R09", "2 N21", "2 N21", "3 R08", "4 R08", "6 N01"));
}

TEST(TranslateBuild, a_list_with_commas_in_a_variable_is_not_taken_for_flags) {
  EXPECT_THAT(refused("CMakeLists.txt",
                      "string(REPLACE \";\" \",\" F \"${G}\")\n"
                      "target_compile_options(a PRIVATE -Xcompiler=${F})\n"),
              testing::ElementsAre("2 N21"));
  EXPECT_THAT(refused("Makefile", "comma := ,\nF = -Xcompiler $(subst x,$(comma),$(G))\n"),
              testing::ElementsAre("2 N21"));
}

TEST(TranslateBuild, a_file_that_does_not_read_is_left_alone) {
  for (const auto& [name, text] : std::vector<std::pair<std::string, std::string>>{
           {"CMakeLists.txt", "enable_language(CUDA)\nset(A \"b)\n"},
           {"Makefile", "NVCC = nvcc\nA = $(B\n"}}) {
    EXPECT_EQ(after(name, text), text);
    EXPECT_THAT(refused(name, text), testing::ElementsAre("2 R09"));
  }
}

TEST(TranslateBuild, sources_that_keep_their_names_need_their_language_said) {
  const auto build = translate_build("CMakeLists.txt", "project(a CUDA)\nadd_library(a a.cu)\n",
                                     {.rename = false});
  ASSERT_EQ(build.refusals.size(), 1U);
  EXPECT_EQ(build.refusals[0].line, 2);
}

TEST(TranslateBuild, words_of_other_programs_are_not_nvccs) {
  const std::string text =
      "a:\n\tcmake -G Ninja . && tar -t 4\n\tclang -arch x86_64 -x c++ a.cc\n"
      "docs: a.cu.cc x.cuh; echo nvcc-like mynvcc\n";
  EXPECT_EQ(after("Makefile", text), text);
}

TEST(TranslateBuild, a_second_time_changes_nothing) {
  for (const std::string text :
       {"project(a LANGUAGES CUDA)\nfind_package(CUDAToolkit)\nset(CMAKE_CUDA_ARCHITECTURES 90)\n"
        "set(CMAKE_CUDA_FLAGS \"-use_fast_math -arch=sm_80\")\nadd_library(a a.cu)\n"
        "set_target_properties(a PROPERTIES CUDA_SEPARABLE_COMPILATION ON)\n",
        "find_package(CUDA)\nset(CUDA_NVCC_FLAGS \"-O3 -rdc=true -arch=sm_35\")\n"
        "cuda_add_executable(a a.cu)\ntarget_link_libraries(a ${CUDA_CUBLAS_LIBRARIES})\n"}) {
    const std::string once = after("CMakeLists.txt", text);
    EXPECT_NE(once, text);
    EXPECT_EQ(after("CMakeLists.txt", once), once);
  }
}

TEST(TranslateBuild, names_of_sources_stay_where_files_do) {
  const std::string text = "add_library(a a.cu)\n";
  EXPECT_EQ(edited(text, translate_build("CMakeLists.txt", text, {.rename = false}).edits), text);
}

TEST(TranslateBuild, a_makefile_changes_once) {
  const std::string text =
      "CUDA_PATH ?= /usr/local/cuda\nNVCC = $(CUDA_PATH)/bin/nvcc\n"
      "F = -rdc=true -I$(CUDA_PATH)/include -L$(CUDA_PATH)/lib64 -lcudart\n"
      "a: a.o\n\t$(NVCC) $(F) -o $@ $^\na.o: a.cu\n\t$(NVCC) $(F) -c $<\n";
  const std::string once = after("Makefile", text);
  EXPECT_NE(once, text);
  EXPECT_EQ(after("Makefile", once), once);
}

}  // namespace
}  // namespace ambidex
