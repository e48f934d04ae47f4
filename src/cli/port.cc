// SPDX-License-Identifier: Apache-2.0
// ambidex port: CUDA sources to HIP, stage by stage.
#include "cli/port.h"

#include "cli/verbs.h"

namespace ambidex {

std::vector<std::string> clang_arguments(const std::vector<std::string>& defines,
                                         const std::vector<std::string>& folders) {
  std::vector<std::string> arguments;
  for (const std::string& define : defines) arguments.push_back("-D" + define);
  for (const std::string& folder : folders) arguments.push_back("-I" + folder);
  return arguments;
}

void add_port(CLI::App& app, Console& console) {
  CLI::App* port = app.add_subcommand("port", "Port CUDA kernels to AMD's 64-lane waves");
  port->require_subcommand(1);
  for (const AddPortStage add_stage : kPortStages) add_stage(*port, console);
}

}  // namespace ambidex
