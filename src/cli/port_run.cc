// SPDX-License-Identifier: Apache-2.0
// `ambidex port run PATH`: all stages, a verdict for each kernel.
#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "base/text.h"
#include "cli/command_words.h"
#include "cli/json.h"
#include "cli/parse.h"
#include "cli/port.h"
#include "port/bundle.h"
#include "port/left_hazards.h"
#include "port/run.h"

namespace ambidex {
namespace {

struct Options {
  PortRunOptions run;
  std::vector<std::string> defines, folders;
  bool json = false;
};

void run_stages(Options& options, Console& console) {
  options.run.arguments = clang_arguments(options.defines, options.folders);
  if (options.run.folder.empty()) options.run.folder = default_port_folder(options.run.path);
  const PortRun run = run_port(options.run);
  if (!run.all_pass()) console.exit_code = 1;
  const std::string& folder = options.run.folder;
  const nlohmann::ordered_json json{{"kernels", to_json(run.kernels)},
                                    {"num_hazards", run.scan.findings.size()},
                                    {"left_hazards", to_json(left_hazards(run.scan, run.tree))},
                                    {"folder", folder}};
  console.out = within_folder(
      options.json
          ? json.dump(2) + "\n"
          : verdicts_text(run) +
                fmt::format("the port, its evidence and REPORT.md are in {}\n", printable(folder)),
      folder);
}

}  // namespace

void add_port_run(CLI::App& port, Console& console) {
  const auto options = std::make_shared<Options>();
  CLI::App* const verb = port.add_subcommand(
      "run", "All stages: scan, translate, compile, verify; a verdict for each kernel");
  verb->add_option("PATH", options->run.path, "CUDA source or folder")->required();
  verb->add_option("-o,--output", options->run.folder,
                   "Folder for the port and its evidence; default: NAME-port, beside the "
                   "sources if you are in them");
  verb->add_option("-D", options->defines, "Macro of the build, NAME or NAME=VALUE")
      ->allow_extra_args(false);
  verb->add_option("-I", options->folders, "Folder with headers")->allow_extra_args(false);
  add_program_arguments(*verb, options->run.words);
  verb->add_option("--seed", options->run.key, "Of the values that are drawn")->check(at_least(0));
  verb->add_flag("--trusted", options->run.trusted,
                 "The code is your own: run it even where there is no sandbox");
  verb->add_flag("--json", options->json, "One JSON document");
  verb->footer(kVerdictsMean + std::string("Exit code 1: a kernel does not pass."));
  verb->callback([options, &console] { run_stages(*options, console); });
}

}  // namespace ambidex
