// SPDX-License-Identifier: Apache-2.0
// `ambidex port estimate PATH`: what each launch costs, by a model.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <memory>
#include <numeric>

#include "base/files.h"
#include "base/text.h"
#include "cli/command_words.h"
#include "cli/parse.h"
#include "cli/port.h"
#include "cli/work_folder.h"
#include "port/estimate.h"

namespace ambidex {
namespace {

struct Options {
  EstimateRequest request;
  std::vector<std::string> devices, defines, folders;
  std::string output;
  bool json = false;
};

// 1.23 M, four significant characters and a prefix.
std::string short_number(double value) {
  constexpr std::array<const char*, 6> kPrefixes{"", "k", "M", "G", "T", "P"};
  size_t prefix = 0;
  while (value >= 1000 && prefix + 1 < kPrefixes.size()) {
    value /= 1000;
    ++prefix;
  }
  const int digits = prefix == 0 ? 0 : value < 10 ? 2 : value < 100 ? 1 : 0;
  return fmt::format("{:.{}f}{}{}", value, digits, prefix == 0 ? "" : " ", kPrefixes[prefix]);
}

std::string extents(const std::array<uint32_t, 3>& size) {
  return size[2] != 1   ? fmt::format("{}x{}x{}", size[0], size[1], size[2])
         : size[1] != 1 ? fmt::format("{}x{}", size[0], size[1])
                        : fmt::format("{}", size[0]);
}

// Text of the sources, safe for a terminal.
std::string shown(std::string_view text) {
  const std::string quoted = quote(text);
  return quoted.substr(1, quoted.size() - 2);
}

double flop_of(const SimtArithmetic& arithmetic) {
  double flop = 0;
  for (const int64_t count : arithmetic.flop) flop += static_cast<double>(count);
  for (const auto& [dtype, count] : arithmetic.matrix_flop) flop += static_cast<double>(count);
  return flop;
}

std::string note_text(const std::string& what, const EstimateNote& note) {
  std::string text =
      fmt::format("  {:<8} {:<3} {}", what, note.id.empty() ? "-" : note.id, note.message);
  if (!note.file.empty()) {
    const std::string name = std::filesystem::path(note.file).filename().string();
    text += fmt::format(" ({}:{})", shown(name), note.line);
  }
  return text + "\n";
}

std::string row_text(const LaunchEstimate& launch) {
  const bool fits = launch.occupancy.groups_per_unit > 0;
  const double moved = launch.time.memory_bytes;
  return fmt::format("  {:<8} {:>8} x {:<8} {:>9}  {:<16} {:>6.0f} % {:>9} {:>9} {:>9}\n",
                     launch.device, extents(launch.counts.grid), extents(launch.counts.block),
                     fits ? fmt::format("{:.2f}", launch.time.seconds * 1e6) : "no block",
                     fits ? name_of(launch.time.binds) : "-", 100 * launch.occupancy.ratio,
                     short_number(static_cast<double>(launch.counts.traffic.loads.bytes +
                                                      launch.counts.traffic.stores.bytes)),
                     short_number(moved), short_number(flop_of(launch.counts.traffic.arithmetic)));
}

std::string kernel_text(const KernelEstimate& kernel) {
  std::string text = fmt::format(
      "\n{}{}\n  {:<8} {:>8} x {:<8} {:>9}  {:<16} {:>8} {:>9} {:>9} {:>9}\n", kernel.kernel,
      kernel.num_launches == 1 ? "" : fmt::format(", {} launches, the first:", kernel.num_launches),
      "device", "grid", "block", "us", "binds", "occup.", "B asked", "B memory", "FLOP");
  for (const LaunchEstimate& launch : kernel.devices) text += row_text(launch);
  for (const LaunchEstimate& launch : kernel.devices) {
    for (const EstimateNote& note : launch.notes) text += note_text(launch.device, note);
  }
  return text;
}

std::string text_of(const EstimateReport& report) {
  std::string text;
  for (const ProgramEstimate& program : report.programs) {
    text += fmt::format("{}{}\n", text.empty() ? "" : "\n", shown(program.program));
    if (!program.fault.empty()) text += fmt::format("  no estimate: {}\n", program.fault);
    for (const KernelEstimate& kernel : program.kernels) text += kernel_text(kernel);
    if (program.num_library_launches != 0) {
      text += fmt::format(
          "\nNot estimated: {} launch{} of libraries (cuBLAS, thrust and the like), for which the\n"
          "executor has loops of its own.\n",
          program.num_library_launches, program.num_library_launches == 1 ? "" : "es");
    }
    if (!program.notes.empty()) text += "\nSlow by the look of the source:\n";
    for (const EstimateNote& note : program.notes) text += note_text("source", note);
  }
  text +=
      "\nPredicted by a model from counts taken in the executor. Nothing was measured, and no\n"
      "figure says whether the port is right.\n";
  for (const std::string& assumption : report.assumptions) {
    text += fmt::format("Assumed: {}.\n", assumption);
  }
  return text;
}

void estimate(Options& options, Console& console) {
  const WorkFolder work(options.output);
  options.request.arguments = clang_arguments(options.defines, options.folders);
  options.request.folder = work.path.string();
  if (!options.devices.empty()) options.request.devices = options.devices;
  const EstimateReport report = estimate_port(options.request);
  const std::string json = to_json(report).dump(2) + "\n";
  if (!options.output.empty()) write_file((work.path / "perf.json").string(), json);
  console.out = options.json ? json : text_of(report);
  for (const ProgramEstimate& program : report.programs) {
    if (!program.fault.empty()) console.exit_code = 1;
  }
}

}  // namespace

void add_port_estimate(CLI::App& port, Console& console) {
  const auto options = std::make_shared<Options>();
  CLI::App* const verb = port.add_subcommand(
      "estimate", "Predict time, binding resource and occupancy of each launch, by a model");
  verb->add_option("PATH", options->request.path, "CUDA source with main, or a folder")->required();
  verb->add_option("-o,--output", options->output,
                   "Keep the port, modules and perf.json in this folder");
  verb->add_option("--device", options->devices,
                   "NVIDIA's for the original, AMD's for the port: an id or a file; may be "
                   "repeated; default: h200, mi300x, mi350x")
      ->allow_extra_args(false);
  verb->add_option("-D", options->defines, "Macro of both builds, NAME or NAME=VALUE")
      ->allow_extra_args(false);
  verb->add_option("-I", options->folders, "Folder with headers of both builds")
      ->allow_extra_args(false);
  add_program_arguments(*verb, options->request.words);
  verb->add_option("--max-seconds", options->request.max_seconds,
                   "Of one run in the executor, 0.001 to 1e6")
      ->check(within(0.001, 1e6))
      ->capture_default_str();
  verb->add_flag("--trusted", options->request.trusted,
                 "The code is your own: run it even where there is no sandbox");
  verb->add_flag("--json", options->json, "One JSON document");
  verb->footer("Exit code 1: a program could not be run on every device; the output says why.");
  verb->callback([options, &console] { estimate(*options, console); });
}

}  // namespace ambidex
