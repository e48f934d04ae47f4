// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "port/report_tables.h"

namespace ambidex {

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
      text += fmt::format("| `{}` | {} | {}: {} | | | | | |\n", in_cell(kernel.kernel),
                          kernel.program, kernel.outcome, in_cell(kernel.reason));
    }
    for (const NativeGain& gain : kernel.gains) {
      text += fmt::format("| `{}` | {} | taken | {} | {} | {:.3g} ({}) | {:.3g} ({}) | {:.2f} |\n",
                          in_cell(kernel.kernel), kernel.program, kernel.num_cases, gain.device,
                          gain.before_seconds * 1e6, name_of(gain.before_binds),
                          gain.after_seconds * 1e6, name_of(gain.after_binds),
                          gain.before_seconds / gain.after_seconds);
    }
  }
  return text + "\n";
}

}  // namespace ambidex
