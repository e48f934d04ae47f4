// SPDX-License-Identifier: Apache-2.0
// ambidex port translate: CUDA trees to HIP by rules; what no rule can do is refused and named.
#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <memory>

#include "base/files.h"
#include "base/text.h"
#include "cli/json.h"
#include "cli/port.h"
#include "port/translate.h"

namespace ambidex {
namespace {

struct Options {
  std::vector<std::string> paths;
  std::string output;
  std::string patch;
  bool in_place = false;
  bool keep_names = false;
  bool json = false;
  std::vector<std::string> defines;
  std::vector<std::string> includes;
};

void check_options(const Options& options) {
  const int num_outputs = (options.output.empty() ? 0 : 1) + (options.patch.empty() ? 0 : 1) +
                          (options.in_place ? 1 : 0);
  if (num_outputs > 1) {
    throw Error(ErrorKind::bad_input, "-o, --in-place and --patch exclude each other; give one");
  }
  if (!options.output.empty() && options.paths.size() > 1) {
    throw Error(ErrorKind::bad_input,
                fmt::format("-o {} takes one PATH, got {}; translate each to a folder of its own",
                            options.output, options.paths.size()));
  }
}

void write_output(const Options& options, const std::vector<TranslatedTree>& trees) {
  if (!options.output.empty()) write_tree(trees[0], options.output);
  if (options.in_place) {
    for (const TranslatedTree& tree : trees) write_in_place(tree);
  }
  if (options.patch.empty()) return;
  std::string patch;
  for (const TranslatedTree& tree : trees) patch += patch_of(tree);
  write_file(options.patch, patch);
}

struct Tally {
  int64_t num_files = 0;  // that change
  int64_t num_edits = 0;
  int64_t num_refusals = 0;
  std::map<std::string, int64_t> by_rule;
};

Tally tally_of(const std::vector<TranslatedTree>& trees) {
  Tally tally;
  for (const TranslatedTree& tree : trees) {
    for (const TranslatedFile& file : tree.files) {
      const bool changes = !file.edits.empty() || file.new_name != file.name;
      tally.num_files += changes ? 1 : 0;
      tally.num_edits += std::ssize(file.edits);
      tally.num_refusals += std::ssize(file.refusals);
      for (const TranslateEdit& edit : file.edits) {
        ++tally.by_rule[edit.hazard.empty() ? edit.rule : edit.rule + " " + edit.hazard];
      }
    }
  }
  return tally;
}

std::string where_written(const Options& options) {
  if (!options.output.empty()) return fmt::format("written to {}", printable(options.output));
  if (!options.patch.empty())
    return fmt::format("written as the patch {}", printable(options.patch));
  if (options.in_place) return "written in place";
  return "nothing written; give -o DIR, --in-place or --patch FILE";
}

std::string summary_of(const Options& options, const std::vector<TranslatedTree>& trees) {
  const Tally tally = tally_of(trees);
  std::string out = fmt::format("{} in {}, {}; {}\n", num_of(tally.num_edits, "edit"),
                                num_of(tally.num_files, "file"),
                                num_of(tally.num_refusals, "refusal"), where_written(options));
  for (const auto& [rule, count] : tally.by_rule) out += fmt::format("  {:6} {}\n", count, rule);
  for (const TranslatedTree& tree : trees) {
    for (const TranslatedFile& file : tree.files) {
      for (const TranslateRefusal& refusal : file.refusals) {
        out += printable(fmt::format("refused: {}:{}: {}: {} [{}]", file.path, refusal.line,
                                     refusal.hazard, refusal.reason, refusal.rule)) +
               "\n";
      }
    }
  }
  return out;
}

void translate(const Options& options, Console& console) {
  check_options(options);
  const TranslateOptions how{.arguments = clang_arguments(options.defines, options.includes),
                             .rename = !options.keep_names};
  std::vector<TranslatedTree> trees;
  for (const std::string& path : options.paths) trees.push_back(translate_tree(path, how));
  write_output(options, trees);
  console.out = options.json ? edits_json(trees) : summary_of(options, trees);
}

}  // namespace

void add_port_translate(CLI::App& port, Console& console) {
  auto options = std::make_shared<Options>();
  CLI::App* verb = port.add_subcommand(
      "translate", "Make HIP of CUDA sources and their build files, by rules that are safe");
  verb->add_option("PATH", options->paths, "CUDA folders or files")->required();
  verb->add_option("-o,--output", options->output, "A new folder for the whole tree; one PATH");
  verb->add_flag("--in-place", options->in_place, "Change the files where they are");
  verb->add_option("--patch", options->patch, "Write a unified diff to this file instead");
  verb->add_flag("--keep-names", options->keep_names, "x.cu stays x.cu instead of x.hip");
  verb->add_option("-D", options->defines, "Macro of the build, NAME or NAME=VALUE")
      ->allow_extra_args(false);
  verb->add_option("-I", options->includes, "Folder with headers")->allow_extra_args(false);
  verb->add_flag("--json", options->json, "Every edit and refusal, as JSON");
  verb->footer(
      "Without -o, --in-place or --patch nothing is written. Refusals leave it at exit code 0.");
  verb->callback([options, &console] { translate(*options, console); });
}

}  // namespace ambidex
