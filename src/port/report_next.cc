// SPDX-License-Identifier: Apache-2.0
#include "port/report_next.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace ambidex {
namespace {

// "hip/a.hip hip/b.hip", of what was compiled.
std::string sources_of(const PortRun& run, const std::string& folder) {
  std::string names;
  for (const CompiledSource& source : run.compiled) {
    const std::filesystem::path file(source.file);
    names += (names.empty() ? "" : " ") + file.lexically_relative(folder).generic_string();
  }
  return names;
}

bool has_file(const PortRun& run, std::string_view name) {
  return std::any_of(run.tree.files.begin(), run.tree.files.end(),
                     [&](const TranslatedFile& file) { return file.new_name == name; });
}

std::string build_lines(const PortRun& run, const PortRunOptions& options) {
  std::string text;
  if (has_file(run, "CMakeLists.txt")) text += "    cmake -S hip -B build && cmake --build build\n";
  if (has_file(run, "Makefile")) text += "    make -C hip\n";
  if (!text.empty() || run.compiled.empty()) return text;
  const bool is_one = run.programs.size() == 1;
  std::string arguments;
  for (const std::string& argument : options.arguments) arguments += " " + argument;
  return fmt::format(
      "    hipcc -std=c++17 -O2 --offload-arch=gfx942 --offload-arch=gfx950 -Ihip{} {}{}\n",
      arguments, is_one ? "" : "-c ", sources_of(run, options.folder));
}

std::string build_refusals(const PortRun& run) {
  std::string text;
  for (const TranslatedFile& file : run.tree.files) {
    if (!is_build_file(file.name)) continue;
    for (const TranslateRefusal& refusal : file.refusals) {
      text += fmt::format("- {}:{}: {}: {}\n", file.new_name, refusal.line, refusal.hazard,
                          refusal.reason);
    }
  }
  return text.empty() ? "" : "\nThe build files need a hand first:\n\n" + text;
}

// What becomes of kernels that are not right as they stand.
std::string left_kernels(const PortRun& run) {
  std::string partial, refused;
  for (const PortedKernel& kernel : run.kernels) {
    if (kernel.verdict == PortVerdict::partial) partial += " `" + kernel.kernel + "`";
    if (kernel.verdict == PortVerdict::refused) refused += " `" + kernel.kernel + "`";
  }
  std::string text;
  if (!refused.empty()) {
    text +=
        "\nREFUSED:" + refused +
        ". `hip/` still holds these as they were or wrong: **do not launch them**, they may hang "
        "the GPU. Where a rule has refused, a comment above the function says why, and the "
        "compiler warns unless it is given `-DAMBIDEX_ALLOW_REFUSED`.\n";
  }
  if (!partial.empty()) {
    text += "\nPARTIAL:" + partial +
            ". They compile, and too little of them was run to vouch for them: call them from the "
            "program, or move them to a source without `main`, where a contract is made.\n";
  }
  if (text.empty()) return "";
  return text +
         "\nEdit a copy of `hip/` by the reasons above (`ambidex port explain ID` has a page for "
         "each hazard) and judge it by `ambidex port verify original COPY`, or let a model do it: "
         "`ambidex port repair`.\n";
}

}  // namespace

std::string next_section(const PortRun& run, const PortRunOptions& options) {
  return fmt::format(
      "## What to do next\n\n"
      "`hip/` is the port, a whole tree. Build it here with ROCm 7.0 or later (6.2 or later for "
      "gfx942 alone):\n\n{}{}{}\n"
      "| here | what it is |\n| --- | --- |\n"
      "| `original/` | the sources as they were given |\n"
      "| `hip/` | the port; `ambidex_port.h` and its folder, if there, belong to it |\n"
      "| `port.patch`, `patches/` | the same as one patch, and as a series by hazard: `git am "
      "patches/*.patch` |\n"
      "| `edits.json` | every edit with its rule and hazard |\n"
      "| `hazards.json`, `hazards.sarif` | the findings in `original/` |\n"
      "| `objects/` | code objects for gfx942 and gfx950, and what they use |\n"
      "| `verdict.json`, `contracts/` | what was compared, and what kernels promise |\n"
      "| `bundle.json` | a hash of every file, for `ambidex port check` |\n"
      "| `work/` | modules and buffers of the verification; may be removed |\n\n",
      build_lines(run, options), build_refusals(run), left_kernels(run));
}

}  // namespace ambidex
