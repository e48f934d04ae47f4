// SPDX-License-Identifier: Apache-2.0
#include "port/translate_make.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "port/cuda_libraries.h"
#include "port/make_commands.h"
#include "port/make_text.h"
#include "port/nvcc_flags.h"

namespace ambidex {
namespace {

constexpr BuildWhy kCompiler{"build.compiler"};
constexpr BuildWhy kPath{"build.path", "", "ROCm's own folder"};

// Variables that name CUDA's folder; "CUDA" in them becomes "ROCM".
constexpr std::array<std::string_view, 11> kFolders{
    "CUDA_PATH", "CUDA_HOME",         "CUDA_ROOT",    "CUDA_DIR",
    "CUDADIR",   "CUDA_INSTALL_PATH", "CUDA_TOOLKIT", "CUDA_TOOLKIT_ROOT_DIR",
    "CUDA_BASE", "CUDA_TOOLKIT_PATH", "CUDA_PREFIX"};

struct MakePort {
  BuildDraft draft;
  MakeText read;
  MakeVariables variables;
};

bool is_folder_variable(std::string_view name) {
  return std::find(kFolders.begin(), kFolders.end(), name) != kFolders.end();
}

// "$(CUDA_PATH)/lib64" from the "$" on: the folder and what is below it.
void translate_below(MakePort& port, const MakeLine& line, size_t begin, size_t name_end,
                     bool is_known) {
  const std::string_view text = port.draft.text;
  const size_t folder_end = name_end + 1;
  size_t stop = folder_end;
  while (stop < line.end &&
         std::string_view(" \t\r\n\"';:,)}|&").find(text[stop]) == std::string_view::npos) {
    ++stop;
  }
  const std::string_view below = text.substr(folder_end, stop - folder_end);
  const std::optional<std::string> place = toolkit_place(below);
  if (!place && is_known) {
    refuse(port.draft, begin, "N21",
           fmt::format("{}: nothing of ROCm is known to be in this place; name it yourself",
                       text.substr(begin, stop - begin)));
  }
  if (!place || below == "/bin/nvcc") return;  // all of it becomes hipcc
  replace(port.draft, folder_end, stop, *place, kPath);
  const bool is_include =
      below.starts_with("/include") && begin >= 2 && text.substr(begin - 2, 2) == "-I";
  constexpr std::string_view kPlatform = " -D__HIP_PLATFORM_AMD__";
  if (is_include && !text.substr(stop).starts_with(kPlatform)) {
    replace(port.draft, stop, stop, kPlatform,
            {"build.flag", "", "HIP's headers ask for it where the host's compiler reads them"});
  }
}

// Variables of CUDA's folder, by the names that are usual and by what others are followed by.
void translate_folders(MakePort& port, const MakeLine& line) {
  const std::string_view text = port.draft.text;
  for (size_t at = line.begin; at < line.end; ++at) {
    if (!is_name_char(text[at])) continue;
    size_t end = at;
    while (end < line.end && is_name_char(text[end])) ++end;
    const std::string_view name = text.substr(at, end - at);
    const bool is_known = is_folder_variable(name);
    if (is_known) replace(port.draft, at, at + 4, "ROCM", {"build.variable"});
    const bool is_reference =
        at >= 2 && end < line.end && text[at - 2] == '$' &&
        ((text[at - 1] == '(' && text[end] == ')') || (text[at - 1] == '{' && text[end] == '}'));
    const bool is_of_cuda =
        name.find("CUDA") != std::string_view::npos || name.find("cuda") != std::string_view::npos;
    if (is_reference && is_of_cuda) translate_below(port, line, at - 2, end, is_known);
    at = end;
  }
}

// "nvcc", "/usr/local/cuda/bin/nvcc", "$(CUDA_PATH)/bin/nvcc", "@nvcc", "CC=nvcc".
void translate_compiler(MakePort& port, const BuildWord& word) {
  constexpr std::string_view kNvcc = "nvcc";
  if (!word.text.ends_with(kNvcc) || word.end - word.begin < kNvcc.size()) return;
  const std::string_view raw = port.draft.text.substr(word.begin, word.end - word.begin);
  const size_t at = raw.rfind(kNvcc);
  if (at > 0 && (is_name_char(raw[at - 1]) || raw[at - 1] == '-')) return;
  size_t begin = 0;
  if (at > 0 && raw[at - 1] == '/') {
    const size_t equals = raw.find('=');
    begin = equals == std::string_view::npos ? raw.find_first_not_of("@-+") : equals + 1;
    if (raw[begin] == '"' || raw[begin] == '\'') ++begin;
  } else {
    begin = at;
  }
  replace(port.draft, word.begin + begin, word.begin + at + kNvcc.size(), "hipcc", kCompiler);
}

void translate_library(MakePort& port, const BuildWord& word) {
  const CudaLibrary* const library =
      word.text.starts_with("-l") ? cuda_library(std::string_view(word.text).substr(2)) : nullptr;
  if (library == nullptr) {
    const CudaLibrary* const foreign = foreign_library_in(word.text);
    if (foreign != nullptr) {
      refuse(port.draft, word.begin, foreign->hazard,
             fmt::format("{}: {}", word.text.substr(0, 60), foreign->refusal));
    }
  } else if (!library->refusal.empty()) {
    refuse(port.draft, word.begin, library->hazard,
           fmt::format("{}: {}", word.text, library->refusal));
  } else if (library->link.empty()) {
    remove(port.draft, word.begin, word.end, {"build.library", library->hazard, library->note});
  } else {
    replace(port.draft, word.begin, word.end, library->link,
            {"build.library", library->hazard, library->note});
  }
}

// "nvcc --version", which a rule of the makefile reads.
void refuse_version(MakePort& port, const MakeList& list) {
  if (!names_nvcc(list, port.variables)) return;
  for (const BuildWord& word : list.words) {
    if (word.text != "--version" && word.text != "-V") continue;
    refuse(port.draft, word.begin, "R09",
           "the version of nvcc is asked for: versions of CUDA say nothing of ROCm");
  }
}

void translate_list(MakePort& port, const MakeLine& line, const MakeList& list) {
  const bool is_nvcc = names_nvcc(list, port.variables) || is_flag_variable(line.name);
  translate_flags(list.words, is_nvcc, port.draft);
  refuse_version(port, list);
  for (const BuildWord& word : list.words) {
    translate_compiler(port, word);
    translate_library(port, word);
  }
}

// "$(addprefix -Xcompiler ,$(CFLAGS))" as its second argument.
void translate_call(MakePort& port, const MakeCall& call) {
  if (call.name != "addprefix" || call.arguments.size() != 2) return;
  const std::string_view text = port.draft.text;
  std::string_view prefix =
      text.substr(call.arguments[0].begin, call.arguments[0].end - call.arguments[0].begin);
  while (!prefix.empty() && (prefix.back() == ' ' || prefix.back() == '=')) prefix.remove_suffix(1);
  if (prefix != "-Xcompiler" && prefix != "--compiler-options") return;
  const MakeCall::Argument& rest = call.arguments[1];
  const BuildWhy why{"build.flag", "", "hipcc takes it as it is"};
  replace(port.draft, call.begin, rest.begin, "", why);
  replace(port.draft, rest.end, call.end, "", why);
}

// Device code that is linked across files is linked by hipcc, and told so.
void translate_links(MakePort& port) {
  for (const MakeLine& line : port.read.lines) {
    for (const MakeList& list : line.lists) {
      const LinkCommand link = link_command(list, port.variables);
      if (link.kind == LinkKind::none) continue;
      if (link.kind == LinkKind::other) {
        refuse(port.draft, list.words[0].begin, "N21",
               "device code is linked across files, which hipcc does: give -fgpu-rdc --hip-link");
        continue;
      }
      std::string flags = link.has_relocatable ? "" : " -fgpu-rdc --hip-link";
      if (!link.has_architecture) flags += " " + std::string(kOffloadArchs);
      if (flags.empty()) continue;
      const size_t at = list.words[link.compiler].end;
      replace(port.draft, at, at, flags,
              {"build.relocatable", "", "device code is linked across files by -fgpu-rdc"});
    }
  }
}

}  // namespace

bool asks_for_relocatable(std::string_view text) {
  BuildDraft scratch{.text = text, .edits = {}, .refusals = {}};
  const MakeText read = read_make(text);
  if (read.fault) return false;
  for (const MakeLine& line : read.lines) {
    for (const MakeList& list : line.lists) {
      if (translate_flags(list.words, false, scratch).relocatable) return true;
    }
  }
  return false;
}

BuildDraft translate_make(std::string_view text, bool rename, bool relocatable) {
  MakePort port{.draft = {.text = text, .edits = {}, .refusals = {}},
                .read = read_make(text),
                .variables = {}};
  if (port.read.fault) {
    refuse(port.draft, port.read.fault->offset, "R09",
           port.read.fault->what + ": the file is no makefile as it stands and was left alone");
    return port.draft;
  }
  port.variables = make_variables(port.read);
  port.draft.joins_by_commas = std::any_of(
      port.variables.words.begin(), port.variables.words.end(),
      [](const auto& variable) { return variable.second == std::vector<std::string>{","}; });
  for (const MakeLine& line : port.read.lines) {
    for (const MakeCall& call : line.calls) translate_call(port, call);
    for (const MakeList& list : line.lists) translate_list(port, line, list);
    translate_folders(port, line);
    replace_toolkit_paths(port.draft, line.begin, line.end);
    if (rename) rename_sources(port.draft, line.begin, line.end);
  }
  if (relocatable || asks_for_relocatable(text)) translate_links(port);
  settle(port.draft);
  return std::move(port.draft);
}

}  // namespace ambidex
