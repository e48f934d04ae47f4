// SPDX-License-Identifier: Apache-2.0
// A CMake file of CUDA while it becomes one of HIP: what its commands share.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "port/build_edits.h"
#include "port/cmake_text.h"

namespace ambidex {

struct CmakePort {
  BuildDraft draft;
  std::vector<CmakeCommand> commands;
  bool rename = true;
  bool has_architecture_flags = false;     // the file gives -gencode and its kin as flags
  std::set<std::string> own_targets = {};  // of add_library and add_executable
  std::vector<std::set<std::string>> packages = {{}};  // found so far, in each block around
};

bool has_argument(const CmakeCommand& command, std::string_view text);
/// The text of its first argument, or none.
std::string_view first_of(const CmakeCommand& command);

/// find_package and find_dependency.
void translate_package(CmakePort& port, const CmakeCommand& command);
/// cuda_add_executable and the other commands of FindCUDA.
void translate_find_cuda(CmakePort& port, const CmakeCommand& command);

/// The blanks before a command on its line.
std::string indent_of(const CmakePort& port, const CmakeCommand& command);

/// Sees to it that `package` is found before `command`.
void need_package(CmakePort& port, const CmakeCommand& command, std::string_view package);

/// Edits of what any command's arguments may hold: variables, libraries, languages, names of
/// sources, places of the toolkit.
void translate_cmake_arguments(CmakePort& port, const CmakeCommand& command);

/// CMAKE_CUDA_FLAGS as CMAKE_HIP_FLAGS; empty: no variable of CUDA that has one of HIP.
std::string hip_variable(std::string_view name);

/// CUDA_ARCHITECTURES as HIP_ARCHITECTURES.
std::string hip_property(std::string_view name);

/// Of a variable or property that means nothing for HIP: where it is set, that goes.
bool is_of_nvcc_alone(std::string_view name);

/// Edits of the values of CMAKE_CUDA_ARCHITECTURES or CUDA_ARCHITECTURES: arguments [first, last).
void translate_architectures(CmakePort& port, const CmakeCommand& command, size_t first,
                             size_t last, bool is_one_value);

/// Edits of the value of CMAKE_CUDA_STANDARD or CUDA_STANDARD: C++17 at least.
void translate_standard(CmakePort& port, const CmakeArgument& argument);

/// CUDA_SEPARABLE_COMPILATION set to `value` for each target, or for the folder if there is none:
/// the commands that say it to HIP, each on a line of its own with `indent` before it.
std::vector<std::string> separable_commands(const CmakePort& port,
                                            const std::vector<std::string>& targets,
                                            std::string_view value);

/// The properties of set_target_properties, set_source_files_properties and set_property.
void translate_cmake_properties(CmakePort& port, const CmakeCommand& command);

/// `lines` in the place of [begin, end) of the command's line; none: the command goes.
void put_commands(CmakePort& port, const CmakeCommand& command,
                  const std::vector<std::string>& lines, const BuildWhy& why);
/// `lines` behind the command.
void add_commands(CmakePort& port, const CmakeCommand& command,
                  const std::vector<std::string>& lines, const BuildWhy& why);

}  // namespace ambidex
