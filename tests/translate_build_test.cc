// SPDX-License-Identifier: Apache-2.0
// Build files of CUDA projects as those of HIP.
#include <gmock/gmock.h>

#include "port/translate.h"

namespace ambidex {
namespace {

std::string after(const std::string& name, const std::string& text) {
  return edited(text, translate_build(name, text, true).edits);
}

TEST(TranslateBuild, only_files_of_cmake_and_make_are_build_files) {
  for (const char* name :
       {"CMakeLists.txt", "a/CMakeLists.txt", "x.cmake", "Makefile", "b/rules.mk"}) {
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
      "target_link_libraries(app PRIVATE hip::host roc::hipblas)\n"
      "set_target_properties(app PROPERTIES HIP_ARCHITECTURES \"gfx942;gfx950\" "
      "HIP_STANDARD 17)\n");
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
            "app: a.o\r\n\t$(NVCC) $^ -o $@ -lhipblas -lamdhip64\r\n");
}

TEST(TranslateBuild, lists_of_architectures_become_one) {
  EXPECT_EQ(after("Makefile",
                  "F = -gencode arch=compute_80,code=sm_80 -gencode "
                  "arch=compute_90,code=[sm_90,compute_90] -O2\n"),
            "F = --offload-arch=gfx942 --offload-arch=gfx950 -O2\n");
}

TEST(TranslateBuild, fast_math_does_not_promise_that_there_are_no_nans) {
  const auto build = translate_build("Makefile", "F = --use_fast_math\n", true);
  ASSERT_EQ(build.edits.size(), 1U);
  EXPECT_EQ(build.edits[0].hazard, "N12");
  EXPECT_EQ(after("Makefile", "F = --use_fast_math\n"), "F = -fgpu-flush-denormals-to-zero\n");
}

TEST(TranslateBuild, what_has_no_counterpart_is_refused_by_name) {
  const auto build = translate_build("Makefile", "L = -lm\nL += -lcudnn # -lcutlass\n", true);
  ASSERT_EQ(build.refusals.size(), 1U);
  EXPECT_EQ(build.refusals[0].line, 2);
  EXPECT_EQ(build.refusals[0].hazard, "N21");
}

TEST(TranslateBuild, a_second_time_changes_nothing) {
  for (const std::string text :
       {"project(a LANGUAGES CUDA)\nfind_package(CUDAToolkit)\nset(CMAKE_CUDA_ARCHITECTURES 90)\n"
        "set(CMAKE_CUDA_FLAGS \"-use_fast_math -arch=sm_80\")\nadd_library(a a.cu)\n"
        "set_target_properties(a PROPERTIES CUDA_SEPARABLE_COMPILATION ON)\n"}) {
    const std::string once = after("CMakeLists.txt", text);
    EXPECT_NE(once, text);
    EXPECT_EQ(after("CMakeLists.txt", once), once);
  }
}

TEST(TranslateBuild, names_of_sources_stay_where_files_do) {
  const std::string text = "add_library(a a.cu)\n";
  EXPECT_EQ(edited(text, translate_build("CMakeLists.txt", text, false).edits), text);
}

}  // namespace
}  // namespace ambidex
