// SPDX-License-Identifier: Apache-2.0
#include "port/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "ambidex/base.h"
#include "base/text.h"
#include "port/report_tables.h"
#include "port/source_file.h"

namespace ambidex {
namespace {

bool is_a_build_file(const TranslatedFile& file) { return is_build_file(file.name); }

std::string next_steps(const PortRun& run) {
  const bool has_build = std::any_of(run.tree.files.begin(), run.tree.files.end(), is_a_build_file);
  std::string text =
      "## What to do with it\n\n"
      "`hip/` is the port";
  text += has_build ? ", with its build files: build it with ROCm as the original was built.\n"
                    : ": with ROCm, in `hip/`, `hipcc --offload-arch=gfx942 -I. SOURCE.hip`.\n";
  if (!run.all_pass()) {
    text +=
        "For what is PARTIAL or REFUSED: edit a copy of `hip/` and hold it to the original, "
        "`ambidex port verify original COPY`, or let a model try, `ambidex port repair`.\n";
  }
  return text +
         "`patches/` is the port as a series for review, a patch for each hazard: `git am "
         "patches/*.patch`; `port.patch` is all in one, `edits.json` every edit with its rule. "
         "`objects/` has code objects and what each kernel needs, `contracts/` what each kernel "
         "was "
         "held to, `work/` nothing to keep.\n\n";
}

// Headers that the run has taken from elsewhere, and the evidence does not hold.
std::string headers_elsewhere(const PortRunOptions& options) {
  std::string folders;
  const std::filesystem::path own = std::filesystem::path(options.folder) / "original";
  for (const std::string& word : options.arguments) {
    if (!word.starts_with("-I") || is_below(word.substr(2), own)) continue;
    folders += fmt::format("{}`{}`", folders.empty() ? "" : ", ", in_cell(word));
  }
  return folders;
}

std::string repetition(const PortRunOptions& options) {
  const std::string elsewhere = headers_elsewhere(options);
  const std::string needed =
      elsewhere.empty()
          ? "This folder holds all that is needed."
          : fmt::format(
                "This folder holds all that is needed but the headers of {}, which have to "
                "be where they were: name the folder that holds sources and headers "
                "instead, to have them here and ported.",
                elsewhere);
  return fmt::format(
      "## Repeat\n\n{} To make everything anew from `original/` alone and compare it with what is "
      "here:\n\n    ambidex port check {}\n",
      needed, elsewhere.empty() ? "." : "FOLDER");
}

}  // namespace

std::string port_report(const PortRun& run, const PortRunOptions& options) {
  return fmt::format(
             "# Port of {}\n\n"
             "By ambidex {}: {}, {} PASS, {} PASS-UNMEASURED, {} PARTIAL, {} REFUSED.\n\n",
             in_cell(name_of_sources(options)), AMBIDEX_VERSION,
             num_of(std::ssize(run.kernels), "kernel"), run.count(PortVerdict::pass),
             run.count(PortVerdict::pass_unmeasured), run.count(PortVerdict::partial),
             run.count(PortVerdict::refused)) +
         verdict_section(run) + native_section(run) + next_steps(run) + hazard_section(run) +
         edit_section(run.tree) + resource_section(run) + repetition(options);
}

}  // namespace ambidex
