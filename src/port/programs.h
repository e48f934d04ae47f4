// SPDX-License-Identifier: Apache-2.0
// Which sources make a program: of a file, itself; of a folder, each source with main and all
// those without.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "port/modules.h"

namespace ambidex {

struct Program {
  std::string name;                    // of the source with main, without its extension
  std::vector<std::string> sources;    // that one first
  std::vector<std::string> arguments;  // -I for every folder with headers
  bool has_main = false;               // else there is nothing to run
  nlohmann::json
      facts;  // kernels, launches, errors of all sources, as `ambidex-clang facts` has them
  std::vector<std::string> words = {};  // of the command line that its main gets, without its name
};

/// throws Error(not_found) if there is no such path, Error(bad_input) if it is a folder without a
/// source of the dialect, or has one that cannot be read or is no text
void check_sources(const std::string& path, const std::string& dialect);

/// `arguments` with every -I below the folder `from` as the same folder below `to`, where both are.
std::vector<std::string> arguments_within(std::vector<std::string> arguments,
                                          const std::string& from, const std::string& to);

/// Programs of CUDA (.cu) or HIP (.hip) sources at `path`, with .cpp and .cc beside them.
///   dialect    "cuda" or "hip"
///   arguments  the user's -D, -I, -std; each program gets them. Folders of the tree are looked
///              through before others, so that a port finds its own headers
///   words      of the programs' command line
///   throws as check_sources
std::vector<Program> programs_of(const std::string& path, const std::string& dialect,
                                 const std::vector<std::string>& arguments,
                                 const std::vector<std::string>& words = {});

/// What build_module makes of a program, with its loads and stores checked.
ModuleSources module_sources(const Program& program, const std::string& dialect,
                             const std::string& folder);

/// The program of `ports` that `original` has become: translation keeps names. Null if none is.
const Program* partner_of(const Program& original, const std::vector<Program>& ports);

}  // namespace ambidex
