// SPDX-License-Identifier: Apache-2.0
// `ambidex port verify ORIGINAL PORT`: is the HIP port right?
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "base/files.h"
#include "base/text.h"
#include "cli/command_words.h"
#include "cli/json.h"
#include "cli/parse.h"
#include "cli/port.h"
#include "cli/work_folder.h"
#include "port/contract.h"
#include "port/programs.h"
#include "port/source_file.h"
#include "port/verify.h"

namespace ambidex {
namespace {

struct Options {
  std::string original, port;
  std::vector<std::string> defines, folders, words;
  std::vector<std::string> contracts;
  std::string freeze;
  std::string work;
  uint64_t key = 1;
  bool trusted = false;
  bool json = false;
};

const Program& partner(const Program& original, const std::vector<Program>& ports) {
  if (const Program* const port = partner_of(original, ports)) return *port;
  throw Error(ErrorKind::not_found, fmt::format("no program {} in the port", quote(original.name)));
}

std::string text_of(const std::string& name, const VerifyReport& report) {
  std::string text =
      fmt::format("{}: {}\n", printable(name), report.right() ? "right" : "NOT verified");
  if (!report.program.empty()) text += fmt::format("  {}\n", single_line(report.program));
  for (const KernelReport& kernel : report.kernels) {
    text += fmt::format("  {:<10} {}  ({} cases, {} bit-identical)\n", name_of(kernel.verdict),
                        kernel.kernel, kernel.num_cases, kernel.num_bit_identical);
    if (!kernel.reason.empty())
      text += fmt::format("             {}\n", single_line(kernel.reason));
  }
  for (const std::string& remark : report.remarks)
    text += fmt::format("  note: {}\n", single_line(remark));
  return text;
}

std::vector<Contract> contracts_of(const Options& options) {
  std::vector<Contract> all;
  for (const std::string& path : options.contracts) {
    for (Contract& contract : read_contracts(path)) all.push_back(std::move(contract));
  }
  return all;
}

// A contract is of the one program that has its kernel.
std::vector<Contract> contracts_for(const Program& program, const std::vector<Contract>& all,
                                    size_t num_programs) {
  if (num_programs == 1) return all;
  std::vector<Contract> own;
  for (const Contract& contract : all) {
    for (const auto& kernel : program.facts.at("kernels")) {
      if (kernel_base_name(kernel.at("name")) == contract.kernel) {
        own.push_back(contract);
        break;
      }
    }
  }
  return own;
}

void freeze(const std::string& folder, const VerifyReport& report) {
  if (folder.empty()) return;
  std::filesystem::create_directories(folder);
  for (const Contract& contract : report.contracts) {
    write_file((std::filesystem::path(folder) / contract_file_name(contract)).string(),
               to_json(contract).dump(2) + "\n");
  }
}

// Before clang says of every line that it is not what it should be.
void check_dialects(const std::vector<Program>& originals, const std::vector<Program>& ports) {
  for (const Program& port : ports) {
    if (port.facts.at("errors").empty()) continue;
    const auto found = std::find_if(port.sources.begin(), port.sources.end(), is_cuda_source);
    if (found == port.sources.end()) continue;
    throw Error(ErrorKind::bad_input,
                fmt::format("PORT: {}: is CUDA source; first ORIGINAL, then PORT, which has to be "
                            "HIP: ambidex port translate makes it",
                            quote(*found)));
  }
  for (const Program& original : originals) {
    if (original.facts.at("errors").empty()) continue;
    const auto found =
        std::find_if(original.sources.begin(), original.sources.end(), is_hip_source);
    if (found == original.sources.end()) continue;
    throw Error(ErrorKind::bad_input,
                fmt::format("ORIGINAL: {}: is HIP source; first ORIGINAL, which has to be CUDA, "
                            "then PORT",
                            quote(*found)));
  }
}

void verify(const Options& options, Console& console) {
  const WorkFolder work(options.work);
  const std::vector<Contract> contracts = contracts_of(options);
  const auto arguments = clang_arguments(options.defines, options.folders);
  const auto originals = programs_of(options.original, "cuda", arguments, options.words);
  const auto ports =
      programs_of(options.port, "hip", arguments_within(arguments, options.original, options.port));
  check_dialects(originals, ports);
  nlohmann::json programs = nlohmann::json::array();
  for (const Program& original : originals) {
    const Program& port = partner(original, ports);
    const VerifyReport report =
        verify_port({.original = original,
                     .port = port,
                     .folder = (work.path / original.name).string(),
                     .key = options.key,
                     .num_workers = 1,
                     .trusted = options.trusted,
                     .contracts = contracts_for(original, contracts, originals.size())});
    freeze(options.freeze, report);
    nlohmann::json row = to_json(report);
    row["name"] = original.name;
    row["fault"] = "";
    programs.push_back(std::move(row));
    if (!options.json) console.out += text_of(original.name, report);
    if (!report.right()) console.exit_code = 1;
  }
  if (options.json) console.out = programs.dump(2) + "\n";
}

}  // namespace

void add_port_verify(CLI::App& port, Console& console) {
  const auto options = std::make_shared<Options>();
  CLI::App* const verb = port.add_subcommand(
      "verify", "Run the CUDA original and the HIP port in the executor and compare them");
  verb->add_option("ORIGINAL", options->original, "CUDA source, or a folder")->required();
  verb->add_option("PORT", options->port, "HIP source, or a folder")->required();
  verb->add_option("-D", options->defines, "Macro of both builds, NAME or NAME=VALUE")
      ->allow_extra_args(false);
  verb->add_option("-I", options->folders, "Folder with headers of both builds")
      ->allow_extra_args(false);
  verb->add_option("--contract", options->contracts,
                   "Hold kernels to this frozen contract, a file or a folder of them")
      ->allow_extra_args(false);
  verb->add_option("--freeze", options->freeze,
                   "Write the kernels' contracts, as confirmed on the original, to this folder");
  verb->add_option("--work", options->work, "Keep modules and buffers in this folder");
  add_program_arguments(*verb, options->words);
  verb->add_option("--seed", options->key, "Of the values that are drawn")->check(at_least(0));
  verb->add_flag("--trusted", options->trusted,
                 "The code is your own: run it even where there is no sandbox");
  verb->add_flag("--json", options->json, "One JSON document");
  verb->footer("Exit code 1: the port is not verified; the output says why.");
  verb->callback([options, &console] { verify(*options, console); });
}

}  // namespace ambidex
