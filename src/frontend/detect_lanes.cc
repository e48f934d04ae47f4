// SPDX-License-Identifier: Apache-2.0
// W06 and W08: lanes and warps counted by hand, and shared memory sized by them.
#include <algorithm>

#include "frontend/kernel_detectors.h"

namespace ambidex::syntax {
namespace {

void detect_arithmetic(const Kernels& kernels, const Function& function,
                       std::vector<Finding>& findings) {
  if (function.lambda) return;
  const LaneUse& use = kernels.lanes_of(function);
  for (int i = function.body.first; i < function.body.last; ++i) {
    const uint32_t kind = lane_arithmetic(kernels.program, function, i);
    if (kind == 0) continue;
    const std::string what = kind == kOnLane32 ? "a lane of 32" : "a warp of 32";
    findings.push_back(
        use.hardware
            ? finding(*function.words, i, "W06", Severity::s0, FixKind::rule,
                      what + " computed from the thread, in code that also uses the width or the "
                             "lane masks of the hardware, which are 64 here: the two disagree; "
                             "keep all of it on 32")
            : finding(*function.words, i, "W06", Severity::s3, FixKind::none,
                      what + " computed from the thread: right as long as all of the code keeps "
                             "to 32, as the port does; widen all of it together or nothing"));
  }
}

bool bound_is_32(const Program& program, const Variable& variable) {
  return std::any_of(variable.bounds.begin(), variable.bounds.end(),
                     [&](Span bound) { return is_32(program, *variable.words, bound); });
}

bool looks_like_warp(std::string_view name) {
  return name.starts_with("warp") || name.starts_with("wave") || name == "wid" ||
         name.find("warp_id") != name.npos || name.find("warpId") != name.npos ||
         name.find("warpIdx") != name.npos;
}

// The strongest dependence of the indices with which `name` is used.
uint32_t index_depends(const Program& program, const Function& function, std::string_view name) {
  const Words& words = *function.words;
  uint32_t depends = 0;
  for (int i = function.body.first; i + 1 < function.body.last; ++i) {
    if (words.text(i) != name || words.text(i + 1) != "[") continue;
    for (int open = i + 1; words.text(open) == "[";) {
      const int close = words.partner[static_cast<size_t>(open)];
      if (close < 0) break;
      const Span index{open + 1, close};
      depends |= depends_of(program, function, index);
      for (int k = index.first; k < index.last; ++k) {
        if (words.is_word(k) && looks_like_warp(words.text(k))) depends |= kOnWarp32;
      }
      open = close + 1;
    }
  }
  return depends;
}

// The same of what functions do with it that it is handed to.
uint32_t index_depends_of_callees(const Program& program, const Function& function,
                                  std::string_view name) {
  const Words& words = *function.words;
  uint32_t depends = 0;
  for (const Call& call : function.calls) {
    for (size_t i = 0; i < call.arguments.size(); ++i) {
      const Span argument = call.arguments[i];
      if (argument.last - argument.first != 1 || words.text(argument.first) != name) continue;
      for (const int index : named(program, words.text(call.name))) {
        const Function& callee = program.functions[static_cast<size_t>(index)];
        if (callee.macro != nullptr || i >= callee.parameters.size()) continue;
        depends |= index_depends(program, callee, callee.parameters[i].name);
      }
    }
  }
  return depends;
}

void detect_partials(const Kernels& kernels, const Function& function,
                     std::vector<Finding>& findings) {
  const Program& program = kernels.program;
  const LaneUse& use = kernels.lanes_of(function);
  for (const auto& [name, variable] : program.facts_of(function).variables) {
    if (!variable.shared || variable.words != function.words || variable.name_at < 0) continue;
    if (!bound_is_32(program, variable)) continue;
    const uint32_t depends =
        index_depends(program, function, name) | index_depends_of_callees(program, function, name);
    const bool by_width = (depends & kOnHardware) != 0;
    if (!(depends & (kOnWarp32 | kOnWaveId)) && !by_width) continue;
    const bool wrong = by_width || (depends & kOnWaveId) || use.hardware || use.hazard;
    findings.push_back(
        wrong ? finding(*function.words, variable.name_at, "W08", Severity::s0,
                        FixKind::rule_if_proved,
                        "\"" + name +
                            "\" has room for the partial results of 32 warps, but 1024 threads are "
                            "16 waves of 64 here: what the others would have written is read "
                            "uninitialised; size it by the largest number of warps and fill it "
                            "with zeros")
              : finding(*function.words, variable.name_at, "W08", Severity::s3, FixKind::none,
                        "\"" + name +
                            "\" holds one partial result per warp of 32: right as long as all of "
                            "the code keeps to 32, as the port does"));
  }
}

}  // namespace

void detect_lanes(const Kernels& kernels, std::vector<Finding>& findings) {
  for (const Function& function : kernels.program.functions) {
    detect_arithmetic(kernels, function, findings);
    detect_partials(kernels, function, findings);
  }
}

}  // namespace ambidex::syntax
