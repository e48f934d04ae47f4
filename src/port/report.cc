// SPDX-License-Identifier: Apache-2.0
#include "port/report.h"

#include <fmt/format.h>

#include <filesystem>
#include <map>

#include "ambidex/base.h"
#include "port/report_next.h"

namespace ambidex {
namespace {

std::string one_line(std::string text) {
  for (char& c : text) {
    if (c == '\n' || c == '|') c = ' ';
  }
  return text;
}

std::string verdict_table(const PortRun& run) {
  std::string text =
      "| kernel | program | verdict | cases (bit-identical) | reason |\n"
      "| --- | --- | --- | --- | --- |\n";
  for (const PortedKernel& kernel : run.kernels) {
    text += fmt::format(
        "| `{}` | {} | {} | {} ({}) | {} |\n", one_line(kernel.kernel), kernel.program,
        name_of(kernel.verdict), kernel.num_cases, kernel.num_bit_identical,
        kernel.repaired ? "repaired by a model, see repair.json; " + one_line(kernel.reason)
                        : one_line(kernel.reason));
  }
  return text;
}

std::string hazard_table(const ScanResult& scan) {
  std::map<std::string, std::map<Severity, int64_t>> counts;
  for (const Finding& finding : scan.findings) ++counts[finding.id][finding.severity];
  if (counts.empty()) return "None.\n";
  std::string text = "| hazard | lines | worst | |\n| --- | --- | --- | --- |\n";
  for (const auto& [id, by_severity] : counts) {
    int64_t lines = 0;
    for (const auto& [severity, count] : by_severity) lines += count;
    text += fmt::format("| {} | {} | {} | {} |\n", id, lines, name_of(by_severity.begin()->first),
                        hazard(id).title);
  }
  return text;
}

std::string edit_table(const TranslatedTree& tree) {
  std::map<std::string, int64_t> rules;
  std::string refusals;
  for (const TranslatedFile& file : tree.files) {
    for (const TranslateEdit& edit : file.edits) {
      ++rules[edit.hazard.empty() ? edit.rule : edit.rule + " (" + edit.hazard + ")"];
    }
    for (const TranslateRefusal& refusal : file.refusals) {
      refusals +=
          fmt::format("- {}:{}: {}: {}\n", file.name, refusal.line, refusal.hazard, refusal.reason);
    }
  }
  std::string text = "| rule | edits |\n| --- | --- |\n";
  for (const auto& [rule, count] : rules) text += fmt::format("| {} | {} |\n", rule, count);
  return text + (refusals.empty() ? "\nNothing was refused.\n" : "\nRefused:\n\n" + refusals);
}

std::string resource_table(const PortRun& run) {
  std::string text =
      "| kernel | GPU | VGPRs | SGPRs | spills | scratch | static LDS |\n"
      "| --- | --- | --- | --- | --- | --- | --- |\n";
  for (const CompiledSource& source : run.compiled) {
    for (const CodeObject& object : source.objects) {
      for (const KernelResources& kernel : object.kernels) {
        text += fmt::format("| `{}` | {} | {} | {} | {} | {} B | {} B |\n", one_line(kernel.name),
                            object.arch, kernel.num_vgprs, kernel.num_sgprs, kernel.num_vgpr_spills,
                            kernel.scratch_bytes, kernel.lds_bytes);
      }
    }
  }
  return text;
}

std::string remarks(const PortRun& run) {
  std::string text;
  for (const PortRun::ProgramRun& program : run.programs) {
    for (const std::string& remark : program.report.remarks) {
      text += fmt::format("- {}: {}\n", program.name, one_line(remark));
    }
    if (!program.fault.empty()) {
      text += fmt::format("- {}: {}\n", program.name, one_line(program.fault));
    }
  }
  return text;
}

// Predicted times of tier A and of native bodies; "" if none was asked for.
std::string native_section(const PortRun& run) {
  if (run.natives.empty()) return "";
  std::string text =
      "## Native bodies\n\n"
      "`hip/` is the port by rules (tier A) and stays as it is; `native/` is the same tree with "
      "the "
      "bodies that were taken, for waves of 64 lanes alone. They are right beside the original and "
      "beside tier A, on waves of 64 lanes; waves of 32 were not tried. Times are predicted by a "
      "model from counts in an executor, without that of an empty launch, on three launches that "
      "nobody had seen. **Nothing was measured.**\n\n"
      "| kernel | program | outcome | cases | device | tier A, us | native, us | times as fast |\n"
      "| --- | --- | --- | --- | --- | --- | --- | --- |\n";
  for (const NativeKernel& kernel : run.natives) {
    if (!kernel.taken) {
      text += fmt::format("| `{}` | {} | {}: {} | | | | | |\n", one_line(kernel.kernel),
                          kernel.program, kernel.outcome, one_line(kernel.reason));
    }
    for (const NativeGain& gain : kernel.gains) {
      text += fmt::format("| `{}` | {} | taken | {} | {} | {:.3g} ({}) | {:.3g} ({}) | {:.2f} |\n",
                          one_line(kernel.kernel), kernel.program, kernel.num_cases, gain.device,
                          gain.before_seconds * 1e6, name_of(gain.before_binds),
                          gain.after_seconds * 1e6, name_of(gain.after_binds),
                          gain.before_seconds / gain.after_seconds);
    }
  }
  return text + "\n";
}

}  // namespace

std::string port_report(const PortRun& run, const PortRunOptions& options) {
  const std::string notes = remarks(run);
  return fmt::format(
      "# Port of {}\n\n"
      "By ambidex {}: {} kernels, {} PASS, {} PASS-UNMEASURED, {} PARTIAL, {} REFUSED. "
      "PASS-UNMEASURED "
      "means: compiled for gfx942 and gfx950, and right beside the original in an executor on the "
      "CPU, on waves of 64 lanes; no AMD GPU has run it, and nothing is said of its speed.\n\n"
      "## Verdicts\n\n{}\n{}"
      "{}"
      "## Hazards of the original\n\n{}\n"
      "## Translation\n\n{}\n"
      "## Resources\n\n{}\n"
      "{}"
      "## Repeat\n\n"
      "This folder holds all that is needed. To make everything anew from `original/` alone and "
      "compare it with what is here:\n\n"
      "    ambidex port check .\n\n"
      "`patches/` is the port as a series for review, a patch for each hazard: `git am "
      "patches/*.patch`.\n",
      std::filesystem::path(options.path).filename().string(), AMBIDEX_VERSION, run.kernels.size(),
      run.count(PortVerdict::pass), run.count(PortVerdict::pass_unmeasured),
      run.count(PortVerdict::partial), run.count(PortVerdict::refused), verdict_table(run),
      notes.empty() ? "" : notes + "\n", native_section(run), hazard_table(run.scan),
      edit_table(run.tree), resource_table(run), next_section(run, options));
}

}  // namespace ambidex
