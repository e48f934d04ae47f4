// SPDX-License-Identifier: Apache-2.0
#include "frontend/ptx_rewrite.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "frontend/ptx_names.h"

namespace ambidex {
namespace {

using Meaning = std::optional<PtxMeaning> (*)(const PtxScope&, const PtxInstruction&);

std::optional<PtxMeaning> any_meaning_of(const PtxScope& scope, const PtxInstruction& instruction) {
  constexpr Meaning kFamilies[] = {carry_meaning_of, vector_meaning_of, conversion_meaning_of,
                                   meaning_of,       video_meaning_of,  comparison_meaning_of,
                                   float_meaning_of, memory_meaning_of, atomic_meaning_of,
                                   warp_meaning_of};
  for (const Meaning family : kFamilies) {
    if (auto meaning = family(scope, instruction)) return meaning;
  }
  return {};
}

std::optional<std::string> branch_of(const PtxScope& scope, const PtxInstruction& instruction) {
  if (instruction.mnemonic != "bra" || instruction.operands.size() != 1) return {};
  if (!instruction.modifiers.empty() && instruction.modifiers[0] != "uni") return {};
  if (!has_label(scope.code, instruction.operands[0].text)) return {};
  return "goto " + spelled(instruction.operands[0].text);
}

std::optional<std::string> statement_of(const PtxScope& scope, const PtxInstruction& instruction,
                                        std::string& rule) {
  std::optional<std::string> text = branch_of(scope, instruction);
  if (!text) {
    const auto meaning = any_meaning_of(scope, instruction);
    if (!meaning) return {};
    rule = meaning->rule;
    text = meaning->text;
    if (!meaning->result.empty()) {
      if (instruction.operands.empty()) return {};
      text = assignment(scope, instruction.operands[0], meaning->text, meaning->result);
    }
  }
  if (!text || instruction.guard.empty()) return text;
  const PtxRegister* const guard = register_of(scope.code, instruction.guard);
  if (guard == nullptr || guard->type != "pred") return {};
  return fmt::format("if ({}{}) {}", instruction.guard_negated ? "!" : "",
                     spelled(instruction.guard), *text);
}

std::optional<std::string> declarations_of(const PtxCode& code) {
  std::string text;
  std::set<std::string> seen;
  for (const PtxRegister& declared : code.registers) {
    const std::string_view type = type_of_ptx(declared.type);
    const std::string name = spelled(declared.name);
    if (type.empty() || name.empty() || declared.count > 64) return {};
    for (int64_t i = 0; i < std::max<int64_t>(declared.count, 1); ++i) {
      const std::string one = declared.count == 0 ? name : name + std::to_string(i);
      if (!seen.insert(one).second) return {};  // of two scopes
      text += fmt::format("{} {}; ", type, one);
    }
  }
  return text;
}

// Jumps back are loops, and a loop that waits for another thread is not told from one that counts.
bool only_computes(const std::string& rule) {
  return rule == "arithmetic" || rule == "float" || rule.empty();
}

bool jumps_back(const PtxCode& code) {
  std::set<std::string> passed;
  for (const PtxInstruction& instruction : code.instructions) {
    passed.insert(instruction.labels.begin(), instruction.labels.end());
    if (instruction.mnemonic == "bra" && !instruction.operands.empty() &&
        passed.count(instruction.operands[0].text) != 0) {
      return true;
    }
  }
  return false;
}

std::string local_labels(const PtxCode& code) {
  std::string text;
  for (const PtxInstruction& instruction : code.instructions) {
    for (const std::string& label : instruction.labels) {
      text += fmt::format("__label__ {}; ", spelled(label));
    }
  }
  for (const std::string& label : code.end_labels) {
    text += fmt::format("__label__ {}; ", spelled(label));
  }
  return text;
}

std::string labelled(const std::vector<std::string>& labels, const std::string& text) {
  std::string out;
  for (const std::string& label : labels) out += spelled(label) + ":; ";
  return out + text;
}

bool has_hole(const AsmStatement& statement) {
  return statement.text.find(kPtxHole) != std::string::npos;
}

std::string hazard_of(const PtxCode& code) {
  for (const PtxInstruction& instruction : code.instructions) {
    const PtxRule* rule = ptx_rule(instruction);
    if (rule != nullptr && rule->hazard != "N01") return std::string(rule->hazard);
  }
  return "N01";
}

// Each instruction as a statement, in order; the refusal's reason in `out` if one is not known.
std::vector<std::string> statements_of(const PtxScope& scope, PtxRewrite& out) {
  std::vector<std::string> all;
  const bool loops = jumps_back(scope.code);
  for (const PtxInstruction& instruction : scope.code.instructions) {
    const auto text = statement_of(scope, instruction, out.rule);
    if (!text) {
      out.reason = fmt::format("no rule says {} in C++ with exactly its meaning",
                               full_mnemonic(instruction));
      return {};
    }
    if (loops && !only_computes(out.rule)) {
      out.reason = fmt::format("{} in a loop of PTX, which may wait for another thread",
                               full_mnemonic(instruction));
      return {};
    }
    all.push_back(labelled(instruction.labels, *text));
  }
  if (!scope.code.end_labels.empty()) all.push_back(labelled(scope.code.end_labels, ""));
  return all;
}

std::string joined(const std::vector<std::string>& statements) {
  std::string body;
  for (const std::string& text : statements) {
    if (!text.empty()) body += (body.empty() ? "" : "; ") + text;
  }
  return body;
}

}  // namespace

PtxRewrite rewritten(const AsmStatement& statement, const PtxCode& code) {
  PtxRewrite out{.text = "", .rule = "", .hazard = hazard_of(code), .reason = ""};
  auto declarations = declarations_of(code);
  if (has_hole(statement) || !declarations) {
    out.reason = "PTX that is put together by macros, or whose registers C++ cannot declare";
    return out;
  }
  std::vector<std::string> all = statements_of({statement, code}, out);
  if (!out.reason.empty()) return out;
  const bool carries = std::any_of(code.instructions.begin(), code.instructions.end(), uses_carry);
  if (carries) *declarations += "unsigned ambidex_carry = 0; ";
  *declarations = local_labels(code) + copies_of(statement, all) + *declarations;
  std::string body = joined(all);
  if (code.instructions.size() > 1) out.rule = "statements";
  const bool is_block =
      !declarations->empty() || body.find("; ") != std::string::npos || body.starts_with("if (");
  if (body.empty()) body = "(void)0";
  out.text = is_block ? fmt::format("do {{ {}{}; }} while (0)", *declarations, body) : body;
  return out;
}

}  // namespace ambidex
