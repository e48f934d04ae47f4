// SPDX-License-Identifier: Apache-2.0
// ambidex port: CUDA sources to HIP, stage by stage.
#include "cli/port.h"

#include <fmt/format.h>

#include "cli/verbs.h"

namespace ambidex {

std::vector<std::string> clang_arguments(const std::vector<std::string>& defines,
                                         const std::vector<std::string>& folders) {
  std::vector<std::string> arguments;
  for (const std::string& define : defines) arguments.push_back("-D" + define);
  for (const std::string& folder : folders) arguments.push_back("-I" + folder);
  return arguments;
}

std::string verdicts_text(const PortRun& run) {
  std::string text;
  for (const PortedKernel& kernel : run.kernels) {
    text += fmt::format("{:<16} {}", name_of(kernel.verdict), kernel.kernel);
    if (kernel.num_cases > 0) {
      text +=
          fmt::format("  ({} cases, {} bit-identical)", kernel.num_cases, kernel.num_bit_identical);
    }
    text += "\n";
    if (!kernel.reason.empty()) text += fmt::format("                 {}\n", kernel.reason);
  }
  return text + fmt::format("\n{} of {} kernels PASS-UNMEASURED\n",
                            run.count(PortVerdict::pass_unmeasured), run.kernels.size());
}

void add_port(CLI::App& app, Console& console) {
  CLI::App* port = app.add_subcommand("port", "Port CUDA kernels to AMD's 64-lane waves");
  port->require_subcommand(1);
  for (const AddPortStage add_stage : kPortStages) add_stage(*port, console);
}

}  // namespace ambidex
