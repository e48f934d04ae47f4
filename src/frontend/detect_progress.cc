// SPDX-License-Identifier: Apache-2.0
// S03 and S08: loops that wait for another thread.
#include <algorithm>

#include "frontend/kernel_detectors.h"

namespace ambidex::syntax {
namespace {

constexpr int kMaxCallers = 8;  // levels

// The conditions that hold at word `at`; none of an else.
void conditions_at(const Statement& statement, int at, std::vector<Span>& conditions) {
  for (const Statement& inner : statement.body) {
    if (at < inner.all.first || at >= inner.all.last) continue;
    const bool otherwise = !inner.otherwise.empty() && at >= inner.otherwise[0].all.first;
    if (inner.kind == StatementKind::if_else && !otherwise) conditions.push_back(inner.head);
    conditions_at(inner, at, conditions);
  }
  for (const Statement& inner : statement.otherwise) {
    if (at >= inner.all.first && at < inner.all.last) conditions_at(inner, at, conditions);
  }
}

// threadIdx.x == 0, !threadIdx.x: one thread of a block, and so one of a wave.
bool picks_one(const Program& program, const Function& function, Span condition) {
  const Words& words = *function.words;
  const uint32_t depends = depends_of(program, function, condition);
  if (!(depends & kOnThread) || (depends & (kOnLane32 | kOnMask))) return false;
  if (words.text(condition.first) == "!") return true;
  for (int i = condition.first; i < condition.last; ++i) {
    if (words.text(i) == "==") return true;
  }
  return false;
}

bool is_single(const Program& program, const Function& function, int at, int depth) {
  std::vector<Span> conditions;
  conditions_at(function.block, at, conditions);
  for (const Span condition : conditions) {
    if (picks_one(program, function, condition)) return true;
  }
  if (depth >= kMaxCallers || function.global || function.lambda) return false;
  int callers = 0;
  for (const Function& caller : program.functions) {
    if (caller.lambda || !program.facts_of(caller).callees.contains(function.name)) continue;
    for (const Call& call : caller.calls) {
      if (caller.words->text(call.name) != function.name) continue;
      ++callers;
      if (!is_single(program, caller, call.name, depth + 1)) return false;
    }
  }
  return callers > 0;
}

bool within(Span span, int at) { return span.first <= at && at < span.last; }

class LoopWalk {
 public:
  LoopWalk(const Program& program, const Function& function, std::vector<Finding>& findings)
      : program_(program), function_(function), words_(*function.words), findings_(findings) {}

  void walk(const Statement& statement) {
    if (statement.kind == StatementKind::loop || statement.kind == StatementKind::do_loop) {
      look(statement);
    }
    for (const Statement& inner : statement.body) walk(inner);
    for (const Statement& inner : statement.otherwise) walk(inner);
  }

 private:
  void look(const Statement& loop) {
    if (const Call* lock = lock_in(loop)) {
      if (!releases_in(loop, *lock) && !is_single(program_, function_, loop.all.first, 0)) {
        add(loop, "S03", FixKind::rule_if_proved,
            "lanes spin for a lock that another lane of the same wave may hold: it never gets to "
            "run here; do the critical section inside the loop, or let lanes take turns");
      }
      return;
    }
    if (waits(loop)) look_at_poll(loop);
  }

  void add(const Statement& loop, std::string_view id, FixKind fix, const std::string& message) {
    const int at =
        loop.kind == StatementKind::do_loop ? std::max(loop.head.first - 2, 0) : loop.all.first;
    findings_.push_back(finding(words_, at, id, Severity::s0, fix, message));
  }

  bool constant(Span span) const {
    return constant_of(program_, words_, span).has_value() || has_word(words_, span, "true") ||
           has_word(words_, span, "false");
  }

  // Whether one of the words of `place` gets another value in the loop.
  bool moves(const Statement& loop, Span place) const {
    for (const Assignment& assignment : program_.facts_of(function_).assignments) {
      if (within(loop.all, assignment.sign) && !assignment.element &&
          has_word(words_, place, words_.text(assignment.target))) {
        return true;
      }
    }
    for (int i = loop.all.first; i < loop.all.last; ++i) {
      const std::string_view text = words_.text(i);
      if (text != "++" && text != "--") continue;
      const int counted = words_.is_word(i + 1) ? i + 1 : i - 1;
      if (words_.is_word(counted) && has_word(words_, place, words_.text(counted))) return true;
    }
    return false;
  }

  // atomicCAS(lock, 0, 1), atomicExch(lock, 1); not the retry loop atomicCAS(p, old, f(old)).
  bool takes_lock(const Call& call) const {
    const std::string_view name = name_of_call(program_, words_, call);
    const auto& arguments = call.arguments;
    if (name.starts_with("atomicCAS") && arguments.size() == 3) {
      const auto before = constant_of(program_, words_, arguments[1]);
      return before && before != constant_of(program_, words_, arguments[2]);
    }
    if (name.starts_with("atomicExch") && arguments.size() == 2) {
      return constant_of(program_, words_, arguments[1]).value_or(0) != 0;
    }
    if (name == "atomicTestAndSet" || name == "test_and_set") return true;
    return calls_lock(name);
  }

  // try_lock(): a function of the user's that takes a lock and gives none back.
  bool calls_lock(std::string_view name) const {
    for (const int index : named(program_, name)) {
      const Function& called = program_.functions[static_cast<size_t>(index)];
      if (&called == &function_ || called.macro != nullptr) continue;
      int atomics = 0;
      bool takes = false;
      for (const Call& call : called.calls) {
        const std::string_view inner = called.words->text(call.name);
        atomics += inner.starts_with("atomic");
        if (!inner.starts_with("atomicCAS") && !inner.starts_with("atomicExch")) continue;
        takes = takes || constant_of(program_, *called.words, call.arguments.back()) == 1 ||
                has_word(*called.words, call.arguments.back(), "true");
      }
      if (takes && atomics == 1 && called.block.body.size() <= 2) return true;
    }
    return false;
  }

  const Call* lock_in(const Statement& loop) const {
    for (const Call& call : function_.calls) {
      if (!within(loop.all, call.name) || !takes_lock(call)) continue;
      const bool probes = !call.arguments.empty() && moves(loop, call.arguments[0]);
      if (!probes) return &call;  // not the next slot of a table after each
    }
    return nullptr;
  }

  bool releases_in(const Statement& loop, const Call& lock) const {
    for (const Call& call : function_.calls) {
      if (!within(loop.all, call.name) || &call == &lock) continue;
      const std::string_view name = name_of_call(program_, words_, call);
      const bool release = name.find("unlock") != std::string_view::npos ||
                           name.find("release") != std::string_view::npos;
      const bool atomic = name.starts_with("atomicExch") || name.starts_with("atomicCAS") ||
                          name.starts_with("atomicAnd") || name.starts_with("atomicSub");
      if (release || (atomic && call.name > lock.name)) return true;
    }
    // *lock = 0, lock[i] = 0
    const Span place = lock.arguments.empty() ? Span{} : lock.arguments[0];
    for (const Assignment& assignment : program_.facts_of(function_).assignments) {
      if (!within(loop.all, assignment.sign) || assignment.sign < lock.name) continue;
      if (has_word(words_, place, words_.text(assignment.target)) &&
          constant_of(program_, words_, assignment.right) == 0) {
        return true;
      }
    }
    return false;
  }

  Span condition(const Statement& loop) const {
    if (words_.text(loop.all.first) != "for") return loop.head;
    int semicolons = 0;
    Span span{loop.head.first, loop.head.last};
    for (int i = loop.head.first; i < loop.head.last; ++i) {
      if (words_.text(i) != ";") continue;
      if (++semicolons == 1) span.first = i + 1;
      if (semicolons == 2) span.last = i;
    }
    return span;
  }

  // Nothing in the loop makes progress of its own: no assignment but of what it reads again.
  bool waits(const Statement& loop) const {
    if (words_.text(loop.all.first) == "for" && loop.head.last - loop.head.first > 2) {
      const Span test = condition(loop);
      if (test.last < loop.head.last && test.last + 1 < loop.head.last) return false;  // i++
    }
    for (const Call& call : function_.calls) {
      if (!within(loop.all, call.name)) continue;
      const std::string_view name = words_.text(call.name);
      if (name.starts_with("__syncthreads") || name == "sync") return false;
      const bool quiet = name.starts_with("atomic") || name.starts_with("__threadfence") ||
                         name == "__nanosleep" || name.starts_with("__ld") || is_asm(name) ||
                         name.starts_with("__syncwarp") || name.starts_with("clock");
      if (!quiet) return false;
    }
    for (int i = loop.all.first; i < loop.all.last; ++i) {
      const std::string_view text = words_.text(i);
      const int close = text == "[" ? words_.partner[static_cast<size_t>(i)] : -1;
      if (close > i && moves(loop, {i + 1, close})) return false;  // v = parent[v]
      if (text == "++" || text == "--" || text == "+=" || text == "-=" || text == ">>=" ||
          text == "<<=" || text == "/=" || text == "*=") {
        return false;
      }
    }
    return true;
  }

  struct Poll {
    bool found = false;
    bool atomic = false;
    bool is_volatile = false;
    bool shared = false;
    bool per_lane = false;  // each lane waits at a place of its own
    std::set<std::string_view> names;
  };

  // *(volatile int*)(p + 1): the bracket that ends the cast.
  bool is_pointer_cast(int close) const {
    const int open = words_.text(close) == ")" ? words_.partner[static_cast<size_t>(close)] : -1;
    return open > 0 && words_.text(close - 1) == "*" && words_.text(open - 1) == "*";
  }

  void read_at(int i, Poll& poll) const {
    const Variable* found = variable(program_, function_, words_.text(i));
    if (found == nullptr) return;
    const std::string_view next = words_.text(i + 1);
    const std::string_view before = words_.text(i - 1);
    const std::string_view outer = before == "(" ? words_.text(i - 2) : std::string_view();
    const bool in_brackets = found->pointer && (outer == "*" || is_pointer_cast(i - 2));
    const bool reads = in_brackets ||
                       (next == "[" && (found->pointer || found->shared || found->outside)) ||
                       (before == "&" && found->outside && is_pointer_cast(i - 2)) ||
                       (before == "*" && found->pointer) || (before == ")" && found->pointer) ||
                       (found->shared && !found->array) ||
                       (found->is_volatile && (found->outside || found->shared));
    if (!reads) return;
    poll.found = true;
    poll.names.insert(words_.text(i));
    poll.shared = poll.shared || found->shared;
    poll.is_volatile = poll.is_volatile || found->is_volatile;
    if (next == "[") {
      const Span index{i + 2, std::max(i + 2, words_.partner[static_cast<size_t>(i + 1)])};
      poll.per_lane = poll.per_lane || (depends_of(program_, function_, index) & kOnThread) != 0;
    }
    if (found->depends & kOnThread) poll.per_lane = true;
  }

  // Some threads of the block write here what the others wait for.
  bool is_written_beside(const Poll& poll) const {
    for (const Assignment& assignment : program_.facts_of(function_).assignments) {
      if (!poll.names.contains(words_.text(assignment.target))) continue;
      std::vector<Span> conditions;
      conditions_at(function_.block, assignment.sign, conditions);
      for (const Span condition : conditions) {
        const bool of_threads = (depends_of(program_, function_, condition) & kOnThread) != 0;
        if (of_threads && !has_word(words_, condition, "blockIdx")) return true;
      }
    }
    return false;
  }

  void look_at_poll(const Statement& loop) {
    Poll poll;
    for (int i = loop.all.first; i < loop.all.last; ++i) {
      if (words_.is_word(i)) read_at(i, poll);
      if (words_.text(i) == "volatile") poll.is_volatile = true;
      if (words_.text(i).starts_with("atomic")) poll.found = poll.atomic = true;
      if (words_.token(i).kind == TokenKind::text &&
          words_.text(i).find("ld.") != std::string_view::npos) {
        poll.found = true;
      }
    }
    if (!poll.found) return;
    if (depends_of(program_, function_, condition(loop)) & kOnThread) poll.per_lane = true;
    const bool single = is_single(program_, function_, loop.all.first, 0);
    const bool beside = !single && is_written_beside(poll);
    if (beside || (!single && (poll.shared || poll.per_lane))) {
      add(loop, "S03", FixKind::rule_if_proved,
          "lanes wait for a value that another lane of the same wave may have to write: it never "
          "gets to run here; exchange it with a shuffle or a barrier, or let lanes take turns");
    }
    if ((single || beside || !poll.per_lane) && !poll.shared && !poll.atomic) {
      add(loop, "S08", FixKind::rule,
          std::string("blocks wait for a flag in memory with ") +
              (poll.is_volatile ? "volatile" : "plain") +
              " loads: compute dies have caches of their own here, and the flag may never be seen, "
              "or seen before the data; use atomic loads of agent scope with acquire");
    }
  }

  const Program& program_;
  const Function& function_;
  const Words& words_;
  std::vector<Finding>& findings_;
};

// __threadfence(); flag[block] = 1;
void detect_flag_stores(const Program& program, const Function& function,
                        std::vector<Finding>& findings) {
  const Words& words = *function.words;
  for (const Call& call : function.calls) {
    if (words.text(call.name) != "__threadfence") continue;
    const int end = words.partner[static_cast<size_t>(call.open)];
    for (const Assignment& assignment : program.facts_of(function).assignments) {
      const bool next = assignment.left.first >= end && assignment.left.first <= end + 4 &&
                        assignment.left.first > end;
      if (!next) continue;
      const Variable* target = variable(program, function, words.text(assignment.target));
      if (target == nullptr || target->shared) continue;
      if (target->array && !target->outside) continue;
      const bool memory = assignment.element || target->outside;
      const bool flag = target->is_volatile || has_word(words, assignment.left, "volatile") ||
                        constant_of(program, words, assignment.right).has_value();
      if (!memory || !flag) continue;
      findings.push_back(finding(
          words, assignment.target, "S08", Severity::s0, FixKind::rule,
          std::string("a flag for other blocks is stored ") +
              (target->is_volatile ? "as volatile, and not atomically," : "plainly") +
              " after __threadfence(): compute dies have caches of their own here; use an atomic "
              "store of agent scope with release"));
    }
  }
}

}  // namespace

void detect_progress(const Kernels& kernels, std::vector<Finding>& findings) {
  for (const Function& function : kernels.program.functions) {
    if (!function.device) continue;
    LoopWalk(kernels.program, function, findings).walk(function.block);
    if (!function.lambda) detect_flag_stores(kernels.program, function, findings);
  }
}

}  // namespace ambidex::syntax
