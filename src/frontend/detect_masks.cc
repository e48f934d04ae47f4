// SPDX-License-Identifier: Apache-2.0
// W02, W03, W04, W17: masks of lanes, which have 64 bits here.
#include <algorithm>

#include "frontend/kernel_detectors.h"

namespace ambidex::syntax {
namespace {

bool takes_mask(std::string_view name) {
  return (name.starts_with("__shfl") || name.starts_with("__ballot") || name.starts_with("__any") ||
          name.starts_with("__all") || name.starts_with("__match_") ||
          name.starts_with("__reduce_") || name == "__syncwarp") &&
         (name.ends_with("_sync") || name == "__syncwarp");
}

// All 32 lanes as a 64-bit number: the upper half of a wave is left out.
bool is_zero_extended(const Program& program, const Words& words, Span mask) {
  return constant_of(program, words, mask) == 0xffffffff;
}

void add_mask(const Kernels& kernels, const Function& function, Span mask, int at,
              std::vector<Finding>& findings) {
  const Words& words = *function.words;
  const std::string text = spelled(words, mask);
  const Width width = width_of_value(kernels.program, function, mask);
  if (width == Width::bits64 && is_zero_extended(kernels.program, words, mask)) {
    findings.push_back(
        finding(words, at, "W02", Severity::s0, FixKind::library,
                "the mask " + text +
                    " has 64 bits, but leaves out lanes 32 to 63: the upper half of each "
                    "wave takes part with a mask that it is not in; shift the mask to the lane's "
                    "own half"));
    return;
  }
  if (width != Width::bits32 && width != Width::narrow) return;
  findings.push_back(
      finding(words, at, "W02", Severity::s2, FixKind::library,
              "the mask " + text +
                  " has 32 bits; HIP's _sync functions take 64-bit masks only and fail to "
                  "compile: shift it to the lane's own half, never just widen it"));
}

// Parameters of a function-like macro that end up as masks: their literals are at the uses.
std::set<std::string> mask_parameters(const Program& program, const Function& macro) {
  std::set<std::string> names;
  for (const Call& call : macro.calls) {
    if (call.arguments.empty() || !takes_mask(name_of_call(program, *macro.words, call))) {
      continue;
    }
    const Span mask = call.arguments[0];
    if (mask.last - mask.first == 1) names.emplace(macro.words->text(mask.first));
  }
  return names;
}

void detect_mask_operands(const Kernels& kernels, const Function& function,
                          std::vector<Finding>& findings) {
  const Program& program = kernels.program;
  for (const Call& call : function.calls) {
    const std::string_view name = name_of_call(program, *function.words, call);
    if (takes_mask(name) && !call.arguments.empty() && !call.member) {
      add_mask(kernels, function, call.arguments[0], call.arguments[0].first, findings);
      continue;
    }
    for (const int index : named(program, name)) {
      const Function& macro = program.functions[static_cast<size_t>(index)];
      if (macro.macro == nullptr || !macro.macro->function_like) continue;
      const std::set<std::string> masks = mask_parameters(program, macro);
      for (size_t i = 0; i < std::min(call.arguments.size(), macro.parameters.size()); ++i) {
        if (!masks.contains(macro.parameters[i].name)) continue;
        add_mask(kernels, function, call.arguments[i], call.arguments[i].first, findings);
      }
    }
  }
}

// The first word of `span` from which its mask comes, for the place of the finding.
int mask_source(const Words& words, Span span) {
  for (int i = span.first; i < span.last; ++i) {
    const std::string_view text = words.text(i);
    if (text.starts_with("__ballot") || text == "__activemask" || text.starts_with("__match_")) {
      return i;
    }
  }
  return span.first;
}

// A bool of a mask is a test of it, and no loss.
bool narrow(Width width) { return width == Width::bits32; }

Finding lost_half(const Words& words, int at, const std::string& where) {
  return finding(words, at, "W03", Severity::s0, FixKind::rule,
                 "a mask of lanes has 64 bits here and is kept in " + where +
                     " of 32: lanes 32 to 63 are lost; take the lane's own half of it, "
                     "(mask >> (lane & 32)) & 0xffffffff");
}

void add_packed(const Words& words, int at, std::vector<Finding>& findings) {
  findings.push_back(finding(
      words, at, "W17", Severity::s0, FixKind::rule,
      "a mask of lanes goes to memory as a word of 32 lanes: with 64-bit masks the layout of that "
      "data changes; keep this kernel on warps of 32 and store the lane's own half"));
}

void detect_kept_masks(const Kernels& kernels, const Function& function,
                       std::vector<Finding>& findings) {
  const Program& program = kernels.program;
  const Words& words = *function.words;
  for (const Assignment& assignment : program.facts_of(function).assignments) {
    if (!is_mask(program, function, assignment.right)) continue;
    const int member = assignment.left.last - 1;
    const bool of_object = words.is_word(member) && member > assignment.target;  // a.b, a->b
    std::string name(words.text(of_object ? member : assignment.target));
    const Variable* target = variable(program, function, name);
    if (of_object && target == nullptr) {
      name = words.text(assignment.target);
      target = variable(program, function, name);
    }
    if (target == nullptr || function_at(program, words, assignment.sign) != &function) continue;
    const int at = mask_source(words, assignment.right);
    const Span cast = assignment.right;
    const bool cast_narrow =
        words.text(cast.first) == "(" && narrow(width_of_value(program, function, cast));
    if (narrow(target->width)) {
      findings.push_back(lost_half(words, at, "\"" + name + "\""));
    } else if (cast_narrow || words.text(cast.first) == "static_cast") {
      findings.push_back(lost_half(words, at, "a cast"));
    }
    const bool global = target->outside ? !target->shared : target->pointer && !target->array;
    if (assignment.element && global) {
      add_packed(words, assignment.target, findings);
    }
  }
  for (const auto& [name, found] : program.facts_of(function).variables) {
    const bool called = found.init.first > 0 && words.text(found.init.first - 1) != "=" &&
                        found.words == &words;  // unsigned m(mask), m{mask}
    if (called && narrow(found.width) && is_mask(program, function, found.init)) {
      findings.push_back(lost_half(words, found.name_at, "\"" + name + "\""));
    }
  }
}

void detect_returned_masks(const Kernels& kernels, const Function& function,
                           const Statement& statement, std::vector<Finding>& findings) {
  if (statement.kind == StatementKind::return_of &&
      narrow(kernels.program.facts_of(function).return_width) &&
      is_mask(kernels.program, function, statement.head)) {
    findings.push_back(lost_half(*function.words, statement.head.first, "a result"));
  }
  for (const Statement& inner : statement.body) {
    detect_returned_masks(kernels, function, inner, findings);
  }
  for (const Statement& inner : statement.otherwise) {
    detect_returned_masks(kernels, function, inner, findings);
  }
}

bool counts_bits(std::string_view name) {
  static const std::set<std::string_view> kNames{
      "__popc",        "__ffs",         "__clz",         "__brev",
      "__fns",         "__popcll",      "__ffsll",       "__clzll",
      "__brevll",      "popcount",      "popc",          "__builtin_popcount",
      "__builtin_ffs", "__builtin_clz", "__builtin_ctz", "countr_zero",
      "countl_zero"};
  return kNames.contains(name);
}

// atomicOr(&words[i], mask) and helper(mask) with a 32-bit parameter, popc(mask).
void detect_mask_calls(const Kernels& kernels, const Function& function,
                       std::vector<Finding>& findings) {
  const Program& program = kernels.program;
  const Words& words = *function.words;
  for (const Call& call : function.calls) {
    const std::string_view name = name_of_call(program, words, call);
    if (takes_mask(name) || call.member || function.lambda) continue;
    for (size_t i = 0; i < call.arguments.size(); ++i) {
      if (!is_mask(program, function, call.arguments[i])) continue;
      const bool wide = name.ends_with("ll");
      if (counts_bits(name) && i == 0) {
        findings.push_back(
            finding(words, call.name, "W04", Severity::s0, FixKind::rule,
                    std::string(name) +
                        (wide ? " of a mask of lanes counts 64 lanes here where 32 are meant"
                              : " of a mask of lanes sees 32 of its 64 bits") +
                        "; take the lane's own half of the mask first"));
      }
      if (name.starts_with("atomic") && i > 0) add_packed(words, call.name, findings);
      for (const int index : named(program, name)) {
        const Function& called = program.functions[static_cast<size_t>(index)];
        if (called.macro != nullptr || i >= called.parameters.size()) continue;
        if (!narrow(width_of(program, *called.words, called.parameters[i].type))) continue;
        const bool direct = mask_source(words, call.arguments[i]) != call.arguments[i].first ||
                            words.text(call.arguments[i].first).starts_with("__");
        if (direct) findings.push_back(lost_half(words, call.arguments[i].first, "a parameter"));
      }
    }
  }
}

}  // namespace

void detect_masks(const Kernels& kernels, std::vector<Finding>& findings) {
  for (const Function& function : kernels.program.functions) {
    if (!function.lambda) detect_mask_operands(kernels, function, findings);
    detect_kept_masks(kernels, function, findings);
    detect_returned_masks(kernels, function, function.block, findings);
    detect_mask_calls(kernels, function, findings);
  }
}

}  // namespace ambidex::syntax
