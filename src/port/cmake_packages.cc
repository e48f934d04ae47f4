// SPDX-License-Identifier: Apache-2.0
// Packages of CUDA, and the commands of FindCUDA.
#include <fmt/format.h>

#include <array>

#include "port/cmake_port.h"

namespace ambidex {
namespace {

constexpr BuildWhy kPackage{"build.package"};
constexpr BuildWhy kCommand{"build.command"};

void rename_command(CmakePort& port, const CmakeCommand& command, std::string_view name) {
  size_t end = command.begin;
  while (is_name_char(port.draft.text[end])) ++end;
  replace(port.draft, command.begin, end, name, kCommand);
}

constexpr std::array<std::array<std::string_view, 3>, 9> kForeignPackages{{
    {"Thrust", "N20", "its target is roc::rocthrust of find_package(rocthrust)"},
    {"CUB", "N20", "its target is hip::hipcub of find_package(hipcub)"},
    {"CCCL", "N20", "rocThrust and hipCUB are packages of their own: rocthrust, hipcub"},
    {"libcudacxx", "N18", "ROCm has libhipcxx, which is not translated to"},
    {"NCCL", "N21", "RCCL is the package rccl with the target roc::rccl"},
    {"CUDNN", "N21", "cuDNN has no counterpart of the same interface"},
    {"cuDNN", "N21", "cuDNN has no counterpart of the same interface"},
    {"NvidiaCutlass", "N03", "CUTLASS has no counterpart"},
    {"TensorRT", "N21", "TensorRT has no counterpart"},
}};

// cuda_add_executable and cuda_add_library, which FindCUDA links and gives its flags.
void translate_cuda_add(CmakePort& port, const CmakeCommand& command) {
  rename_command(port, command, command.name.substr(std::string_view("cuda_").size()));
  for (const CmakeArgument& argument : command.arguments) {
    if (argument.text == "OPTIONS") {
      refuse(port.draft, argument.begin, "N21",
             fmt::format("OPTIONS of {}: give them by target_compile_options", command.name));
    }
  }
  if (command.arguments.empty()) return;
  const CmakeArgument& name = command.arguments[0];
  const std::string_view target =
      port.draft.text.substr(name.outer_begin, name.outer_end - name.outer_begin);
  add_commands(port, command,
               {fmt::format("target_compile_options({} PRIVATE "
                            "\"$<$<COMPILE_LANGUAGE:HIP>:${{HIP_HIPCC_FLAGS}}>\")",
                            target),
                fmt::format("target_link_libraries({} hip::host)", target)},
               kCommand);
}

}  // namespace

void translate_package(CmakePort& port, const CmakeCommand& command) {
  const std::string_view package = first_of(command);
  for (const auto& [name, hazard, reason] : kForeignPackages) {
    if (package == name) {
      refuse(port.draft, command.begin, hazard, fmt::format("find_package({}): {}", name, reason));
    }
  }
  if (package != "CUDAToolkit" && package != "CUDA") {
    if (!package.empty()) port.packages.back().insert(std::string(package));
    return;
  }
  const bool is_required = has_argument(command, "REQUIRED") || command.name == "find_dependency";
  std::vector<std::string> lines{fmt::format("{}(hip{}{})", command.name,
                                             has_argument(command, "QUIET") ? " QUIET" : "",
                                             has_argument(command, "REQUIRED") ? " REQUIRED" : "")};
  if (package == "CUDA") {  // of FindCUDA, which needs no language of its own
    if (!is_required) lines.emplace_back("if(hip_FOUND)");
    lines.emplace_back(is_required ? "enable_language(HIP)" : "  enable_language(HIP)");
    if (!is_required) lines.emplace_back("endif()");
  }
  put_commands(port, command, lines, kPackage);
  port.packages.back().insert("hip");
}

void translate_find_cuda(CmakePort& port, const CmakeCommand& command) {
  const std::string& name = command.name;
  if (!name.starts_with("cuda_") && name != "find_cuda_helper_libs") return;
  const std::string target(first_of(command));
  if (name == "cuda_add_executable" || name == "cuda_add_library") {
    translate_cuda_add(port, command);
  } else if (name == "cuda_include_directories") {
    rename_command(port, command, "include_directories");
  } else if (name == "cuda_add_cublas_to_target") {
    need_package(port, command, "hipblas");
    put_commands(port, command, {fmt::format("target_link_libraries({} roc::hipblas)", target)},
                 {"build.library", "N21"});
  } else if (name == "cuda_add_cufft_to_target") {
    need_package(port, command, "hipfft");
    put_commands(port, command, {fmt::format("target_link_libraries({} hip::hipfft)", target)},
                 {"build.library"});
  } else if (name == "cuda_build_clean_target") {
    put_commands(port, command, {}, kCommand);
  } else if (name == "cuda_select_nvcc_arch_flags") {
    refuse(port.draft, command.begin, "R08", name + ": name the architectures instead");
  } else {
    const bool is_known = name.starts_with("cuda_compile") || name.starts_with("cuda_wrap") ||
                          name.starts_with("cuda_link") || name.starts_with("cuda_find") ||
                          name.starts_with("cuda_parse") || name.starts_with("cuda_unset");
    if (is_known)
      refuse(port.draft, command.begin, "N21", name + ": no command of CMake's for HIP");
  }
}

}  // namespace ambidex
