// SPDX-License-Identifier: Apache-2.0
// Names of CUDA in the arguments of CMake's commands.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "port/cmake_port.h"
#include "port/cuda_libraries.h"

namespace ambidex {
namespace {

struct Renamed {
  std::string_view cuda, hip;
};

constexpr std::array<Renamed, 9> kVariables{{
    {"CUDA_FOUND", "hip_FOUND"},
    {"CUDAToolkit_FOUND", "hip_FOUND"},
    {"CUDA_INCLUDE_DIRS", "hip_INCLUDE_DIRS"},
    {"CUDA_TOOLKIT_INCLUDE", "hip_INCLUDE_DIRS"},
    {"CUDAToolkit_INCLUDE_DIRS", "hip_INCLUDE_DIRS"},
    {"CMAKE_CUDA_TOOLKIT_INCLUDE_DIRECTORIES", "hip_INCLUDE_DIRS"},
    {"CUDA_NVCC_FLAGS", "HIP_HIPCC_FLAGS"},
    {"CUDACXX", "HIPCXX"},
    {"CUDAFLAGS", "HIPFLAGS"},
}};

// What follows CMAKE_CUDA_ and is there for HIP too, or goes on from it.
constexpr std::array<std::string_view, 17> kOfLanguage{
    "ARCHITECTURES",         "COMPILER",         "COMPILER_ID",       "COMPILER_LAUNCHER",
    "COMPILER_LOADED",       "COMPILER_WORKS",   "COMPILER_ABI",      "STANDARD",
    "STANDARD_REQUIRED",     "EXTENSIONS",       "VISIBILITY_PRESET", "COMPILE_FEATURES",
    "LINKER_LAUNCHER",       "OUTPUT_EXTENSION", "LINK_EXECUTABLE",   "STANDARD_LIBRARIES",
    "SOURCE_FILE_EXTENSIONS"};

constexpr std::array<Renamed, 6> kProperties{{
    {"CUDA_ARCHITECTURES", "HIP_ARCHITECTURES"},
    {"CUDA_STANDARD", "HIP_STANDARD"},
    {"CUDA_STANDARD_REQUIRED", "HIP_STANDARD_REQUIRED"},
    {"CUDA_EXTENSIONS", "HIP_EXTENSIONS"},
    {"CUDA_VISIBILITY_PRESET", "HIP_VISIBILITY_PRESET"},
    {"CUDA_COMPILER_LAUNCHER", "HIP_COMPILER_LAUNCHER"},
}};

constexpr std::array<std::string_view, 17> kOfNvcc{"CMAKE_CUDA_RUNTIME_LIBRARY",
                                                   "CMAKE_CUDA_RESOLVE_DEVICE_SYMBOLS",
                                                   "CMAKE_CUDA_HOST_COMPILER",
                                                   "CMAKE_CUDA_HOST_LINK_LAUNCHER",
                                                   "CUDA_RUNTIME_LIBRARY",
                                                   "CUDA_RESOLVE_DEVICE_SYMBOLS",
                                                   "CUDA_SOURCE_PROPERTY_FORMAT",
                                                   "CUDA_PROPAGATE_HOST_FLAGS",
                                                   "CUDA_VERBOSE_BUILD",
                                                   "CUDA_HOST_COMPILER",
                                                   "CUDA_USE_STATIC_CUDA_RUNTIME",
                                                   "CUDA_ATTACH_VS_BUILD_RULE_TO_CUDA_FILE",
                                                   "CUDA_BUILD_EMULATION",
                                                   "CUDA_HOST_COMPILATION_CPP",
                                                   "CUDA_64_BIT_DEVICE_CODE",
                                                   "CUDA_LINK_LIBRARIES_KEYWORD",
                                                   "CUDA_BUILD_CUBIN"};

// Of FindCUDA, with no counterpart.
constexpr std::array<std::string_view, 13> kUnknown{
    "CUDA_VERSION",
    "CUDA_VERSION_MAJOR",
    "CUDA_VERSION_MINOR",
    "CUDA_VERSION_STRING",
    "CUDA_TOOLKIT_ROOT_DIR",
    "CUDA_TOOLKIT_TARGET_DIR",
    "CUDA_SDK_ROOT_DIR",
    "CUDA_NVCC_EXECUTABLE",
    "CUDA_ARCH_LIST",
    "CUDA_HAS_FP16",
    "CUDA_NVCC_FLAGS_DEBUG",
    "CUDA_NVCC_FLAGS_RELEASE",
    "CUDA_GENERATED_OUTPUT_DIR",
};

template <class Rows>
std::string renamed(const Rows& rows, std::string_view name) {
  const auto* const found =
      std::find_if(rows.begin(), rows.end(), [&](const Renamed& row) { return row.cuda == name; });
  return found == rows.end() ? "" : std::string(found->hip);
}

template <class List>
bool holds(const List& list, std::string_view name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

constexpr BuildWhy kVariable{"build.variable"};
constexpr BuildWhy kLanguage{"build.language"};

void refuse_variable(CmakePort& port, size_t at, std::string_view name) {
  const bool is_version = name.find("VERSION") != std::string_view::npos;
  refuse(port.draft, at, is_version ? "R09" : "N21",
         fmt::format("{}: {}", name,
                     is_version ? "versions of CUDA say nothing of ROCm; decide by hip_VERSION"
                                : "has no counterpart; say what it is for in terms of ROCm"));
}

// A variable that stands in [begin, end), with ${...} around it from `outer_begin` if that is less.
void translate_variable(CmakePort& port, const CmakeCommand& command, size_t begin, size_t end,
                        size_t outer_begin) {
  const std::string_view name = port.draft.text.substr(begin, end - begin);
  const bool is_reference = outer_begin < begin;
  const CudaLibrary* const library = cuda_library_of_variable(name);
  if (library != nullptr && is_reference && library->refusal.empty() && !library->target.empty()) {
    replace(port.draft, outer_begin, end + 1, library->target,
            {"build.library", library->hazard, library->note});
    return need_package(port, command, library->package);
  }
  if (library != nullptr) {
    return refuse(
        port.draft, begin, library->hazard.empty() ? "N21" : library->hazard,
        fmt::format("{}: {}", name,
                    library->refusal.empty() ? "name the library itself" : library->refusal));
  }
  const std::string hip = hip_variable(name);
  if (!hip.empty()) {
    replace(port.draft, begin, end, hip, kVariable);
    if (hip == "hip_INCLUDE_DIRS") need_package(port, command, "hip");
    return;
  }
  if (is_of_nvcc_alone(name) && !is_reference) return;  // of the command that sets it
  if (name.starts_with("CMAKE_CUDA_") || name.starts_with("CUDAToolkit_") ||
      holds(kUnknown, name) || is_of_nvcc_alone(name)) {
    refuse_variable(port, begin, name);
  }
}

// ${NAME}, $ENV{NAME} and ${A_${NAME}} within an argument; escaped ones are text.
void translate_references(CmakePort& port, const CmakeCommand& command,
                          const CmakeArgument& argument) {
  const std::string_view text = port.draft.text;
  for (size_t at = argument.begin; at < argument.end; ++at) {
    if (text[at] == '\\') {
      ++at;
      continue;
    }
    if (text[at] != '$') continue;
    size_t open = at + 1;
    while (open < argument.end && is_name_char(text[open])) ++open;
    if (open >= argument.end || text[open] != '{') continue;
    size_t end = open + 1;
    while (end < argument.end && (is_name_char(text[end]) || text[end] == '-')) ++end;
    if (end < argument.end && text[end] == '}') {
      translate_variable(port, command, open + 1, end, at);
    }
  }
}

// "CXX,CUDA" behind "COMPILE_LANGUAGE:".
void translate_language_list(CmakePort& port, size_t begin, size_t end, bool has_id) {
  const std::string_view text = port.draft.text;
  size_t at = begin;
  bool is_cuda = false;
  while (at < end) {
    const size_t stop = std::min(std::min(text.find(',', at), text.find('>', at)), end);
    const std::string_view word = text.substr(at, stop - at);
    if (word == "CUDA") {
      replace(port.draft, at, stop, "HIP", kLanguage);
      is_cuda = true;
    } else if (word == "NVIDIA" && (is_cuda || !has_id)) {
      replace(port.draft, at, stop, "Clang", kLanguage);
    } else if (word == "Clang" && is_cuda && has_id) {
      refuse(port.draft, at, "N21", "CUDA,Clang: clang's flags for CUDA are not translated");
    }
    if (stop >= end || text[stop] == '>') return;
    at = stop + 1;
  }
}

void translate_expressions(CmakePort& port, const CmakeArgument& argument) {
  const std::string_view text = port.draft.text;
  for (const std::string_view name :
       {"COMPILE_LANGUAGE:", "LINK_LANGUAGE:", "COMPILE_LANG_AND_ID:", "LINK_LANG_AND_ID:"}) {
    for (size_t at = text.find(name, argument.begin); at < argument.end;
         at = text.find(name, at + 1)) {
      translate_language_list(port, at + name.size(), argument.end,
                              name.find("AND_ID") != std::string_view::npos);
    }
  }
  constexpr std::string_view kId = "$<CUDA_COMPILER_ID:";
  for (size_t at = text.find(kId, argument.begin); at < argument.end; at = text.find(kId, at + 1)) {
    replace(port.draft, at, at + kId.size(), "$<HIP_COMPILER_ID:", kLanguage);
    translate_language_list(port, at + kId.size(), argument.end, false);
  }
  constexpr std::string_view kVersion = "CUDA_COMPILER_VERSION";
  const size_t version = text.find("$<" + std::string(kVersion), argument.begin);
  if (version < argument.end) refuse_variable(port, version, kVersion);
}

void put_target(CmakePort& port, const CmakeCommand& command, size_t begin, size_t end,
                const CudaLibrary& library) {
  const std::string_view name = port.draft.text.substr(begin, end - begin);
  if (library.target.empty()) {
    if (library.refusal.empty()) return remove(port.draft, begin, end, {"build.library"});
    return refuse(port.draft, begin, library.hazard, fmt::format("{}: {}", name, library.refusal));
  }
  replace(port.draft, begin, end, library.target, {"build.library", library.hazard, library.note});
  need_package(port, command, library.package);
}

// CUDA::cublas, wherever it stands.
void translate_targets(CmakePort& port, const CmakeCommand& command,
                       const CmakeArgument& argument) {
  const std::string_view text = port.draft.text;
  constexpr std::string_view kSpace = "CUDA::";
  for (size_t at = text.find(kSpace, argument.begin); at < argument.end;
       at = text.find(kSpace, at + 1)) {
    size_t end = at + kSpace.size();
    while (end < argument.end && (is_name_char(text[end]) || text[end] == '-')) ++end;
    const std::string_view name = text.substr(at + kSpace.size(), end - at - kSpace.size());
    const CudaLibrary* const library = cuda_library(name);
    if (library != nullptr) {
      put_target(port, command, at, end, *library);
    } else {
      refuse(port.draft, at, "N21",
             fmt::format("CUDA::{}: no library of ROCm is known for it", name));
    }
  }
}

// "cudart" or "-lcudart", as an argument of target_link_libraries.
void translate_link_name(CmakePort& port, const CmakeCommand& command,
                         const CmakeArgument& argument) {
  std::string_view name = argument.text;
  if (name.starts_with("-l")) name.remove_prefix(2);
  if (port.own_targets.contains(std::string(name)) || name == "toolkit") return;
  const CudaLibrary* const library = cuda_library(name);
  if (library == nullptr) return;
  put_target(port, command, argument.outer_begin, argument.outer_end, *library);
}

void translate_word(CmakePort& port, const CmakeCommand& command, size_t number) {
  const CmakeArgument& argument = command.arguments[number];
  const std::string_view before = number == 0 ? "" : command.arguments[number - 1].text;
  const std::string_view after =
      number + 1 < command.arguments.size() ? command.arguments[number + 1].text : "";
  const std::string_view text = argument.text;
  const bool is_language = before == "LANGUAGE" || before == "LINKER_LANGUAGE" ||
                           (command.name == "if" && after == "IN_LIST");
  if (text == "CUDA" && is_language) {
    replace(port.draft, argument.begin, argument.end, "HIP", kLanguage);
  } else if (text.starts_with("cuda_std_")) {
    const bool is_old = text == "cuda_std_03" || text == "cuda_std_11" || text == "cuda_std_14";
    replace(port.draft, argument.begin, argument.end,
            is_old ? "hip_std_17" : "hip" + std::string(text.substr(4)), kLanguage);
  } else if (const std::string hip = hip_property(text); !hip.empty()) {
    replace(port.draft, argument.begin, argument.end, hip, kVariable);
  } else if (argument.quoting == CmakeQuoting::none) {
    const bool is_name = !text.empty() && std::all_of(text.begin(), text.end(), is_name_char);
    if (is_name) translate_variable(port, command, argument.begin, argument.end, argument.begin);
  }
}

// if(CMAKE_CUDA_COMPILER_ID STREQUAL "NVIDIA"): flags within are clang's by then.
void translate_condition(CmakePort& port, const CmakeCommand& command) {
  const auto names = [&](std::string_view name) {
    return std::any_of(command.arguments.begin(), command.arguments.end(),
                       [&](const CmakeArgument& argument) {
                         return argument.text.find(name) != std::string_view::npos;
                       });
  };
  const bool by_compiler = names("CMAKE_CUDA_COMPILER_ID");
  const bool by_architecture = names("CUDA_ARCHITECTURES");
  for (const CmakeArgument& argument : command.arguments) {
    const bool is_number = !argument.text.empty() &&
                           argument.text.find_first_not_of("0123456789") == std::string::npos;
    if (by_compiler && argument.text == "NVIDIA") {
      replace(port.draft, argument.begin, argument.end, "Clang", kLanguage);
    } else if (by_architecture && is_number) {
      refuse(port.draft, argument.begin, "R08",
             fmt::format("{}: an architecture of NVIDIA's in a condition; name AMD's, as gfx942",
                         argument.text));
    }
  }
}

// Named anywhere, they are refused: whoever builds must decide.
void refuse_foreign(CmakePort& port, const CmakeArgument& argument) {
  if (argument.text.find("CUDA::") != std::string_view::npos) return;  // by the target
  const CudaLibrary* const library = foreign_library_in(argument.text);
  if (library == nullptr) return;
  refuse(port.draft, argument.begin, library->hazard,
         fmt::format("{}: {}", argument.text.substr(0, 60), library->refusal));
}

}  // namespace

std::string hip_variable(std::string_view name) {
  constexpr std::string_view kLanguagePrefix = "CMAKE_CUDA_";
  if (const std::string hip = renamed(kVariables, name); !hip.empty()) return hip;
  if (!name.starts_with(kLanguagePrefix)) return "";
  const std::string_view rest = name.substr(kLanguagePrefix.size());
  const bool is_same =
      holds(kOfLanguage, rest) || rest.starts_with("FLAGS") || rest.starts_with("IMPLICIT_");
  return is_same ? "CMAKE_HIP_" + std::string(rest) : "";
}

std::string hip_property(std::string_view name) { return renamed(kProperties, name); }

bool is_of_nvcc_alone(std::string_view name) { return holds(kOfNvcc, name); }

void translate_cmake_arguments(CmakePort& port, const CmakeCommand& command) {
  const bool is_condition =
      command.name == "if" || command.name == "elseif" || command.name == "while";
  const bool links = command.name == "target_link_libraries" || command.name == "link_libraries";
  if (is_condition) translate_condition(port, command);
  for (size_t i = 0; i < command.arguments.size(); ++i) {
    const CmakeArgument& argument = command.arguments[i];
    if (argument.quoting == CmakeQuoting::brackets) continue;
    translate_word(port, command, i);
    translate_references(port, command, argument);
    translate_expressions(port, argument);
    translate_targets(port, command, argument);
    if (links && i > 0) translate_link_name(port, command, argument);
    refuse_foreign(port, argument);
    replace_toolkit_paths(port.draft, argument.begin, argument.end);
    if (port.rename) rename_sources(port.draft, argument.begin, argument.end);
  }
}

}  // namespace ambidex
