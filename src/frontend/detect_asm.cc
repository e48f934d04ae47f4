// SPDX-License-Identifier: Apache-2.0
// N01: inline PTX, and beside it the hazard that its instructions are about.
#include <fmt/format.h>

#include <map>

#include "frontend/detector.h"
#include "frontend/ptx.h"
#include "frontend/token_facts.h"

namespace ambidex {
namespace {

bool is_asm_word(std::string_view word) {
  return word == "asm" || word == "__asm__" || word == "__asm";
}

/// As messages show it: without holes, cut.
std::string shown(const std::string& name) {
  std::string out;
  for (const char c : name.substr(0, 60)) out += c == kPtxHole ? '$' : c;
  return out;
}

FixKind fix_of(const PtxRule* rule) {
  if (rule == nullptr || rule->treatment == PtxTreatment::agent) return FixKind::agent;
  return rule->treatment == PtxTreatment::rule ? FixKind::rule : FixKind::library;
}

struct AsmFacts {
  std::string hardest;  // the instruction that decides on the fix
  FixKind fix = FixKind::rule;
  std::string statement;  // of the hardest
  std::map<std::string, std::pair<std::string, const PtxRule*>> by_hazard;
  int num_known = 0;
};

int difficulty(FixKind fix) { return fix == FixKind::rule ? 0 : fix == FixKind::library ? 1 : 2; }

AsmFacts facts_of(const PtxCode& code) {
  AsmFacts facts;
  for (const PtxInstruction& instruction : code.instructions) {
    const PtxRule* const rule = ptx_rule(instruction);
    const std::string name = shown(full_mnemonic(instruction));
    const FixKind fix = fix_of(rule);
    if (rule != nullptr) ++facts.num_known;
    if (rule != nullptr && rule->hazard != "N01") {
      facts.by_hazard.try_emplace(std::string(rule->hazard), name, rule);
    }
    if (rule != nullptr && name.find(".tf32") != std::string::npos) {
      facts.by_hazard.try_emplace("N04", name, rule);
    }
    if (!facts.hardest.empty() && difficulty(fix) <= difficulty(facts.fix)) continue;
    facts.hardest = name;
    facts.fix = fix;
    facts.statement = rule ? std::string(rule->statement) : "not in the table of instructions";
  }
  if (!code.problems.empty()) facts.fix = FixKind::agent;
  return facts;
}

/// LD_GLOBAL(...) around asm leaves holes only; nothing is known then, and it is still PTX.
bool is_ptx(const AsmFacts& facts, const AsmStatement& statement, bool in_device) {
  if (statement.text.find_first_not_of(" \n\t") == std::string::npos) return false;
  return in_device || facts.num_known > 0;
}

void look_at_asm(const SourceFile& file, int64_t at, bool in_device,
                 std::vector<Finding>& findings) {
  const Token& token = file.tokens[static_cast<size_t>(at)];
  const AsmStatement statement =
      parse_asm(std::string_view(*file.text).substr(static_cast<size_t>(token.first)));
  const AsmFacts facts = facts_of(parse_ptx(statement.text));
  if (!is_ptx(facts, statement, in_device)) return;
  findings.push_back(finding_at(file, token, "N01", Severity::s2, facts.fix,
                                facts.hardest.empty()
                                    ? "inline PTX made by macros: AMD's assembler refuses it"
                                    : fmt::format("inline PTX, AMD's assembler refuses it; {}: {}",
                                                  facts.hardest, facts.statement)));
  for (const auto& [id, found] : facts.by_hazard) {
    findings.push_back(finding_at(file, token, id, Severity::s2, fix_of(found.second),
                                  fmt::format("PTX {}: {}", found.first, found.second->statement)));
  }
}

}  // namespace

void detect_asm(const SourceView& view, std::vector<Finding>& findings) {
  for (const SourceFile& file : view.files) {
    const std::vector<bool> device = device_words(view, file);
    for (int64_t i = 0; i < std::ssize(file.tokens); ++i) {
      const Token& token = file.tokens[static_cast<size_t>(i)];
      if (token.amd_only || !is_asm_word(token.text)) continue;
      const bool in_macro = token.directive;
      look_at_asm(file, i, device[static_cast<size_t>(i)] || in_macro, findings);
    }
  }
}

}  // namespace ambidex
