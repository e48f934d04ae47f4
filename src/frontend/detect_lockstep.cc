// SPDX-License-Identifier: Apache-2.0
// S04 and S05: code that counts on the lanes of a warp moving together.
#include <algorithm>

#include "frontend/kernel_detectors.h"

namespace ambidex::syntax {
namespace {

constexpr const char* kTail =
    "a step of a reduction in the last warp without a barrier: the lanes move together here, but "
    "the compiler may reorder the accesses, and the guard covers half a wave; put a wave barrier "
    "and fence after each step, or reduce with shuffles";

bool waits(const Program& program, const Function& function, Span span) {
  for (const Call& call : function.calls) {
    if (call.name < span.first || call.name >= span.last) continue;
    const std::string_view name = name_of_call(program, *function.words, call);
    if (name == "__syncwarp" || name == "sync" ||
        barrier_of(program, function, call) != BarrierKind::none) {
      return true;
    }
  }
  return false;
}

struct Step {
  const Statement* statement = nullptr;
  Span group;               // the loop or block that it repeats in
  bool first_warp = false;  // under if (tid < 32)
};

bool is_first_warp(const Program& program, const Function& function, Span condition) {
  const Words& words = *function.words;
  for (int i = condition.first; i + 1 < condition.last; ++i) {
    if (words.text(i) != "<") continue;
    const Span limit{i + 1, condition.last};
    if (is_32(program, words, limit) || names_hardware_width(program, words, limit)) return true;
  }
  return false;
}

void steps_of(const Program& program, const Function& function, const Statement& statement,
              Step around, std::vector<Step>& steps) {
  if (statement.kind == StatementKind::simple) {
    around.statement = &statement;
    steps.push_back(around);
    return;
  }
  if (statement.kind == StatementKind::loop || statement.kind == StatementKind::do_loop) {
    around.group = statement.all;
  }
  if (statement.kind == StatementKind::if_else) {
    if (is_first_warp(program, function, statement.head)) {
      around.first_warp = true;
      around.group = statement.all;
    }
  }
  for (const Statement& inner : statement.body) {
    steps_of(program, function, inner, around, steps);
  }
  for (const Statement& inner : statement.otherwise) {
    steps_of(program, function, inner, around, steps);
  }
}

// s[i] += s[i + 16]: the array itself with a moved index on the right.
bool adds_moved(const Words& words, const Assignment& assignment, std::string_view name) {
  for (int i = assignment.right.first; i < assignment.right.last; ++i) {
    if (words.text(i) != name || words.text(i + 1) != "[") continue;
    const Span index{i + 2, words.partner[static_cast<size_t>(i + 1)]};
    for (const std::string_view sign : {"+", "-", "^"}) {
      if (has_word(words, index, sign)) return true;
    }
  }
  return false;
}

bool is_volatile_place(const Variable& found) {
  return found.is_volatile && (found.shared || found.pointer);
}

void detect_tails(const Program& program, const Function& function,
                  std::vector<Finding>& findings) {
  const Words& words = *function.words;
  std::vector<Step> steps;
  steps_of(program, function, function.block, {.group = function.body}, steps);
  for (const Assignment& assignment : program.facts_of(function).assignments) {
    if (!assignment.element) continue;
    const std::string_view name = words.text(assignment.target);
    const Variable* found = variable(program, function, name);
    if (found == nullptr || !adds_moved(words, assignment, name)) continue;
    const auto step = std::find_if(steps.begin(), steps.end(), [&](const Step& one) {
      return one.statement->all.first <= assignment.sign &&
             assignment.sign < one.statement->all.last;
    });
    if (step == steps.end()) continue;
    const bool plain_tail = found->shared && step->first_warp;
    if (!is_volatile_place(*found) && !plain_tail) continue;
    const Span after{step->statement->all.last, step->statement->all.last + 4};
    const bool loop = step->group.first > function.body.first;
    if (waits(program, function, after) || (loop && waits(program, function, step->group)))
      continue;
    findings.push_back(
        finding(words, assignment.target, "S04", Severity::s0, FixKind::rule, kTail));
  }
}

void detect_warp_barriers(const Program& program, const Function& function,
                          std::vector<Finding>& findings) {
  const Words& words = *function.words;
  for (const Call& call : function.calls) {
    const std::string_view name = name_of_call(program, words, call);
    const bool text = is_asm(name) && asm_text(words, call).find("bar.warp") != std::string::npos;
    if (name != "__syncwarp" && !text) continue;
    findings.push_back(finding(
        words, call.name, "S05", Severity::s0, FixKind::library,
        "a barrier of the warp is missing before HIP 7, and where it is defined to nothing the "
        "compiler reorders accesses to shared memory across it; use the port's, a wave barrier "
        "with "
        "a fence"));
  }
}

}  // namespace

void detect_lockstep(const Kernels& kernels, std::vector<Finding>& findings) {
  const Program& program = kernels.program;
  for (const Function& function : program.functions) {
    if (function.lambda) continue;
    detect_tails(program, function, findings);
    detect_warp_barriers(program, function, findings);
  }
  for (const Macro& macro : program.view->macros) {
    if (macro.name != "__syncwarp") continue;
    const SourceFile& file = program.view->files[macro.file];
    for (const Token& token : file.tokens) {
      if (token.line != macro.line || token.text != macro.name || !token.directive) continue;
      findings.push_back(finding_at(
          file, token, "S05", Severity::s0, FixKind::library,
          "a barrier of the warp of one's own: the compiler must not reorder accesses to shared "
          "memory across it; use the port's, a wave barrier with a fence"));
    }
  }
}

}  // namespace ambidex::syntax
