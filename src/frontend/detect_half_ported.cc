// SPDX-License-Identifier: Apache-2.0
// W07 in sources that somebody has begun to port: a warp's width that is 64 for AMD's compilers and
// 32 for all others, beside code that knows of 32 alone.
#include <algorithm>

#include "base/text.h"
#include "base/word_list.h"
#include "frontend/kernel_detectors.h"

namespace ambidex::syntax {
namespace {

bool is_named_by_warp(const std::string& name) { return has_any(to_lower(name), {"warp", "wave"}); }

const Token& name_of(const Program& program, const Macro& macro) {
  const SourceFile& file = program.view->files[macro.file];
  return file.tokens[static_cast<size_t>(macro.body.first - 1)];
}

// Its body is this number, and it stands where AMD's compilers alone come, or where they do not.
bool defines(const Program& program, const Macro& macro, std::string_view number, bool amd_only) {
  if (macro.function_like || macro.body.last != macro.body.first + 1) return false;
  const Token& body = program.view->files[macro.file].tokens[static_cast<size_t>(macro.body.first)];
  return body.text == number && body.amd_only == amd_only;
}

// Lane arithmetic with a plain 32 where the macro is used.
bool is_beside_32(const Kernels& kernels, const std::string& macro) {
  const auto& functions = kernels.program.functions;
  return std::any_of(functions.begin(), functions.end(), [&](const Function& function) {
    return function.device && has_word(*function.words, function.body, macro) &&
           kernels.lanes_of(function).arithmetic32;
  });
}

}  // namespace

void detect_half_ported(const Kernels& kernels, std::vector<Finding>& findings) {
  const Program& program = kernels.program;
  const auto& macros = program.view->macros;
  for (const Macro& wide : macros) {
    if (!is_named_by_warp(wide.name) || !defines(program, wide, "64", true)) continue;
    const auto narrow = std::find_if(macros.begin(), macros.end(), [&](const Macro& other) {
      return other.name == wide.name && defines(program, other, "32", false);
    });
    if (narrow == macros.end()) continue;
    const bool beside_32 = is_beside_32(kernels, wide.name);
    findings.push_back(finding_at(
        program.view->files[wide.file], name_of(program, wide), "W07",
        beside_32 ? Severity::s0 : Severity::s2, FixKind::agent,
        wide.name + " is 64 here, for AMD's compilers, and 32 at line " +
            std::to_string(narrow->line) + ": the port takes this branch, which CUDA never ran" +
            (beside_32 ? ", and code that uses it counts lanes by 32 as well; make it 32 here, "
                         "too, or widen all of it"
                       : "; make it 32 here, too, unless all that uses it was made for 64 lanes")));
  }
}

}  // namespace ambidex::syntax
