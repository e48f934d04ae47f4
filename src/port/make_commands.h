// SPDX-License-Identifier: Apache-2.0
// What a command of a makefile runs: nvcc or not, compiling or linking, with which flags.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "port/make_text.h"

namespace ambidex {

struct MakeVariables {
  std::map<std::string, std::vector<std::string>> words;  // of all values a variable is given
  std::set<std::string> compilers;                        // those that hold nvcc or hipcc
};

MakeVariables make_variables(const MakeText& read);

bool names_nvcc(const MakeList& list, const MakeVariables& variables);

/// "NVCCFLAGS", "GENCODE_FLAGS": a variable whose words are flags of a compiler.
bool is_flag_variable(std::string_view name);

enum class LinkKind : uint8_t { none, nvcc, other };
struct LinkCommand {
  LinkKind kind = LinkKind::none;
  size_t compiler = 0;  // number of its word
  bool has_relocatable = false;
  bool has_architecture = false;
};

/// Whether a command makes a program or a shared library, its variables' values read too; `other`
/// if it does by another linker than nvcc and links CUDA's runtime.
LinkCommand link_command(const MakeList& list, const MakeVariables& variables);

}  // namespace ambidex
