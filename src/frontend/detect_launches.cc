// SPDX-License-Identifier: Apache-2.0
// W07, W16, S06, S07: launches, and what the host believes about warps.
#include <algorithm>
#include <cctype>

#include "frontend/kernel_detectors.h"
#include "frontend/launches.h"

namespace ambidex::syntax {
namespace {

bool is_about_warps(std::string_view name) {
  std::string lower;
  for (const char c : name) lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower.find("warp") != std::string::npos || lower.find("lane") != std::string::npos;
}

// What the kernels that a function launches do with lanes; of all kernels if it launches none.
LaneUse launched_use(const Kernels& kernels, const Function& function,
                     const std::vector<LaunchSite>& launches) {
  LaneUse all;
  bool any = false;
  const auto add = [&](const Function& kernel) {
    const LaneUse& use = kernels.lanes_of(kernel);
    all.hardware |= use.hardware;
    all.arithmetic32 |= use.arithmetic32;
    all.hazard |= use.hazard;
    all.exchanges |= use.exchanges;
  };
  for (const LaunchSite& launch : launches) {
    if (launch.function != &function) continue;
    for (const int index : named(kernels.program, launch.kernel)) {
      add(kernels.program.functions[static_cast<size_t>(index)]);
      any = true;
    }
  }
  if (any) return all;
  for (const Function& kernel : kernels.program.functions) {
    if (kernel.global) add(kernel);
  }
  return all;
}

void add_host_constant(const LaneUse& use, const Words& words, int at, const std::string& what,
                       std::vector<Finding>& findings) {
  if (!use.hardware && !use.arithmetic32 && !use.hazard && !use.exchanges) return;
  const bool wrong = use.hardware || use.hazard;
  findings.push_back(
      wrong ? finding(words, at, "W07", Severity::s0, FixKind::rule_if_proved,
                      what + " on the host takes warps of 32, but the kernel works with the 64 "
                             "lanes of a wave: geometry and kernel disagree; change both or "
                             "neither")
            : finding(words, at, "W07", Severity::s3, FixKind::none,
                      what + " on the host takes warps of 32, as the kernel does: right as long as "
                             "both keep to it, as the port does"));
}

// Whether word `at` is in a launch's geometry, or in the initialiser of a variable there.
bool sizes_launch(const Function& function, const std::vector<LaunchSite>& launches, int at) {
  const Words& words = *function.words;
  int name = at;
  while (name > function.body.first && words.text(name) != ";" && words.text(name) != "{" &&
         words.text(name) != "=") {
    --name;
  }
  const bool initialises = words.text(name) == "=" && words.is_word(name - 1);
  for (const LaunchSite& launch : launches) {
    if (launch.function != &function) continue;
    for (const Span span : {launch.grid, launch.block, launch.shared_bytes}) {
      if (at >= span.first && at < span.last) return true;
      if (initialises && has_word(words, span, words.text(name - 1))) return true;
    }
  }
  return false;
}

bool is_comparison(std::string_view word) {
  return word == "<" || word == ">" || word == "<=" || word == ">=" || word == "==" || word == "!=";
}

// `name` as in for (int name = ...
bool is_loop_variable(const Words& words, const Function& function, std::string_view name) {
  for (int i = function.body.first; i < function.body.last; ++i) {
    if (words.text(i) != "for" || words.text(i + 1) != "(") continue;
    for (int at = i + 2; at < function.body.last && words.text(at) != ";"; ++at) {
      if (words.text(at) == name && words.text(at + 1) == "=") return true;
    }
  }
  return false;
}

// Whether a division at `at` only compares, indexes, bounds a loop or is of one element after the
// other, as where a host checks results: nothing that is launched or allocated depends on it.
bool is_of_elements(const Words& words, const Function& function, int at) {
  if (words.is_word(at - 1) && is_loop_variable(words, function, words.text(at - 1))) return true;
  if (is_comparison(words.text(at - 2)) || is_comparison(words.text(at + 2))) return true;
  int depth = 0;
  for (int i = at - 1; i > function.body.first; --i) {
    const std::string_view word = words.text(i);
    if (word == ")" || word == "]") ++depth;
    if (word == "(" || word == "[") --depth;
    if (depth < 0) {
      if (word == "[") return true;
      const std::string_view before = words.text(i - 1);
      if (before == "for" || before == "if" || before == "while") return true;
      depth = 0;
    }
    if (word == "{" || word == "}") return false;
  }
  return false;
}

// n / 32, 32 * rows, WARP_SIZE in a host function.
void detect_host_constants(const Kernels& kernels, const Function& function,
                           const std::vector<LaunchSite>& launches,
                           std::vector<Finding>& findings) {
  const Words& words = *function.words;
  const bool launches_here =
      std::any_of(launches.begin(), launches.end(),
                  [&](const LaunchSite& one) { return one.function == &function; });
  const LaneUse use = launched_use(kernels, function, launches);
  for (int i = function.body.first; i < function.body.last; ++i) {
    if (words.is_word(i) && is_about_warps(words.text(i)) &&
        is_32(kernels.program, words, {i, i + 1}) && words.text(i + 1) != "=") {
      add_host_constant(use, words, i, "\"" + std::string(words.text(i)) + "\"", findings);
    }
    const std::string_view sign = words.text(i);
    const std::string_view number = words.text(i + 1);
    const bool divides =
        (sign == "/" && (number == "32" || number == "32u")) || (sign == ">>" && number == "5");
    if (divides && launches_here && !is_of_elements(words, function, i)) {
      add_host_constant(use, words, i, "a division by 32", findings);
    }
    const bool multiplies = sign == "*" && (number == "32" || words.text(i - 1) == "32");
    if (multiplies && sizes_launch(function, launches, i)) {
      add_host_constant(use, words, i, "32 threads for each thing counted", findings);
    }
  }
}

// dim3 block(32, 8)
void detect_blocks(const Kernels& kernels, const LaunchSite& launch, const LaneUse& use,
                   std::vector<Finding>& findings) {
  const Words& words = *launch.function->words;
  const auto extent = constant_extent(kernels.program, *launch.function, launch.block);
  if (!extent || extent->empty()) return;
  int64_t threads = 1;
  for (const int64_t value : *extent) threads *= std::clamp<int64_t>(value, 0, 1 << 20);
  if (threads % 64 != 0) {
    findings.push_back(finding(
        words, launch.at, "W16", Severity::s3, FixKind::rule_if_proved,
        "blocks of " + std::to_string(threads) + " threads are no whole number of 64-lane waves: " +
            (threads % 64 == 32 ? "half a wave stays idle" : "a part of a wave stays idle")));
  }
  if (extent->size() < 2 || (*extent)[0] != 32) return;
  const Variable* found =
      launch.block.last - launch.block.first == 1
          ? variable(kernels.program, *launch.function, words.text(launch.block.first))
          : nullptr;
  const int at = found != nullptr && found->words == &words ? found->name_at : launch.block.first;
  add_host_constant(use, words, at, "a block with rows of 32 threads", findings);
}

void detect_cooperative(const Program& program, const Function& function,
                        std::vector<Finding>& findings) {
  const Words& words = *function.words;
  for (const Call& call : function.calls) {
    const std::string_view name = words.text(call.name);
    if (name.starts_with("cudaLaunchCooperativeKernel") || name == "cuLaunchCooperativeKernel") {
      findings.push_back(finding(words, call.name, "S06", Severity::s1, FixKind::rule,
                                 "a cooperative launch fails if the whole grid does not fit at "
                                 "once, and the fit is another here; cap the grid by the occupancy "
                                 "query and let blocks loop over the work"));
    }
    if (barrier_of(program, function, call) == BarrierKind::grid || name == "this_grid") {
      findings.push_back(finding(words, call.name, "S06", Severity::s1, FixKind::rule,
                                 "a barrier of the whole grid needs a cooperative launch that fits "
                                 "at once, and the fit is another here; cap the grid by the "
                                 "occupancy query and let blocks loop over the work"));
    }
  }
  for (int i = function.body.first; i < function.body.last; ++i) {
    if (words.text(i) != "cudaLaunchAttributeCooperative") continue;
    findings.push_back(finding(words, i, "S06", Severity::s1, FixKind::rule,
                               "a cooperative launch by attribute: the grid has to fit at once, "
                               "and HIP may lack the attribute; use hipLaunchCooperativeKernel "
                               "with a grid capped by the occupancy query"));
  }
}

void detect_device_launches(const Function& function, std::vector<Finding>& findings) {
  if (!function.device || function.macro != nullptr || function.lambda) return;
  const Words& words = *function.words;
  const auto add = [&](int at) {
    findings.push_back(finding(words, at, "S07", Severity::s2, FixKind::agent,
                               "a kernel is launched from device code, which HIP cannot do; let "
                               "the host launch it, or take work from a queue in memory"));
  };
  for (int i = function.body.first; i < function.body.last; ++i) {
    const std::string_view text = words.text(i);
    if (text == "<<<" || text.starts_with("cudaLaunchDevice") ||
        text.starts_with("cudaGetParameterBuffer")) {
      add(i);
    }
    if (text == "cudaDeviceSynchronize" && function.global) add(i);
  }
}

}  // namespace

void detect_launches(const Kernels& kernels, std::vector<Finding>& findings) {
  const Program& program = kernels.program;
  const std::vector<LaunchSite> launches = launches_of(program);
  for (const LaunchSite& launch : launches) {
    if (launch.function->device && launch.function->macro == nullptr) continue;  // S07
    detect_blocks(kernels, launch, launched_use(kernels, *launch.function, launches), findings);
  }
  for (const Function& function : program.functions) {
    if (!function.lambda) detect_cooperative(program, function, findings);
    detect_device_launches(function, findings);
    if (function.host && !function.device && !function.lambda && function.macro == nullptr) {
      detect_host_constants(kernels, function, launches, findings);
    }
  }
}

}  // namespace ambidex::syntax
