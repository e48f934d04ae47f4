// SPDX-License-Identifier: Apache-2.0
// S09 and S10: memory shared with the host and other devices, and clocks.
#include "frontend/kernel_detectors.h"

namespace ambidex::syntax {
namespace {

bool is_clock(std::string_view name) {
  return name == "clock64" || name == "clock" || name == "__clock64" || name == "__clock" ||
         name == "__clock_hi" || name == "__globaltimer";
}

constexpr const char* kClock =
    " counts another clock here (core cycles against a 100 MHz wall clock), so that times and "
    "timeouts by it are wrong; use wall_clock64() with the attribute for its rate";
constexpr const char* kSystem =
    " reaches the host and other devices only in fine-grained memory here: what coarse-grained "
    "memory holds may be seen late or never; check how the flag's memory is allocated";

void detect_clocks(const Program& program, const Function& function,
                   std::vector<Finding>& findings) {
  const Words& words = *function.words;
  for (const Call& call : function.calls) {
    const std::string_view name = name_of_call(program, words, call);
    const auto add = [&](std::string message) {
      findings.push_back(
          finding(words, call.name, "S10", Severity::s0, FixKind::library, std::move(message)));
    };
    if (is_clock(name) && call.arguments.empty() && function.device && !call.member) {
      add(std::string(name) + "()" + kClock);
    } else if (name == "__nanosleep") {
      add("__nanosleep is missing here, and sleeps of another unit change timeouts; wait by "
          "wall_clock64(), or let the wave sleep by the port's function");
    } else if (is_asm(name)) {
      const std::string text = asm_text(words, call);
      const bool clock = text.find("%globaltimer") != std::string::npos ||
                         text.find("%clock") != std::string::npos;
      if (clock) add(std::string("the clock register that this asm reads") + kClock);
      if (text.find("nanosleep") != std::string::npos) {
        add("nanosleep is missing here; let the wave sleep by the port's function");
      }
    }
  }
  for (int i = function.body.first; i < function.body.last; ++i) {
    const std::string_view text = words.text(i);
    if (text != "clockRate" && text != "cudaDevAttrClockRate") continue;
    findings.push_back(finding(words, i, "S10", Severity::s0, FixKind::library,
                               std::string(text) +
                                   " is in kHz of the core clock, and not the rate of the counter "
                                   "that device code reads here; ask for the wall clock's rate"));
  }
}

bool is_system_scope(std::string_view name) {
  return name == "__threadfence_system" ||
         (name.starts_with("atomic") && name.ends_with("_system"));
}

bool shares_with_host(std::string_view word) {
  return word == "cudaHostAllocMapped" || word == "cudaHostRegisterMapped" ||
         word == "cudaHostGetDevicePointer" || word.starts_with("cudaIpcGetMem") ||
         word.starts_with("cudaIpcOpenMem");
}

bool polls_or_fences(const Program& program) {
  for (const Function& function : program.functions) {
    for (const Call& call : function.calls) {
      if (is_system_scope(function.words->text(call.name))) return true;
    }
    for (const auto& [name, variable] : program.facts_of(function).variables) {
      if (function.device && variable.is_volatile && variable.pointer) return true;
    }
  }
  return false;
}

}  // namespace

void detect_memory_order(const Kernels& kernels, std::vector<Finding>& findings) {
  const Program& program = kernels.program;
  const bool flags = polls_or_fences(program);
  for (const Function& function : program.functions) {
    if (function.lambda) continue;
    const Words& words = *function.words;
    detect_clocks(program, function, findings);
    for (const Call& call : function.calls) {
      const std::string_view name = name_of_call(program, words, call);
      const bool text = is_asm(name) && asm_text(words, call).find(".sys") != std::string::npos;
      if (!is_system_scope(name) && !text) continue;
      findings.push_back(
          finding(words, call.name, "S09", Severity::s0, FixKind::none,
                  (text ? "an access of system scope" : std::string(name)) + kSystem));
    }
    for (int i = function.body.first; i < function.body.last; ++i) {
      if (!words.is_word(i) || !shares_with_host(words.text(i))) continue;
      findings.push_back(finding(
          words, i, "S09", flags ? Severity::s0 : Severity::s3, FixKind::none,
          std::string(words.text(i)) +
              (flags ? ": kernels signal through such memory; it has to be fine-grained here, and "
                       "the accesses atomic"
                     : ": memory shared with the host; if kernels signal through it, it has to be "
                       "fine-grained here")));
    }
  }
}

}  // namespace ambidex::syntax
