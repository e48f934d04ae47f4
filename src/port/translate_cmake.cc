// SPDX-License-Identifier: Apache-2.0
#include "port/translate_cmake.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "port/cmake_port.h"
#include "port/cuda_libraries.h"
#include "port/nvcc_flags.h"

namespace ambidex {
namespace {

constexpr BuildWhy kLanguage{"build.language"};
constexpr BuildWhy kPackage{"build.package"};

// The list of languages in project(), enable_language() and check_language().
void translate_languages(CmakePort& port, const CmakeCommand& command) {
  for (size_t i = command.name == "project" ? 1 : 0; i < command.arguments.size(); ++i) {
    const CmakeArgument& argument = command.arguments[i];
    if (argument.text == "CUDA")
      replace(port.draft, argument.begin, argument.end, "HIP", kLanguage);
  }
}

// A language HIP is there since CMake 3.21.
void translate_minimum(CmakePort& port, const CmakeCommand& command) {
  for (const CmakeArgument& argument : command.arguments) {
    const std::string version(argument.text);
    if (version.empty() || std::isdigit(static_cast<unsigned char>(version[0])) == 0) continue;
    char* rest = nullptr;
    const long major = std::strtol(version.c_str(), &rest, 10);
    const long minor = *rest == '.' ? std::strtol(rest + 1, &rest, 10) : 0;
    const size_t dots = version.find("...");
    const size_t length = dots == std::string::npos ? version.size() : dots;
    if (major > 3 || (major == 3 && minor >= 21)) continue;
    const std::string highest = dots == std::string::npos ? "" : version.substr(dots + 3);
    const bool has_low_end = highest.starts_with("3.") && std::atoi(highest.c_str() + 2) < 21;
    replace(port.draft, argument.begin, has_low_end ? argument.end : argument.begin + length,
            "3.21", {"build.language", "", "CMake has the language HIP since 3.21"});
  }
}

void translate_set(CmakePort& port, const CmakeCommand& command) {
  const std::string_view name = first_of(command);
  const auto value = [&](size_t i) {
    return i < command.arguments.size() ? command.arguments[i].text : std::string_view();
  };
  const size_t cache =
      static_cast<size_t>(std::find_if(command.arguments.begin(), command.arguments.end(),
                                       [](const CmakeArgument& a) {
                                         return a.text == "CACHE" || a.text == "PARENT_SCOPE";
                                       }) -
                          command.arguments.begin());
  if (name == "CMAKE_CUDA_ARCHITECTURES") {
    translate_architectures(port, command, 1, cache, value(cache) == "CACHE");
  } else if (name == "CMAKE_CUDA_STANDARD" && command.arguments.size() > 1) {
    translate_standard(port, command.arguments[1]);
  } else if (name == "CUDA_SEPARABLE_COMPILATION" || name == "CMAKE_CUDA_SEPARABLE_COMPILATION") {
    put_commands(port, command, separable_commands(port, {}, value(1)),
                 {"build.relocatable", "", "device code is linked across files by -fgpu-rdc"});
  } else if (is_of_nvcc_alone(name)) {
    put_commands(port, command, {}, {"build.variable", "", "of nvcc alone"});
  } else if (name == "CMAKE_CUDA_COMPILER" || (name == "ENV{CUDACXX}")) {
    put_commands(port, command, {}, {"build.compiler", "", "CMake finds ROCm's clang by itself"});
  }
}

void translate_list(CmakePort& port, const CmakeCommand& command) {
  if (command.arguments.size() < 3 || command.arguments[1].text != "CMAKE_CUDA_ARCHITECTURES")
    return;
  if (first_of(command) == "APPEND" || first_of(command) == "PREPEND") {
    translate_architectures(port, command, 2, command.arguments.size(), false);
  } else if (first_of(command) == "REMOVE_ITEM") {
    refuse(port.draft, command.begin, "R08", "architectures of NVIDIA's taken away; name AMD's");
  }
}

// Words are flags in the arguments of these from the given number on.
bool holds_flags(const CmakeCommand& command) {
  static constexpr std::array<std::string_view, 16> kNames{"set",
                                                           "list",
                                                           "string",
                                                           "target_compile_options",
                                                           "add_compile_options",
                                                           "target_link_options",
                                                           "add_link_options",
                                                           "set_target_properties",
                                                           "set_property",
                                                           "set_source_files_properties",
                                                           "add_definitions",
                                                           "target_link_libraries",
                                                           "cuda_add_library",
                                                           "cuda_add_executable",
                                                           "append",
                                                           "target_compile_definitions"};
  return std::find(kNames.begin(), kNames.end(), command.name) != kNames.end();
}

// "" where lists are taken, " " where one string holds flags.
std::string_view joiner_of(const CmakeCommand& command, std::string_view variable) {
  if (variable == "CUDA_NVCC_FLAGS" || variable == "HIP_HIPCC_FLAGS") return ";";
  const bool is_string =
      variable.starts_with("CMAKE_") && variable.find("_FLAGS") != std::string_view::npos;
  const bool is_property =
      has_argument(command, "COMPILE_FLAGS") || has_argument(command, "LINK_FLAGS");
  return is_string || is_property ? " " : "";
}

// CUDA_NVCC_FLAGS may hold blanks, an option of CMake's may not.
void split_at_blanks(CmakePort& port, const CmakeCommand& command) {
  for (const CmakeArgument& argument : command.arguments) {
    if (argument.quoting != CmakeQuoting::quotes) continue;
    size_t at = argument.begin;
    while (at < argument.end) {
      size_t end = at;
      while (end < argument.end && (port.draft.text[end] == ' ' || port.draft.text[end] == '\n'))
        ++end;
      if (end == at) {
        ++at;
        continue;
      }
      replace(port.draft, at, end, ";", {"build.flag", "", "a list"});
      at = end;
    }
  }
}

// -lcublas among flags; target_link_libraries takes targets instead.
void translate_libraries(CmakePort& port, const CmakeCommand& command,
                         const std::vector<BuildWord>& words) {
  if (command.name == "target_link_libraries") return;
  for (const BuildWord& word : words) {
    if (!word.text.starts_with("-l")) continue;
    const CudaLibrary* const library = cuda_library(std::string_view(word.text).substr(2));
    if (library == nullptr) continue;
    const BuildWhy why{"build.library", library->hazard, library->note};
    if (!library->refusal.empty()) {
      refuse(port.draft, word.begin, library->hazard,
             fmt::format("{}: {}", word.text, library->refusal));
    } else if (library->link.empty()) {
      remove(port.draft, word.begin, word.end, why);
    } else {
      replace(port.draft, word.begin, word.end, library->link, why);
    }
  }
}

// -rdc=true among the flags of a compiler: the linker has to know too.
void add_link_of_relocatable(CmakePort& port, const CmakeCommand& command) {
  const bool is_of_target = command.name == "target_compile_options";
  const std::vector<std::string> targets{std::string(first_of(command))};
  const std::vector<std::string> lines =
      separable_commands(port, is_of_target ? targets : std::vector<std::string>{}, "ON");
  add_commands(port, command, {lines.back()},
               {"build.relocatable", "", "device code is linked across files by -fgpu-rdc"});
}

void translate_command_flags(CmakePort& port, const CmakeCommand& command) {
  if (!holds_flags(command)) return;
  const bool is_list = command.name == "list" || command.name == "string";
  const size_t number = is_list ? 1 : 0;
  const std::string_view variable =
      number < command.arguments.size() ? command.arguments[number].text : std::string_view();
  const bool is_nvcc = variable.find("CUDA") != std::string_view::npos ||
                       variable.find("NVCC") != std::string_view::npos;
  const bool in_expression = std::any_of(
      command.arguments.begin(), command.arguments.end(),
      [](const CmakeArgument& a) { return a.text.find("CUDA") != std::string_view::npos; });
  const std::vector<BuildWord> words =
      cmake_words(port.draft.text, command, 0, joiner_of(command, variable));
  const FlagsSeen seen = translate_flags(words, is_nvcc || in_expression, port.draft);
  if (seen.is_translated) add_link_of_relocatable(port, command);
  translate_libraries(port, command, words);
  if (variable == "CUDA_NVCC_FLAGS") split_at_blanks(port, command);
}

// A command line of nvcc's that the project spells itself.
void refuse_own_command(CmakePort& port, const CmakeCommand& command) {
  if (command.name != "add_custom_command" && command.name != "execute_process" &&
      command.name != "add_custom_target" && command.name != "find_program") {
    return;
  }
  for (const CmakeArgument& argument : command.arguments) {
    for (const std::string_view word :
         {"nvcc", "CUDA_NVCC_EXECUTABLE", "CUDAToolkit_NVCC_EXECUTABLE", "CMAKE_CUDA_COMPILER",
          "cuobjdump", "nvprune", "bin2c"}) {
      const size_t at = argument.text.find(word);
      if (at == std::string_view::npos) continue;
      const size_t end = at + word.size();
      if ((at > 0 && is_name_char(argument.text[at - 1])) ||
          (end < argument.text.size() && is_name_char(argument.text[end]))) {
        continue;
      }
      refuse(
          port.draft, argument.begin, "N21",
          fmt::format("{}: a command of {} by hand; say it to hipcc yourself", word, command.name));
    }
  }
}

void enter_block(CmakePort& port, const CmakeCommand& command) {
  static constexpr std::array<std::string_view, 6> kOpen{"if",       "foreach", "while",
                                                         "function", "macro",   "block"};
  const std::string& name = command.name;
  if (std::find(kOpen.begin(), kOpen.end(), name) != kOpen.end()) {
    port.packages.emplace_back();
  } else if (name == "elseif" || name == "else") {
    port.packages.back().clear();
  } else if (name.starts_with("end") && name != "enable_language" && port.packages.size() > 1 &&
             std::find(kOpen.begin(), kOpen.end(), name.substr(3)) != kOpen.end()) {
    port.packages.pop_back();
  }
}

void translate_command(CmakePort& port, const CmakeCommand& command) {
  const std::string& name = command.name;
  enter_block(port, command);
  if (name == "project" || name == "enable_language" || name == "check_language") {
    translate_languages(port, command);
  } else if (name == "find_package" || name == "find_dependency") {
    translate_package(port, command);
  } else if (name == "set" || name == "option" || name == "unset") {
    translate_set(port, command);
  } else if (name == "list") {
    translate_list(port, command);
  } else if (name == "set_target_properties" || name == "set_source_files_properties" ||
             name == "set_property") {
    translate_cmake_properties(port, command);
  } else if (name == "check_cuda_compiler_flag" || name == "check_cuda_source_compiles" ||
             name == "thrust_create_target") {
    refuse(port.draft, command.begin, name[0] == 't' ? "N20" : "N21",
           name + ": no such command for HIP");
  } else if (name == "include") {
    const std::string_view module = first_of(command);
    if (module.find("CUDA") != std::string_view::npos && module.starts_with("FindCUDA")) {
      refuse(port.draft, command.begin, "R08", fmt::format("include({}): of FindCUDA", module));
    }
  }
  translate_find_cuda(port, command);
  translate_command_flags(port, command);
  translate_cmake_arguments(port, command);
  refuse_own_command(port, command);
}

void refuse_kept_names(CmakePort& port) {
  for (const CmakeCommand& command : port.commands) {
    for (const CmakeArgument& argument : command.arguments) {
      const size_t at = argument.text.find(".cu");
      if (at == std::string_view::npos) continue;
      if (at + 3 < argument.text.size() && is_name_char(argument.text[at + 3])) continue;
      return refuse(port.draft, argument.begin, "R09",
                    fmt::format("{}: CMake takes a .cu for HIP only with the property LANGUAGE HIP "
                                "of the source; set it, or let sources be renamed",
                                argument.text));
    }
  }
}

bool gives_architectures(const CmakePort& port) {
  BuildDraft scratch{.text = port.draft.text, .edits = {}, .refusals = {}};
  return std::any_of(port.commands.begin(), port.commands.end(), [&](const CmakeCommand& command) {
    return holds_flags(command) &&
           translate_flags(cmake_words(scratch.text, command, 0, ""), false, scratch).architecture;
  });
}

}  // namespace

bool has_argument(const CmakeCommand& command, std::string_view text) {
  return std::any_of(command.arguments.begin(), command.arguments.end(),
                     [&](const CmakeArgument& argument) { return argument.text == text; });
}

std::string_view first_of(const CmakeCommand& command) {
  return command.arguments.empty() ? std::string_view() : command.arguments[0].text;
}

std::string indent_of(const CmakePort& port, const CmakeCommand& command) {
  const std::string_view text = port.draft.text;
  size_t begin = command.begin;
  while (begin > 0 && (text[begin - 1] == ' ' || text[begin - 1] == '\t')) --begin;
  const bool starts_line = begin == 0 || text[begin - 1] == '\n';
  return starts_line ? std::string(text.substr(begin, command.begin - begin)) : "";
}

void need_package(CmakePort& port, const CmakeCommand& command, std::string_view package) {
  for (const auto& block : port.packages) {
    if (block.contains(std::string(package))) return;
  }
  port.packages.back().insert(std::string(package));
  replace(port.draft, command.begin, command.begin,
          fmt::format("find_package({} REQUIRED)\n{}", package, indent_of(port, command)),
          kPackage);
}

void put_commands(CmakePort& port, const CmakeCommand& command,
                  const std::vector<std::string>& lines, const BuildWhy& why) {
  if (lines.empty()) return remove(port.draft, command.begin, command.end, why);
  std::string text;
  for (const std::string& line : lines) {
    text += (text.empty() ? "" : "\n" + indent_of(port, command)) + line;
  }
  replace(port.draft, command.begin, command.end, text, why);
}

void add_commands(CmakePort& port, const CmakeCommand& command,
                  const std::vector<std::string>& lines, const BuildWhy& why) {
  std::string text;
  for (const std::string& line : lines) text += "\n" + indent_of(port, command) + line;
  if (!text.empty()) replace(port.draft, command.end, command.end, text, why);
}

BuildDraft translate_cmake(std::string_view text, bool rename) {
  CmakePort port{
      .draft = {.text = text, .edits = {}, .refusals = {}}, .commands = {}, .rename = rename};
  CmakeText read = read_cmake(text);
  if (read.fault) {
    refuse(port.draft, read.fault->offset, "R09",
           read.fault->what + ": the file is no CMake as it stands and was left alone");
    return port.draft;
  }
  port.commands = std::move(read.commands);
  port.draft.joins_by_commas =
      std::any_of(port.commands.begin(), port.commands.end(), [](const CmakeCommand& command) {
        return (command.name == "string" || command.name == "list") && has_argument(command, ",");
      });
  port.has_architecture_flags = gives_architectures(port);
  for (const CmakeCommand& command : port.commands) {
    const bool makes = command.name == "add_library" || command.name == "add_executable";
    if (makes) port.own_targets.insert(std::string(first_of(command)));
  }
  for (const CmakeCommand& command : port.commands) translate_command(port, command);
  for (const CmakeCommand& command : port.commands) {
    const bool is_minimum = command.name == "cmake_minimum_required";
    if (is_minimum && !port.draft.edits.empty()) translate_minimum(port, command);
  }
  if (!rename) refuse_kept_names(port);
  settle(port.draft);
  return std::move(port.draft);
}

}  // namespace ambidex
