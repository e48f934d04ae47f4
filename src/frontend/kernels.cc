// SPDX-License-Identifier: Apache-2.0
// W and S: the program is read once for all of their detectors.
#include <cctype>

#include "frontend/kernel_detectors.h"

namespace ambidex::syntax {
namespace {

// WARP_SIZE that somebody has made 64, beside code that counts 32.
bool is_widened(const Program& program, const Words& words, int at) {
  std::string name;
  for (const char c : words.text(at)) {
    name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  if (name.find("warp") == std::string::npos && name.find("wave") == std::string::npos)
    return false;
  if (name.ends_with('s')) return false;  // a number of warps
  for (const std::string_view other : {"warps_", "waves_", "num", "max", "min", "per"}) {
    if (name.find(other) != std::string::npos) return false;
  }
  return constant_of(program, words, {at, at + 1}) == 64;
}

bool uses_hardware_lanes(const Program& program, const Function& function) {
  const Words& words = *function.words;
  for (int i = function.body.first; i < function.body.last; ++i) {
    if (!words.is_word(i)) continue;
    if (names_hardware_width(program, words, {i, i + 1}) || is_widened(program, words, i)) {
      return true;
    }
  }
  for (const Call& call : function.calls) {
    const std::string_view name = name_of_call(program, words, call);
    if (name == "__lane_id" || name == "__laneid") return true;
    if (is_asm(name) && asm_text(words, call).find("%lane") != std::string::npos) return true;
  }
  return false;
}

// A mask of all 64 lanes that is used as if it had 32; not one that is shifted to its half.
bool uses_whole_mask(const Program& program, const Function& function) {
  const FunctionFacts& facts = program.facts_of(function);
  for (const auto& [name, variable] : facts.variables) {
    if (variable.depends & kOnMask) return true;
  }
  for (const Call& call : function.calls) {
    const std::string_view name = name_of_call(program, *function.words, call);
    if (name.starts_with("__popc") || name.starts_with("__ffs") || name.starts_with("__clz")) {
      for (const Span argument : call.arguments) {
        if (is_mask(program, function, argument)) return true;
      }
    }
  }
  return (facts.returns & kOnMask) != 0;
}

bool counts_32(const Program& program, const Function& function) {
  for (int i = function.body.first; i < function.body.last; ++i) {
    if (lane_arithmetic(program, function, i) != 0) return true;
  }
  for (const auto& [name, variable] : program.facts_of(function).variables) {
    for (const Span bound : variable.bounds) {
      if (variable.shared && is_32(program, *variable.words, bound)) return true;
    }
  }
  return false;
}

bool is_lane_hazard(const Program& program, const std::vector<LaneUse>& lanes,
                    const Function& function, const Call& call) {
  const std::string_view name = name_of_call(program, *function.words, call);
  if (is_vote(name) || name.starts_with("__match_") || name.starts_with("__reduce_")) return true;
  switch (classify_shuffle(program, lanes, function, call)) {
    case ShuffleKind::none:
    case ShuffleKind::narrow:
    case ShuffleKind::butterfly:
    case ShuffleKind::guarded:
    case ShuffleKind::first_lane:
    case ShuffleKind::wave_wide:
      return false;
    default:
      return true;
  }
}

}  // namespace

Kernels kernels_of(const Program& program) {
  Kernels kernels{program, std::vector<LaneUse>(program.functions.size())};
  const auto at = [&](size_t i) -> LaneUse& {
    return kernels.lanes[static_cast<size_t>(program.facts[i].component)];
  };
  for (size_t i = 0; i < program.functions.size(); ++i) {
    const Function& function = program.functions[i];
    const bool constant = function.macro != nullptr && !function.macro->function_like;
    if (!function.device || constant) continue;
    LaneUse& use = at(i);
    use.hardware = use.hardware || uses_hardware_lanes(program, function) ||
                   uses_whole_mask(program, function);
    use.arithmetic32 = use.arithmetic32 || counts_32(program, function);
  }
  for (size_t i = 0; i < program.functions.size(); ++i) {
    for (const Call& call : program.functions[i].calls) {
      LaneUse& use = at(i);
      use.hazard = use.hazard || is_lane_hazard(program, kernels.lanes, program.functions[i], call);
      const std::string_view name = name_of_call(program, *program.functions[i].words, call);
      use.exchanges = use.exchanges || is_vote(name) || name.starts_with("__shfl");
    }
  }
  return kernels;
}

Span operand_before(const Words& words, int end, int first) {
  int at = end;
  while (at > first) {
    const std::string_view text = words.text(at - 1);
    if (text == ")" || text == "]") {
      const int partner = words.partner[static_cast<size_t>(at - 1)];
      if (partner < first) break;
      at = partner;
      if (!words.is_word(at - 1) || at - 1 < first || is_keyword(words.text(at - 1))) break;
      continue;
    }
    if (!words.is_word(at - 1) && words.token(at - 1).kind != TokenKind::number) break;
    --at;
    const std::string_view before = words.text(at - 1);
    if (at - 1 < first || (before != "." && before != "->" && before != "::")) break;
    --at;
  }
  return {at, end};
}

Span operand_after(const Words& words, int first, int last) {
  if (first >= last) return {first, first};
  if (words.text(first) == "~" || words.text(first) == "-") {
    return {first, operand_after(words, first + 1, last).last};
  }
  if (words.text(first) == "(") {
    const int close = words.partner[static_cast<size_t>(first)];
    return {first, close > first && close < last ? close + 1 : first + 1};
  }
  int end = first + 1;
  while (end + 1 < last && words.text(end) == "::") end += 2;
  return {first, end};
}

uint32_t lane_arithmetic(const Program& program, const Function& function, int at) {
  const Words& words = *function.words;
  std::string_view sign = words.text(at);
  if (sign.size() > 1 && sign.ends_with("=")) sign.remove_suffix(1);
  if (sign != "&" && sign != "%" && sign != "/" && sign != ">>") return 0;
  const Span right = operand_after(words, at + 1, function.body.last);
  if (names_hardware_width(program, words, right)) return 0;
  const int64_t value = constant_of(program, words, right).value_or(0);
  const bool lane = (sign == "&" && value == 31) || (sign == "%" && value == 32);
  const bool warp = (sign == ">>" && value == 5) || (sign == "/" && value == 32);
  if (!lane && !warp) return 0;
  const Span left = operand_before(words, at, function.body.first);
  if (left.empty() || !(depends_of(program, function, left) & kOnThread)) return 0;
  return lane ? kOnLane32 : kOnWarp32;
}

Finding finding(const Words& words, int at, std::string_view id, Severity severity, FixKind fix,
                std::string message) {
  return finding_at(*words.file, words.token(at), id, severity, fix, std::move(message));
}

}  // namespace ambidex::syntax

namespace ambidex {

void detect_kernels(const SourceView& view, std::vector<Finding>& findings) {
  const syntax::Program program = syntax::program_of(view);
  const syntax::Kernels kernels = syntax::kernels_of(program);
  for (const syntax::KernelDetector detector : syntax::kKernelDetectors) {
    detector(kernels, findings);
  }
}

}  // namespace ambidex
