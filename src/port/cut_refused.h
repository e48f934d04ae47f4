// SPDX-License-Identifier: Apache-2.0
// A program without what is refused in it, so that one kernel that does not compile keeps no other
// of its file from being judged.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "port/programs.h"
#include "port/translate.h"

namespace ambidex {

/// A function that holds a refused line.
struct RefusedFunction {
  std::string name;  // of the kernel, or of one that calls it
  std::string file;
  int64_t line = 0, end_line = 0;  // of the function
  std::string reason;              // "scan.cu:17: N01: ..."
};

/// Kernels and functions of `original` in which `tree` has refusals, each function once.
std::vector<RefusedFunction> refused_functions(const Program& original, const TranslatedTree& tree);

/// The text with the outermost braces of lines [line, end_line] emptied; nothing if they have none.
std::optional<std::string> without_body(const std::string& text, int64_t line, int64_t end_line);

/// The port of the tree at `source` with the bodies of `functions` emptied; made below `folder`.
/// Nothing if there is no such function, or one of another form.
std::optional<std::vector<Program>> port_without(const std::string& source,
                                                 const std::vector<RefusedFunction>& functions,
                                                 const std::vector<std::string>& arguments,
                                                 const std::string& folder);

}  // namespace ambidex
