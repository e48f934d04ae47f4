// SPDX-License-Identifier: Apache-2.0
// `ambidex port check FOLDER`: does a port come out again as its evidence says?
#include <fmt/format.h>

#include <memory>

#include "base/temporary_folder.h"
#include "cli/json.h"
#include "cli/port.h"
#include "port/bundle.h"

namespace ambidex {
namespace {

struct Options {
  std::string folder;
  bool trusted = false;
  bool json = false;
};

void check_folder(const Options& options, Console& console) {
  const TemporaryFolder scratch;
  const BundleCheck check = check_bundle(options.folder, scratch.path(), 1, options.trusted);
  const bool is_same = check.differences.empty();
  console.exit_code = is_same ? 0 : 1;
  if (options.json) {
    const nlohmann::ordered_json json{{"same", is_same},
                                      {"num_files", check.num_files},
                                      {"differences", check.differences},
                                      {"kernels", to_json(check.run.kernels)}};
    console.out = within_folder(json.dump(2) + "\n", scratch.path());
    return;
  }
  std::string text = verdicts_text(check.run);
  for (const std::string& difference : check.differences) text += difference + "\n";
  text += is_same ? fmt::format("all {} files and all verdicts came out again\n", check.num_files)
                  : "this evidence does not hold with this build of ambidex and clang\n";
  console.out = within_folder(std::move(text), scratch.path());
}

}  // namespace

void add_port_check(CLI::App& port, Console& console) {
  const auto options = std::make_shared<Options>();
  CLI::App* const verb = port.add_subcommand(
      "check", "Make a port anew from its evidence alone, and compare every file and verdict");
  verb->add_option("FOLDER", options->folder, "Folder that `ambidex port run` made")->required();
  verb->add_flag("--trusted", options->trusted,
                 "The code is your own: run it even where there is no sandbox");
  verb->add_flag("--json", options->json, "One JSON document");
  verb->footer("Exit code 1: something came out differently; the output says what.");
  verb->callback([options, &console] { check_folder(*options, console); });
}

}  // namespace ambidex
