// SPDX-License-Identifier: Apache-2.0
#include "port/report.h"

#include <fmt/format.h>

#include <filesystem>

#include "ambidex/base.h"
#include "base/text.h"
#include "port/report_next.h"
#include "port/report_tables.h"
#include "port/source_file.h"

namespace ambidex {
namespace {

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
         verdict_section(run) + native_section(run) + hazard_section(run) + edit_section(run.tree) +
         resource_section(run) + next_section(run, options) + repetition(options);
}

}  // namespace ambidex
