// SPDX-License-Identifier: Apache-2.0
#include "port/build_flags.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace ambidex {
namespace {

struct Flag {
  std::string_view text;
  Severity severity;
  std::string_view message;
};

// Facts on nvcc: its options -use_fast_math, -ftz, -prec-div, -prec-sqrt, -fmad; on clang: its
// manual, "Controlling floating point behavior".
constexpr std::array<Flag, 10> kFlags{{
    {"use_fast_math", Severity::s0,
     "-ffast-math is no substitute: clang then assumes that no NaN or infinity exists, and does "
     "not "
     "flush fp32 denormals; use -fgpu-flush-denormals-to-zero and approximate functions by name"},
    {"-ffast-math", Severity::s0,
     "with it clang assumes that no NaN or infinity exists: isnan is false, masks of -infinity are "
     "undefined; leave it out"},
    {"-ffinite-math-only", Severity::s0,
     "NaN and infinity become undefined behaviour; leave it out"},
    {"-Ofast", Severity::s0, "contains -ffast-math for clang; use -O3"},
    {"-ftz=true", Severity::s2, "clang does not know it; use -fgpu-flush-denormals-to-zero"},
    {"-prec-div=false", Severity::s2,
     "clang does not know it; use -freciprocal-math or __fdividef where it is meant"},
    {"-prec-sqrt=false", Severity::s2,
     "clang does not know it; use an approximate square root by name where it is meant"},
    {"-fmad=false", Severity::s2, "clang does not know it; use -ffp-contract=off"},
    {"-fmad=true", Severity::s2, "clang does not know it; use -ffp-contract=fast"},
    {"-ftz=false", Severity::s2, "clang does not know it; it keeps denormals by default"},
}};

std::string_view file_name(std::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// The line without its comment: # of CMake, make, Python and Starlark, outside of quotes.
std::string_view code_of(std::string_view line) {
  char quote = '\0';
  for (size_t i = 0; i < line.size(); ++i) {
    if (quote == '\0' && line[i] == '#') return line.substr(0, i);
    if (line[i] == '"' || line[i] == '\'') {
      quote = quote == '\0' ? line[i] : quote == line[i] ? '\0' : quote;
    }
  }
  return line;
}

/// Where a whole flag begins in the line; npos if it does not.
size_t position_of(std::string_view line, const Flag& flag) {
  for (size_t at = line.find(flag.text); at != std::string_view::npos;
       at = line.find(flag.text, at + 1)) {
    const size_t end = at + flag.text.size();
    const bool ends = end >= line.size() || !is_word(line[end]);
    const bool begins = flag.text.front() == '-' || (at > 0 && line[at - 1] == '-');
    if (ends && begins) return at;
  }
  return std::string_view::npos;
}

std::string trimmed(std::string_view line) {
  const size_t start = line.find_first_not_of(" \t");
  if (start == std::string_view::npos) return "";
  const size_t end = line.find_last_not_of(" \t\r");
  return std::string(line.substr(start, std::min<size_t>(end - start + 1, 200)));
}

}  // namespace

bool is_build_file(std::string_view path) {
  const std::string_view name = file_name(path);
  constexpr std::array<std::string_view, 9> kNames{"CMakeLists.txt", "Makefile",    "makefile",
                                                   "GNUmakefile",    "setup.py",    "BUILD",
                                                   "BUILD.bazel",    "meson.build", "Makefile.am"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end() ||
         name.ends_with(".cmake") || name.ends_with(".mk") || name.ends_with(".bzl");
}

std::vector<Finding> scan_build_file(const std::string& path, std::string_view text) {
  std::vector<Finding> findings;
  int64_t number = 0;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text = end == std::string_view::npos ? "" : text.substr(end + 1);
    ++number;
    const std::string_view code = code_of(line);
    for (const Flag& flag : kFlags) {
      const size_t at = position_of(code, flag);
      if (at == std::string_view::npos) continue;
      findings.push_back({.id = "N12",
                          .severity = flag.severity,
                          .file = path,
                          .line = number,
                          .column = static_cast<int64_t>(at) + 1,
                          .message = fmt::format("{}: {}", flag.text, flag.message),
                          .fix = FixKind::rule,
                          .evidence = trimmed(line)});
    }
  }
  return findings;
}

}  // namespace ambidex
