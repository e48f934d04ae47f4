// SPDX-License-Identifier: Apache-2.0
// Is the code that the executor runs the code that a GPU gets? A HIP source can ask for the arch,
// for builtins or for a sanitizer, and be another program on each.
#pragma once

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "frontend/pass_text.h"

namespace ambidex {

inline constexpr const char* kGpuArchs[]{"gfx942", "gfx950"};

/// What the device's half of a HIP source is for one arch.
struct GpuText {
  std::string arch;
  std::string predefines;        // macros that the compiler defines, and -D and -include, as lines
  PassText text;                 // without ranges
  std::set<std::string> inputs;  // files that were read
};

/// Preprocesses `path`. Errors of the source are left to those who compile it.
GpuText read_gpu_text(const std::string& path, const std::vector<std::string>& arguments,
                      const std::string& arch);

/// Lines of #define for what `gpu_predefines` has and `predefines` has not, but for the names by
/// which our own headers know what they are compiled for.
std::string missing_macros(const std::string& predefines, const std::string& gpu_predefines);

/// Whether the executor's text is the GPU's, outside of host code. If not, an error is appended to
/// `diagnostics` that says where.
bool hold_to_gpu(const std::string& path, const std::vector<std::string>& arguments,
                 const PassText& executor, const GpuText& gpu, nlohmann::json& diagnostics);

/// {arch, file, line, message} of each other arch of kGpuArchs that gets other code than `gpu`.
/// Files that were read are added to `inputs`.
nlohmann::json other_archs(const std::string& path, const std::vector<std::string>& arguments,
                           const GpuText& gpu, std::set<std::string>& inputs);

}  // namespace ambidex
