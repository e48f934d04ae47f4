// SPDX-License-Identifier: Apache-2.0
// One round of: what is assigned, returned and passed depends on what its expression depends on.
#include <algorithm>

#include "frontend/program.h"

namespace ambidex::syntax {

namespace {

bool raise(uint32_t& depends, uint32_t more) {
  const uint32_t all = depends | more;
  const bool changed = all != depends;
  depends = all;
  return changed;
}

Variable* own_variable(Program& program, const Function& function, std::string_view name) {
  return const_cast<Variable*>(variable(program, function, name));
}

// Statements that only some threads of a block reach.
void find_divergent(const Program& program, const Function& function, const Statement& statement,
                    bool divergent, std::vector<Span>& spans) {
  if (divergent) {
    spans.push_back(statement.all);
    return;
  }
  const bool conditional =
      statement.kind == StatementKind::if_else || statement.kind == StatementKind::switch_of;
  const bool splits =
      conditional && (depends_of(program, function, statement.head) & kOnThread) != 0;
  for (const Statement& inner : statement.body) {
    find_divergent(program, function, inner, splits, spans);
  }
  for (const Statement& inner : statement.otherwise) {
    find_divergent(program, function, inner, splits, spans);
  }
}

bool spread_assignments(Program& program, size_t index) {
  const Function& function = program.functions[index];
  const Words& words = *function.words;
  std::vector<Span> divergent;
  find_divergent(program, function, function.block, false, divergent);
  bool changed = false;
  for (const Assignment& assignment : program.facts[index].assignments) {
    Variable* target = own_variable(program, function, words.text(assignment.target));
    if (target == nullptr || (assignment.element && !target->array)) continue;
    if (target->shared) continue;
    uint32_t depends = depends_of(program, function, assignment.right);
    if (is_mask(program, function, assignment.right)) depends |= kOnMask;
    const bool inside = std::any_of(divergent.begin(), divergent.end(), [&](Span span) {
      return span.first <= assignment.target && assignment.target < span.last;
    });
    // A declaration inside a branch is seen there only.
    if (inside && target->name_at != assignment.target) depends |= kOnThread;
    changed = raise(target->depends, depends) || changed;
  }
  return changed;
}

// Initial values that are no assignments: T x(value), T x{value}, for (T x : values).
bool spread_initials(Program& program, size_t index) {
  const Function& function = program.functions[index];
  bool changed = false;
  for (auto& [name, variable] : program.facts[index].variables) {
    if (variable.init.empty() || variable.shared || variable.words != function.words) continue;
    uint32_t depends = depends_of(program, function, variable.init);
    if (is_mask(program, function, variable.init)) depends |= kOnMask;
    changed = raise(variable.depends, depends) || changed;
  }
  return changed;
}

// asm("..." : "=r"(a) : "r"(b)): a depends on b, and on the lane if the text says so.
bool spread_asm(Program& program, size_t index, const Call& call) {
  const Function& function = program.functions[index];
  const Words& words = *function.words;
  const std::string text = asm_text(words, call);
  uint32_t depends = kOnThread;
  if (text.find("%laneid") != std::string::npos || text.find("%lanemask") != std::string::npos) {
    depends |= kOnHardware;
  }
  if (text.find("vote.") != std::string::npos || text.find("match.") != std::string::npos ||
      text.find("activemask") != std::string::npos) {
    depends |= kOnHardware | kOnMask;
  }
  bool changed = false;
  const int close = words.partner[static_cast<size_t>(call.open)];
  for (int i = call.open; i + 2 < close; ++i) {
    if (words.token(i).kind != TokenKind::text || words.text(i + 1) != "(") continue;
    const std::string_view constraint = words.text(i);
    if (constraint.find('=') == std::string_view::npos &&
        constraint.find('+') == std::string_view::npos) {
      continue;
    }
    if (Variable* target = own_variable(program, function, words.text(i + 2))) {
      changed = raise(target->depends, depends) || changed;
    }
  }
  return changed;
}

bool spread_calls(Program& program, size_t index) {
  const Function& function = program.functions[index];
  bool changed = false;
  for (const Call& call : function.calls) {
    if (is_asm(function.words->text(call.name))) {
      changed = spread_asm(program, index, call) || changed;
    }
    if (!function.device) continue;
    for (const int callee : named(program, function.words->text(call.name))) {
      const Function& called = program.functions[static_cast<size_t>(callee)];
      if (callee == static_cast<int>(index)) continue;
      const size_t num = std::min(called.parameters.size(), call.arguments.size());
      for (size_t i = 0; i < num; ++i) {
        const auto found =
            program.facts[static_cast<size_t>(callee)].variables.find(called.parameters[i].name);
        if (found == program.facts[static_cast<size_t>(callee)].variables.end()) continue;
        uint32_t depends = depends_of(program, function, call.arguments[i]);
        if (is_mask(program, function, call.arguments[i])) depends |= kOnMask;
        if (called.macro != nullptr) depends &= ~kOnMask;  // not one type, but what is passed
        changed = raise(found->second.depends, depends) || changed;
      }
    }
  }
  return changed;
}

uint32_t returned(const Program& program, const Function& function, const Statement& statement) {
  uint32_t depends = 0;
  const bool value = statement.kind == StatementKind::return_of ||
                     (function.macro != nullptr && statement.kind == StatementKind::simple);
  if (value) {
    depends = depends_of(program, function, statement.head);
    if (is_mask(program, function, statement.head)) depends |= kOnMask;
  }
  for (const Statement& inner : statement.body) depends |= returned(program, function, inner);
  for (const Statement& inner : statement.otherwise) depends |= returned(program, function, inner);
  return depends;
}

// Without what its parameters bring in: the caller's arguments count there.
bool spread_returns(Program& program, size_t index) {
  const Function& function = program.functions[index];
  if (!function.device || function.lambda) return false;
  FunctionFacts& facts = program.facts[index];
  return raise(facts.returns, returned(program, function, function.block));
}

}  // namespace

bool spread_dependences(Program& program) {
  bool changed = false;
  for (size_t i = 0; i < program.functions.size(); ++i) {
    for (int round = 0; round < 4; ++round) {
      const bool more = spread_initials(program, i) | spread_assignments(program, i);
      changed = changed || more;
      if (!more) break;
    }
    changed = spread_calls(program, i) || changed;
    changed = spread_returns(program, i) || changed;
  }
  return changed;
}

}  // namespace ambidex::syntax
