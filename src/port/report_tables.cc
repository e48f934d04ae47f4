// SPDX-License-Identifier: Apache-2.0
#include "port/report_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/text.h"
#include "port/left_hazards.h"
#include "port/library_calls.h"
#include "port/source_file.h"

namespace ambidex {
namespace {

struct Meaning {
  PortVerdict verdict;
  const char* text;
};
constexpr Meaning kMeanings[]{
    {PortVerdict::pass,
     "compiled for gfx942 and gfx950, right beside the original in an executor on the CPU, and an "
     "AMD GPU of this machine agrees; nothing is said of its speed"},
    {PortVerdict::pass_unmeasured,
     "compiled for gfx942 and gfx950, and right beside the original in an executor on the CPU, on "
     "waves of 64 lanes; no AMD GPU has run it, and nothing is said of its speed"},
    {PortVerdict::partial,
     "translated and compiled, but something could not be checked; the reason says what. Check it "
     "yourself before you use it"},
    {PortVerdict::refused,
     "not ported, or wrong; the reason says why. `hip/` holds it as far as rules go: **do not "
     "launch it** before you, or `ambidex port repair`, have mended it"}};

// How far a case that is not bit-identical may be from the original; docs/verify.md has more.
std::string_view allowance_of(ErrorClass error_class) {
  switch (error_class) {
    case ErrorClass::exact:
      return "no other bits";
    case ErrorClass::elementwise:
      return "4 eps of the value";
    case ErrorClass::reorder:
      return "4 log2(terms) eps of the value, for sums in another order";
    case ErrorClass::approximate:
      return "64 eps of the value or of the buffer's root mean square, for approximate functions";
  }
  return "";
}

std::string kernel_rows(const PortRun& run) {
  std::string text;
  for (const PortedKernel& kernel : run.kernels) {
    text += fmt::format("| `{}` | {} | {} | {} | {} | {} | {} |\n", in_cell(kernel.kernel),
                        in_cell(kernel.program), name_of(kernel.verdict), kernel.num_cases,
                        kernel.num_bit_identical, name_of(kernel.error_class),
                        kernel.repaired
                            ? "repaired by a model, see repair.json; " + in_cell(kernel.reason)
                            : in_cell(kernel.reason));
  }
  return text;
}

// Of outputs that are right and not bit-identical.
std::string error_table(const PortRun& run) {
  std::string rows;
  for (const PortedKernel& kernel : run.kernels) {
    for (const OutputSeen& output : kernel.outputs) {
      if (!output.worst) continue;
      rows +=
          fmt::format("| `{}` | `{}` | {} | {} | {} | {} |\n", in_cell(kernel.kernel),
                      in_cell(output.name), name_of(output.element), name_of(output.error_class),
                      output.num_different, text_of(*output.worst, output.element));
    }
  }
  if (rows.empty()) return "";
  return "| kernel | output | type | class | elements with other bits | largest error |\n"
         "| --- | --- | --- | --- | --- | --- |\n" +
         rows +
         "\nThe largest error is that which uses most of what is allowed at its element, over all "
         "cases; what is right and not listed has the original's bits. verdict.json has the same "
         "of all outputs.\n\n";
}

std::string allowances(const PortRun& run) {
  std::set<ErrorClass> classes;
  for (const PortedKernel& kernel : run.kernels) {
    if (kernel.num_bit_identical < kernel.num_cases) classes.insert(kernel.error_class);
  }
  if (classes.empty()) return "";
  std::string text =
      "Cases that are right and not bit-identical are as close as the class of the kernel's floats "
      "asks for:";
  for (const ErrorClass error_class : classes) {
    text += fmt::format("{} {}: {}", error_class == *classes.begin() ? "" : ";",
                        name_of(error_class), allowance_of(error_class));
  }
  return text +
         "; and always four times (approximate: 16) what the original itself differs by when it "
         "rounds or is ordered otherwise.\n\n";
}

std::string remarks(const PortRun& run) {
  std::string text;
  for (const PortRun::ProgramRun& program : run.programs) {
    for (const std::string& remark : program.report.remarks) {
      text += fmt::format("- {}: {}\n", program.name, in_cell(remark));
    }
    if (!program.fault.empty()) {
      text += fmt::format("- {}: {}\n", program.name, in_cell(program.fault));
    }
  }
  const std::set<std::string> calls = library_calls(run.tree);
  if (!calls.empty()) {
    text += fmt::format(
        "- Not checked: what hipBLAS, hipRAND, rocThrust and hipCUB compute. For {} the executor "
        "runs loops of its own.\n",
        fmt::join(calls, ", "));
  }
  return text.empty() ? "" : text + "\n";
}

// What no verdict is about.
std::string left_list(const PortRun& run) {
  std::string text;
  for (const Finding& finding : left_hazards(run.scan, run.tree)) {
    text += fmt::format("- {} at {}:{} ({}): {}\n", finding.id, in_cell(finding.file), finding.line,
                        name_of(finding.severity), in_cell(finding.message));
  }
  if (text.empty()) return "";
  return "**Left in the port, and not visible to the executor**, so that a kernel may pass with "
         "them; mend them or convince yourself that they do no harm:\n\n" +
         text + "\n";
}

using Place = std::pair<std::string, int64_t>;

/// Of one hazard.
struct Answer {
  std::set<Place> found, edited, refused;
  Severity worst = Severity::s3;
};

std::map<std::string, Answer> answers_of(const PortRun& run) {
  std::map<std::string, Answer> answers;
  for (const Finding& finding : run.scan.findings) {
    Answer& answer = answers[finding.id];
    answer.found.insert({plain_path(finding.file), finding.line});
    answer.worst = std::min(answer.worst, finding.severity);
  }
  for (const TranslatedFile& file : run.tree.files) {
    const std::string path = plain_path(file.path);
    // What the port mends counts, though the scan finds nothing in it as it stands.
    const auto answer_to = [&](const std::string& id) -> Answer& {
      const auto [found, added] = answers.try_emplace(id);
      if (added) found->second.worst = hazard(id).severity;
      return found->second;
    };
    for (const TranslateEdit& edit : file.edits) {
      if (!edit.hazard.empty()) answer_to(edit.hazard).edited.insert({path, edit.line});
    }
    for (const TranslateRefusal& refusal : file.refusals) {
      if (!refusal.hazard.empty()) answer_to(refusal.hazard).refused.insert({path, refusal.line});
    }
  }
  return answers;
}

std::string text_of(const Answer& answer) {
  const auto num_left = std::count_if(
      answer.found.begin(), answer.found.end(),
      [&](const Place& at) { return !answer.edited.contains(at) && !answer.refused.contains(at); });
  std::string text;
  const auto add = [&](int64_t count, const char* what) {
    if (count > 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, what);
  };
  add(std::ssize(answer.edited), "edited");
  add(std::ssize(answer.refused), "refused");
  add(num_left, "as they were");
  return text;
}

}  // namespace

std::string in_cell(std::string text) {
  text = single_line(text);
  std::replace(text.begin(), text.end(), '|', ' ');
  return text;
}

std::string verdict_section(const PortRun& run) {
  std::string text =
      "## Verdicts\n\n" +
      (run.words.empty() ? std::string()
                         : fmt::format("The programs ran with the command line `{}`.\n\n",
                                       in_cell(fmt::format("{}", fmt::join(run.words, " "))))) +
      "| kernel | program | verdict | cases | bit-identical | class | reason |\n"
      "| --- | --- | --- | --- | --- | --- | --- |\n" +
      kernel_rows(run) + "\n" + allowances(run) + error_table(run) + remarks(run);
  for (const Meaning& meaning : kMeanings) {
    if (run.count(meaning.verdict) == 0) continue;
    text += fmt::format("- {}: {}.\n", name_of(meaning.verdict), meaning.text);
  }
  return text + "\n";
}

std::string hazard_section(const PortRun& run) {
  const std::map<std::string, Answer> answers = answers_of(run);
  if (answers.empty()) return "## Hazards of the original\n\nNone.\n\n";
  std::string text =
      "## Hazards of the original\n\n"
      "| hazard | found in lines | worst | in the port | |\n| --- | --- | --- | --- | --- |\n";
  for (const auto& [id, answer] : answers) {
    text += fmt::format("| {} | {} | {} | {} | {} |\n", id, answer.found.size(),
                        name_of(answer.worst), text_of(answer), hazard(id).title);
  }
  return text +
         "\nLines left as they were need no edit, or none is known that is safe. In kernels that "
         "pass, "
         "what they do was checked by running them; host code and build files are for you to read: "
         "`hazards.json` has the lines, `ambidex port explain ID` says more.\n\n" +
         left_list(run);
}

std::string edit_section(const TranslatedTree& tree) {
  std::map<std::string, int64_t> rules;
  std::string refusals;
  for (const TranslatedFile& file : tree.files) {
    for (const TranslateEdit& edit : file.edits) {
      ++rules[edit.hazard.empty() ? edit.rule : edit.rule + " (" + edit.hazard + ")"];
    }
    for (const TranslateRefusal& refusal : file.refusals) {
      refusals += fmt::format("- {}:{}: {}: {}\n", in_cell(file.name), refusal.line, refusal.hazard,
                              in_cell(refusal.reason));
    }
  }
  std::string text = "## Translation\n\n| rule | edits |\n| --- | --- |\n";
  for (const auto& [rule, count] : rules) text += fmt::format("| {} | {} |\n", rule, count);
  return text + (refusals.empty() ? "\nNo edit was refused.\n\n"
                                  : "\nRefused, and left as it was:\n\n" + refusals + "\n");
}

std::string resource_section(const PortRun& run) {
  std::string rows;
  for (const CompiledSource& source : run.compiled) {
    for (const CodeObject& object : source.objects) {
      for (const KernelResources& kernel : object.kernels) {
        rows += fmt::format("| `{}` | {} | {} | {} | {} | {} B | {} B |\n", in_cell(kernel.name),
                            object.arch, kernel.num_vgprs, kernel.num_sgprs, kernel.num_vgpr_spills,
                            kernel.scratch_bytes, kernel.lds_bytes);
      }
    }
  }
  if (rows.empty()) return "";
  return "## Resources\n\n"
         "| kernel | GPU | VGPRs | SGPRs | spills | scratch | static LDS |\n"
         "| --- | --- | --- | --- | --- | --- | --- |\n" +
         rows + "\n";
}

}  // namespace ambidex
