// SPDX-License-Identifier: Apache-2.0
#include "port/make_commands.h"

#include <algorithm>
#include <array>

namespace ambidex {
namespace {

// "/usr/local/cuda/bin/nvcc", "@hipcc", "CC=nvcc".
bool is_compiler(std::string_view word) {
  for (const std::string_view name : {"nvcc", "hipcc"}) {
    if (!word.ends_with(name)) continue;
    const size_t at = word.size() - name.size();
    if (at == 0 || !(is_name_char(word[at - 1]) || word[at - 1] == '-' || word[at - 1] == '.'))
      return true;
    if (word == "-" + std::string(name)) return true;
  }
  return false;
}

bool refers_to_compiler(std::string_view word, const MakeVariables& variables) {
  const std::vector<std::string> names = references_in(word);
  return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
    return variables.compilers.contains(name) || name == "NVCC" || name == "HIPCC";
  });
}

bool is_nvcc(std::string_view word, const MakeVariables& variables) {
  return is_compiler(word) || refers_to_compiler(word, variables);
}

// The words of a command with those of its variables in their place.
void expand(std::string_view word, const MakeVariables& variables, int depth,
            std::vector<std::string>& out) {
  out.emplace_back(word);
  if (depth == 0) return;
  for (const std::string& name : references_in(word)) {
    const auto found = variables.words.find(name);
    if (found == variables.words.end()) continue;
    for (const std::string& value : found->second) expand(value, variables, depth - 1, out);
  }
}

bool is_one_of(std::string_view word, const std::vector<std::string_view>& names) {
  return std::find(names.begin(), names.end(), word) != names.end();
}

}  // namespace

MakeVariables make_variables(const MakeText& read) {
  MakeVariables out;
  for (const MakeLine& line : read.lines) {
    if (line.kind == MakeLineKind::assignment) {
      std::vector<std::string>& words = out.words[line.name];
      for (const MakeList& list : line.lists) {
        for (const BuildWord& word : list.words) words.push_back(word.text);
      }
    }
    for (const MakeList& list : line.lists) {  // $(eval NAME += ...)
      const bool assigns =
          list.words.size() > 2 && is_one_of(list.words[1].text, {"=", ":=", "+=", "?="});
      for (size_t i = 2; assigns && i < list.words.size(); ++i) {
        out.words[list.words[0].text].push_back(list.words[i].text);
      }
    }
  }
  for (size_t round = 0; round < 4; ++round) {
    for (const auto& [name, words] : out.words) {
      const bool holds = std::any_of(words.begin(), words.end(),
                                     [&](const std::string& word) { return is_nvcc(word, out); });
      if (holds) out.compilers.insert(name);
    }
  }
  return out;
}

bool names_nvcc(const MakeList& list, const MakeVariables& variables) {
  return std::any_of(list.words.begin(), list.words.end(),
                     [&](const BuildWord& word) { return is_nvcc(word.text, variables); });
}

bool is_flag_variable(std::string_view name) {
  for (const std::string_view part : {"NV", "CU", "GPU", "GENCODE", "FLAGS", "ARCH"}) {
    if (name.find(part) != std::string_view::npos) return true;
  }
  return false;
}

LinkCommand link_command(const MakeList& list, const MakeVariables& variables) {
  LinkCommand link;
  if (!list.is_command || list.words.empty()) return link;
  std::vector<std::string> words;
  size_t compiler = list.words.size();
  for (size_t i = 0; i < list.words.size(); ++i) {
    expand(list.words[i].text, variables, 6, words);
    if (compiler == list.words.size() && is_nvcc(list.words[i].text, variables)) compiler = i;
  }
  bool makes = false, compiles = false, links_cuda = false;
  for (const std::string& word : words) {
    makes = makes || word == "-o" || word == "--output-file";
    compiles = compiles || is_one_of(word, {"-c",
                                            "-dc",
                                            "--device-c",
                                            "-dw",
                                            "--compile",
                                            "-M",
                                            "-MM",
                                            "-E",
                                            "-S",
                                            "-ptx",
                                            "--ptx",
                                            "-cubin",
                                            "--cubin",
                                            "-fatbin",
                                            "--fatbin",
                                            "-dlink",
                                            "--device-link",
                                            "-lib",
                                            "--lib",
                                            "--emit-static-lib",
                                            "--version",
                                            "-V"});
    link.has_relocatable = link.has_relocatable || word == "--hip-link";
    link.has_architecture = link.has_architecture || word.starts_with("--offload-arch") ||
                            word.starts_with("-arch") || word.starts_with("--gpu-architecture") ||
                            word.starts_with("-gencode") || word.starts_with("--generate-code");
    links_cuda = links_cuda || word.starts_with("-lcudart") || word == "-lamdhip64";
  }
  if (!makes || compiles) return link;
  if (compiler < list.words.size()) {
    link.kind = LinkKind::nvcc;
    link.compiler = compiler;
  } else if (links_cuda) {
    link.kind = LinkKind::other;
  }
  return link;
}

}  // namespace ambidex
