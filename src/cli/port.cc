// SPDX-License-Identifier: Apache-2.0
// ambidex port: CUDA sources to HIP, stage by stage.
#include "cli/port.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <memory>
#include <optional>

#include "ambidex/base.h"
#include "base/interrupt.h"
#include "base/text.h"
#include "cli/parse.h"
#include "cli/verbs.h"
#include "port/left_hazards.h"

namespace ambidex {
namespace {

// clang would take anything, and say what is wrong with it once for each file.
void check_define(const std::string& define) {
  const std::string_view name = std::string_view(define).substr(0, define.find_first_of("=("));
  const auto is_letter = [](char c) {
    return c == '_' || std::isalnum(static_cast<unsigned char>(c));
  };
  const bool good = !name.empty() && std::all_of(name.begin(), name.end(), is_letter) &&
                    !std::isdigit(static_cast<unsigned char>(name[0])) &&
                    define.find('\n') == std::string::npos;
  if (good) return;
  throw Error(ErrorKind::bad_input,
              fmt::format("-D {}: not a macro; expected NAME or NAME=VALUE", quote(define)));
}

void check_folder(const std::string& folder) {
  std::error_code ignored;
  if (std::filesystem::is_directory(folder, ignored)) return;
  throw Error(ErrorKind::bad_input,
              fmt::format("-I {}: no such folder; name one that holds headers", quote(folder)));
}

}  // namespace

std::vector<std::string> clang_arguments(const std::vector<std::string>& defines,
                                         const std::vector<std::string>& folders) {
  std::vector<std::string> arguments;
  for (const std::string& define : defines) {
    check_define(define);
    arguments.push_back("-D" + define);
  }
  for (const std::string& folder : folders) {
    check_folder(folder);
    arguments.push_back("-I" + folder);
  }
  return arguments;
}

std::string verdicts_text(const PortRun& run) {
  std::string text;
  for (const PortedKernel& kernel : run.kernels) {
    text += fmt::format("{:<16} {}", name_of(kernel.verdict), kernel.kernel);
    const auto num_namesakes =
        std::count_if(run.kernels.begin(), run.kernels.end(),
                      [&](const PortedKernel& other) { return other.kernel == kernel.kernel; });
    if (num_namesakes > 1) text += fmt::format(" of {}", printable(kernel.program));
    if (kernel.num_cases > 0) {
      text +=
          fmt::format("  ({} cases, {} bit-identical)", kernel.num_cases, kernel.num_bit_identical);
    }
    text += "\n";
    if (!kernel.reason.empty()) text += fmt::format("{:17}{}\n", "", single_line(kernel.reason));
  }
  for (const PortRun::ProgramRun& program : run.programs) {
    if (program.report.library.empty()) continue;
    text +=
        fmt::format("note: {}: {}\n", printable(program.name), single_line(program.report.library));
  }
  const int64_t num_passed = run.count(PortVerdict::pass);
  if (num_passed > 0)
    text += fmt::format("\n{} of {} kernels PASS", num_passed, run.kernels.size());
  const std::string left = left_text(run);
  if (!left.empty()) text += "\n" + left;
  return text + fmt::format("\n{} of {} kernels PASS-UNMEASURED\n",
                            run.count(PortVerdict::pass_unmeasured), run.kernels.size());
}

std::string default_port_folder(const std::string& path_of_source) {
  namespace fs = std::filesystem;
  fs::path source = fs::absolute(path_of_source).lexically_normal();
  if (!source.has_filename()) source = source.parent_path();
  const std::string name =
      (fs::is_directory(source) ? source.filename() : source.stem()).string() + "-port";
  // Not in the sources, where a person may well stand.
  const fs::path from_here = fs::current_path().lexically_relative(source);
  const bool is_inside =
      fs::is_directory(source) && !from_here.empty() && *from_here.begin() != "..";
  return is_inside ? (source.parent_path() / name).lexically_relative(fs::current_path()).string()
                   : name;
}

void add_port(CLI::App& app, Console& console) {
  CLI::App* port = app.add_subcommand("port", "Port CUDA kernels to AMD's 64-lane waves");
  port->require_subcommand(1);
  for (const AddPortStage add_stage : kPortStages) add_stage(*port, console);
  for (CLI::App* stage : port->get_subcommands({})) refuse_empty_words(*stage);
  // Lives as long as the command: its stages leave temporary folders and children to their owners.
  const auto interruptible = std::make_shared<std::optional<Interruptible>>();
  port->parse_complete_callback([interruptible] { interruptible->emplace(); });
}

}  // namespace ambidex
