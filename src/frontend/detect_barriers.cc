// SPDX-License-Identifier: Apache-2.0
// S01 and S02: barriers that not all threads of the block reach, or not the same number of times.
#include <algorithm>

#include "frontend/kernel_detectors.h"

namespace ambidex::syntax {
namespace {

// The words of a function at which its threads wait for the block, callees included.
std::vector<int> barriers_in(const Program& program, const Function& function) {
  std::vector<int> places;
  const Words& words = *function.words;
  for (const Call& call : function.calls) {
    if (function_at(program, words, call.name) != &function && function.macro == nullptr) continue;
    const BarrierKind kind = barrier_of(program, function, call);
    bool waits = kind == BarrierKind::block || kind == BarrierKind::grid;
    if (!waits && !call.member) {
      for (const int index : named(program, words.text(call.name))) {
        waits = waits || program.facts[static_cast<size_t>(index)].has_barrier;
      }
    }
    if (waits) places.push_back(call.name);
  }
  for (int i = function.body.first; i < function.body.last; ++i) {  // SYNC; without parentheses
    if (!words.is_word(i) || words.text(i + 1) == "(") continue;
    for (const int index : named(program, words.text(i))) {
      const Function& macro = program.functions[static_cast<size_t>(index)];
      const bool object = macro.macro != nullptr && !macro.macro->function_like;
      if (object && &macro != &function && program.facts[static_cast<size_t>(index)].has_barrier) {
        places.push_back(i);
      }
    }
  }
  std::sort(places.begin(), places.end());
  return places;
}

bool any_in(const std::vector<int>& places, Span span) {
  const auto next = std::lower_bound(places.begin(), places.end(), span.first);
  return next != places.end() && *next < span.last;
}

// What is around the statement that is looked at.
struct Around {
  bool divergent = false;       // under a condition of which threads differ
  bool loop_divergent = false;  // the same, counted from the innermost loop
  Span loop;                    // innermost, empty if none
};

class BarrierWalk {
 public:
  BarrierWalk(const Kernels& kernels, const Function& function, std::vector<Finding>& findings)
      : program_(kernels.program),
        function_(function),
        words_(*function.words),
        places_(barriers_in(kernels.program, function)),
        findings_(findings) {}

  void run() {
    if (!places_.empty()) walk(function_.block, {});
  }

 private:
  void walk(const Statement& statement, Around around) {
    switch (statement.kind) {
      case StatementKind::return_of:
        if (around.divergent) add_exit(statement.all.first, "return", around.loop);
        return;
      case StatementKind::break_out:
      case StatementKind::continue_on:
        add_loop_exit(statement, around);
        return;
      case StatementKind::if_else:
      case StatementKind::switch_of:
        branch(statement, around);
        return;
      case StatementKind::loop:
      case StatementKind::do_loop:
        loop(statement, around);
        return;
      case StatementKind::simple:
        if (is_exit_asm(statement) && around.divergent) {
          add_exit(statement.all.first, "exit", around.loop);
        }
        look_at_macros(statement, around);
        break;
      case StatementKind::block:
        break;
    }
    for (const Statement& inner : statement.body) walk(inner, around);
  }

  void branch(const Statement& statement, Around around) {
    const bool splits = differs(statement.head);
    if (splits && !around.divergent) add_inside(statement.body, statement.otherwise);
    around.divergent = around.divergent || splits;
    around.loop_divergent = around.loop_divergent || splits;
    for (const Statement& inner : statement.body) walk(inner, around);
    for (const Statement& inner : statement.otherwise) walk(inner, around);
  }

  void loop(const Statement& statement, Around around) {
    const bool splits = differs(condition(statement.head));
    if (splits && !around.divergent) add_inside(statement.body, {});
    around.divergent = around.divergent || splits;
    around.loop_divergent = false;
    around.loop = statement.all;
    for (const Statement& inner : statement.body) walk(inner, around);
  }

  // Of for (a; b; c): b and what a and c do to it; of while and do all of it.
  Span condition(Span head) const {
    int first = -1;
    for (int i = head.first; i < head.last; ++i) {
      const int partner = words_.partner[static_cast<size_t>(i)];
      if (partner > i) {
        i = partner;
        continue;
      }
      if (words_.text(i) != ";") continue;
      if (first >= 0) return {first, i};
      first = i + 1;
    }
    if (first < 0 && has_word(words_, head, ":")) return {head.last, head.last};  // range-for
    return head;
  }

  bool differs(Span span) const {
    return !span.empty() && (depends_of(program_, function_, span) & kOnThread) != 0;
  }

  bool is_exit_asm(const Statement& statement) const {
    if (statement.head.empty() || !is_asm(words_.text(statement.head.first))) return false;
    for (int i = statement.head.first; i < statement.head.last; ++i) {
      if (words_.token(i).kind == TokenKind::text &&
          words_.text(i).find("exit;") != std::string_view::npos) {
        return true;
      }
    }
    return false;
  }

  static bool returns(const Statement& statement) {
    const auto inside = [](const std::vector<Statement>& all) {
      return std::any_of(all.begin(), all.end(), returns);
    };
    return statement.kind == StatementKind::return_of || inside(statement.body) ||
           inside(statement.otherwise);
  }

  // RETURN_IF_OUTSIDE(i, n);
  void look_at_macros(const Statement& statement, const Around& around) {
    for (const Call& call : function_.calls) {
      if (call.name < statement.all.first || call.name >= statement.all.last) continue;
      for (const int index : named(program_, words_.text(call.name))) {
        const Function& macro = program_.functions[static_cast<size_t>(index)];
        if (macro.macro == nullptr || &macro == &function_ || !returns(macro.block)) continue;
        const Span arguments{call.open + 1, words_.partner[static_cast<size_t>(call.open)]};
        if (!around.divergent && !differs(arguments)) continue;
        add_exit(call.name, "return", around.loop);
      }
    }
  }

  // A loop comes back to the barriers before the exit, too.
  void add_exit(int at, const std::string& word, Span around_loop) {
    if (!any_in(places_, {at, function_.body.last}) && !any_in(places_, around_loop)) return;
    findings_.push_back(finding(
        words_, at, "S01", Severity::s0, FixKind::rule,
        "some threads " + word +
            " before a barrier that the others of their wave still wait at: "
            "the wave hangs or faults here; keep them to the end with a flag and skip the work"));
  }

  void add_loop_exit(const Statement& statement, const Around& around) {
    if (!around.loop_divergent || around.loop.empty() || !any_in(places_, around.loop)) return;
    const bool leaves = statement.kind == StatementKind::break_out;
    findings_.push_back(finding(
        words_, statement.all.first, "S01", Severity::s0, FixKind::rule,
        std::string(leaves ? "some threads leave" : "some threads cut short") +
            " a loop with a barrier that the others of their wave still wait at: the wave hangs or "
            "faults here; keep them in the loop with a flag and skip the work"));
  }

  void add_inside(const std::vector<Statement>& body, const std::vector<Statement>& otherwise) {
    for (const auto* part : {&body, &otherwise}) {
      for (const Statement& inner : *part) {
        for (const int place : places_) {
          if (place < inner.all.first || place >= inner.all.last) continue;
          findings_.push_back(finding(
              words_, place, "S02", Severity::s0, FixKind::agent,
              "a barrier under a condition on which the threads of a 64-lane wave differ: the "
              "wave arrives for all of its lanes, or once for each side, and the counts no longer "
              "match; move the barrier out of the branch"));
        }
      }
    }
  }

  const Program& program_;
  const Function& function_;
  const Words& words_;
  std::vector<int> places_;
  std::vector<Finding>& findings_;
};

void detect_named(const Program& program, const Function& function,
                  std::vector<Finding>& findings) {
  if (function.lambda) return;
  for (const Call& call : function.calls) {
    if (barrier_of(program, function, call) != BarrierKind::named) continue;
    findings.push_back(finding(
        *function.words, call.name, "S02", Severity::s0, FixKind::agent,
        "a named barrier counts some of the block's warps of 32; waves of 64 cannot arrive by "
        "halves, and there are no such barriers here; split the block, or count arrivals in shared "
        "memory"));
  }
}

}  // namespace

void detect_barriers(const Kernels& kernels, std::vector<Finding>& findings) {
  for (const Function& function : kernels.program.functions) {
    detect_named(kernels.program, function, findings);
    BarrierWalk(kernels, function, findings).run();
  }
}

}  // namespace ambidex::syntax
