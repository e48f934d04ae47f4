// SPDX-License-Identifier: Apache-2.0
// `ambidex port run PATH`: all stages, a verdict for each kernel.
#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "base/files.h"
#include "cli/json.h"
#include "cli/port.h"
#include "port/report.h"
#include "port/run.h"

namespace ambidex {
namespace {

struct Options {
  PortRunOptions run;
  std::vector<std::string> defines, folders;
  bool json = false;
};

nlohmann::ordered_json json_of(const PortRun& run, const std::string& folder) {
  nlohmann::ordered_json kernels = nlohmann::ordered_json::array();
  for (const PortedKernel& kernel : run.kernels) {
    kernels.push_back({{"kernel", kernel.kernel},
                       {"program", kernel.program},
                       {"verdict", name_of(kernel.verdict)},
                       {"reason", kernel.reason},
                       {"num_cases", kernel.num_cases},
                       {"num_bit_identical", kernel.num_bit_identical}});
  }
  return {{"kernels", std::move(kernels)},
          {"num_hazards", run.scan.findings.size()},
          {"folder", folder}};
}

std::string text_of(const PortRun& run, const std::string& folder) {
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
  return text + fmt::format(
                    "\n{} of {} kernels PASS-UNMEASURED; the port, its evidence and "
                    "REPORT.md are in {}\n",
                    run.count(PortVerdict::pass_unmeasured), run.kernels.size(), folder);
}

void run_stages(Options& options, Console& console) {
  options.run.arguments = clang_arguments(options.defines, options.folders);
  if (options.run.folder.empty()) {
    const std::filesystem::path path(options.run.path);
    const auto name = path.has_filename() ? path : path.parent_path();
    options.run.folder = name.stem().string() + "-port";
  }
  const PortRun run = run_port(options.run);
  write_file((std::filesystem::path(options.run.folder) / "REPORT.md").string(),
             port_report(run, options.run));
  console.out = options.json ? json_of(run, options.run.folder).dump(2) + "\n"
                             : text_of(run, options.run.folder);
}

}  // namespace

void add_port_run(CLI::App& port, Console& console) {
  const auto options = std::make_shared<Options>();
  CLI::App* const verb = port.add_subcommand(
      "run", "All stages: scan, translate, compile, verify; a verdict for each kernel");
  verb->add_option("path", options->run.path, "CUDA source or folder")->required();
  verb->add_option("-o,--output", options->run.folder,
                   "Folder for the port and its evidence; default: NAME-port");
  verb->add_option("-D", options->defines, "Macro of the build, NAME or NAME=VALUE")
      ->allow_extra_args(false);
  verb->add_option("-I", options->folders, "Folder with headers")->allow_extra_args(false);
  verb->add_option("--seed", options->run.key, "Of the values that are drawn");
  verb->add_flag("--trusted", options->run.trusted,
                 "The code is your own: run it even where there is no sandbox");
  verb->add_flag("--json", options->json, "One JSON document");
  verb->callback([options, &console] { run_stages(*options, console); });
}

}  // namespace ambidex
