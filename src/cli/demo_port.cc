// SPDX-License-Identifier: Apache-2.0
#include "cli/demo_port.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/embedded.h"
#include "base/files.h"
#include "base/interrupt.h"
#include "base/temporary_folder.h"
#include "cli/port.h"
#include "port/bundle.h"
#include "port/patch_series.h"
#include "port/programs.h"

namespace ambidex {
namespace {

constexpr std::string_view kName = "place_by_owner";

// What a search and replace makes of it: names by the table, 32-bit masks widened with zeros
// since HIP takes no others.
std::string renamed_text(const TranslatedFile& file) {
  std::vector<TranslateEdit> names;
  std::copy_if(
      file.edits.begin(), file.edits.end(), std::back_inserter(names),
      [](const TranslateEdit& edit) { return edit.hazard.empty() && edit.rule != "include.port"; });
  std::string text = edited(file.text, names);
  constexpr std::string_view kMask = "0xffffffff,";
  for (size_t at = 0; (at = text.find(kMask, at)) != std::string::npos; at += kMask.size()) {
    text.replace(at, kMask.size(), "0xffffffffull,");
  }
  return text;
}

VerifyReport verify_renamed(const TranslatedTree& tree, const std::string& original,
                            const std::string& folder) {
  TranslatedTree renamed{.root = tree.root, .is_file = true, .files = tree.files, .support = {}};
  renamed.files.at(0).new_text = renamed_text(tree.files.at(0));
  write_tree(renamed, folder);
  const std::string path = fmt::format("{}/{}.hip", folder, kName);
  return verify_port({.original = programs_of(original, "cuda", {}).at(0),
                      .port = programs_of(path, "hip", {}).at(0),
                      .folder = folder + "/work"});
}

std::string_view example_text() {
  const auto files = embedded_files();
  const auto found = std::find_if(files.begin(), files.end(), [](const EmbeddedFile& file) {
    return file.path == fmt::format("data/examples/{}.cu", kName);
  });
  check(found != files.end(), "the example of the demo is embedded");
  return found->contents;
}

// Lines that the patches of hazards take and give.
std::string diff_of(const TranslatedTree& tree) {
  std::string diff;
  for (const SeriesPatch& patch : patch_series(tree)) {
    if (patch.name.starts_with("0001")) continue;
    for (size_t begin = 0; begin < patch.text.size();) {
      const size_t end = std::min(patch.text.find('\n', begin), patch.text.size());
      const std::string line = patch.text.substr(begin, end - begin);
      const bool is_change = line.starts_with('+') || line.starts_with('-');
      if (is_change && !line.starts_with("--") && !line.starts_with("++")) diff += line + "\n";
      begin = end + 1;
    }
  }
  return diff;
}

std::string first_failure(const VerifyReport& report) {
  for (const KernelReport& kernel : report.kernels) {
    if (kernel.verdict != KernelVerdict::right) return kernel.reason;
  }
  return report.program;
}

}  // namespace

std::optional<DemoPort> port_demo() {
  const TemporaryFolder folder;
  const std::string original = fmt::format("{}/{}.cu", folder.path(), kName);
  write_file(original, example_text());
  try {
    const Interruptible interruptible;
    DemoPort demo{.by_rules = run_port({.path = original, .folder = folder.path() + "/port"})};
    const std::string renamed = folder.path() + "/renamed";
    demo.renamed_fault = within_folder(
        first_failure(verify_renamed(demo.by_rules.tree, original, renamed)), renamed);
    demo.diff = diff_of(demo.by_rules.tree);
    return demo;
  } catch (const Error& error) {
    if (error.kind == ErrorKind::unsupported) return std::nullopt;
    throw;
  }
}

std::string text_of(const DemoPort& demo) {
  std::string text = fmt::format(
      "A CUDA kernel ported to AMD's 64-lane waves and run beside its original on this CPU; no "
      "GPU was used.\n\n"
      "renamed only    {}\n"
      "by the rules    ",
      demo.renamed_fault.empty() ? "right" : "WRONG: " + demo.renamed_fault);
  for (const PortedKernel& kernel : demo.by_rules.kernels) {
    text += fmt::format("{}: {}, {} cases on 64 lanes and on 32, {} bit-identical\n",
                        name_of(kernel.verdict), kernel.kernel, kernel.num_cases,
                        kernel.num_bit_identical);
  }
  text += "code objects    ";
  for (const CompiledSource& source : demo.by_rules.compiled) {
    for (const CodeObject& object : source.objects) {
      for (const KernelResources& kernel : object.kernels) {
        text += fmt::format("{}: {} vector registers, {} bytes of scratch; ", object.arch,
                            kernel.num_vgprs, kernel.scratch_bytes);
      }
    }
  }
  text.resize(text.size() - 2);
  return text +
         fmt::format("\n\n{}\nAll stages, with a report: ambidex port run SOURCE.cu\n", demo.diff);
}

nlohmann::ordered_json json_of(const DemoPort& demo) {
  return {{"source", fmt::format("data/examples/{}.cu", kName)},
          {"renamed_fault", demo.renamed_fault},
          {"by_rules", to_json(demo.by_rules.kernels)}};
}

}  // namespace ambidex
