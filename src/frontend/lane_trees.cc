// SPDX-License-Identifier: Apache-2.0
// Trees of shuffles towards the first lane of each 32, whose result no other lane uses: on 64 lanes
// the others come out otherwise, and nobody looks.
#include <algorithm>

#include "frontend/kernel_detectors.h"

namespace ambidex::syntax {
namespace {

constexpr int kMaxCallers = 4;  // levels of functions that hand a result on
constexpr int kMaxDistance = 16;

struct Around {
  const Statement* statement = nullptr;
  bool otherwise = false;  // in its else
};

// The statements around word `at`, outermost first.
std::vector<Around> around(const Statement& block, int at) {
  std::vector<Around> path;
  const Statement* inside = &block;
  while (inside != nullptr) {
    const Statement* next = nullptr;
    for (const bool otherwise : {false, true}) {
      for (const Statement& inner : otherwise ? inside->otherwise : inside->body) {
        if (at < inner.all.first || at >= inner.all.last) continue;
        if (!path.empty() && path.back().statement == inside) path.back().otherwise = otherwise;
        path.push_back({&inner, false});
        next = &inner;
      }
    }
    inside = next;
  }
  return path;
}

bool is_loop(const Statement& statement) {
  return statement.kind == StatementKind::loop || statement.kind == StatementKind::do_loop;
}

Span stripped(const Words& words, Span span) {
  while (words.text(span.first) == "(" &&
         words.partner[static_cast<size_t>(span.first)] == span.last - 1) {
    ++span.first;
    --span.last;
  }
  return span;
}

// The lane of 32, or the thread: an expression that is 0 in first lanes of 32 only.
bool is_lane(const Program& program, const Function& function, Span value, int depth = 0) {
  const Words& words = *function.words;
  value = stripped(words, value);
  if (value.empty() || depth > kMaxCallers) return false;
  bool counts = false;
  for (int i = value.first; i < value.last; ++i) {
    const std::string_view text = words.text(i);
    if (text == "&" || text == "%") {
      if (lane_arithmetic(program, function, i) != kOnLane32) return false;
      i = operand_after(words, i + 1, value.last).last - 1;
    } else if (text == "threadIdx") {
      counts = counts || words.text(i + 2) == "x";
    } else if (words.is_word(i) && words.text(i - 1) != ".") {
      const Variable* found = variable(program, function, text);
      if (found == nullptr || (found->depends & kOnThread) == 0) continue;
      const bool named = found->parameter && text.find("lane") != std::string_view::npos;
      if (!named &&
          (found->words != &words || !is_lane(program, function, found->init, depth + 1))) {
        return false;
      }
      counts = true;
    } else if (!words.is_word(i) && words.token(i).kind == TokenKind::sign && text != "+" &&
               text != "*" && text != "(" && text != ")" && text != ".") {
      return false;
    }
  }
  return counts;
}

// lane == 0, !lane, lane < 1, and more beside it.
bool picks_first(const Program& program, const Function& function, Span condition) {
  const Words& words = *function.words;
  condition = stripped(words, condition);
  int from = condition.first;
  bool found = false;
  for (int i = condition.first; i <= condition.last; ++i) {
    if (i < condition.last && words.text(i) == "||") return false;
    if (i < condition.last && words.text(i) == "(") {
      i = std::max(i, words.partner[static_cast<size_t>(i)]);
      continue;
    }
    if (i < condition.last && words.text(i) != "&&") continue;
    const Span part = stripped(words, {from, i});
    from = i + 1;
    const Span before{part.first, part.last - 2};
    const std::string_view sign = words.text(part.last - 2);
    const std::string_view number = words.text(part.last - 1);
    const bool compares = (sign == "==" && (number == "0" || number == "0u")) ||
                          (sign == "<" && (number == "1" || number == "1u"));
    if (words.text(part.first) == "!") {
      found = found || is_lane(program, function, {part.first + 1, part.last});
    } else if (words.text(part.first) == "0" && words.text(part.first + 1) == "==") {
      found = found || is_lane(program, function, {part.first + 2, part.last});
    } else if (compares) {
      found = found || is_lane(program, function, before);
    }
  }
  return found;
}

class Result {
 public:
  Result(const Program& program, const Function& function, int depth)
      : program_(program), function_(function), words_(*function.words), depth_(depth) {}

  // Whether only first lanes use `name` after the statement `end` of the path.
  bool is_for_first(std::string_view name, const std::vector<Around>& path, size_t end) const {
    const Variable* found = variable(program_, function_, name);
    if (found == nullptr || found->pointer || found->shared || found->outside) return false;
    for (size_t i = 0; i < end; ++i) {  // another round may use it
      const Span all = path[i].statement->all;
      const bool inside = found->name_at >= all.first && found->name_at < all.last;
      if (is_loop(*path[i].statement) && !inside) return false;
    }
    for (int i = path[end].statement->all.last; i < function_.body.last; ++i) {
      const std::string_view before = words_.text(i - 1);
      if (words_.text(i) != name || before == "." || before == "->") continue;
      const std::vector<Around> uses = around(function_.block, i);
      if (replaces(name, uses)) return true;
      if (!is_harmless(name, uses, i)) return false;
    }
    return true;
  }

  // Whether only first lanes use what is computed at word `at`.
  bool goes_to_first(int at) const {
    const std::vector<Around> path = around(function_.block, at);
    if (path.empty()) return false;
    const Statement& statement = *path.back().statement;
    if (statement.kind == StatementKind::return_of) return callers_take_first();
    const Assignment* taken = assignment_in(statement.all);
    return taken != nullptr && !taken->element &&
           is_for_first(words_.text(taken->target), path, path.size() - 1);
  }

 private:
  const Assignment* assignment_in(Span span) const {
    for (const Assignment& one : program_.facts_of(function_).assignments) {
      if (one.sign >= span.first && one.sign < span.last) return &one;
    }
    return nullptr;
  }

  // name = something else, whatever the thread.
  bool replaces(std::string_view name, const std::vector<Around>& uses) const {
    if (uses.size() != 1) return false;
    const Assignment* one = assignment_in(uses[0].statement->all);
    return one != nullptr && !one->element && words_.text(one->target) == name &&
           words_.text(one->sign) == "=" && !has_word(words_, one->right, name);
  }

  bool is_harmless(std::string_view name, const std::vector<Around>& uses, int at) const {
    for (const Around& one : uses) {
      if (one.statement->kind == StatementKind::if_else && !one.otherwise &&
          at >= one.statement->head.last && picks_first(program_, function_, one.statement->head)) {
        return true;
      }
    }
    if (uses.empty()) return false;
    const Statement& statement = *uses.back().statement;
    if (statement.kind == StatementKind::return_of) {
      return statement.head.last - statement.head.first == 1 && callers_take_first();
    }
    const Assignment* one = assignment_in(statement.all);  // name += f(name)
    return statement.kind == StatementKind::simple && one != nullptr && !one->element &&
           words_.text(one->target) == name;
  }

  bool callers_take_first() const {
    if (depth_ >= kMaxCallers || function_.global || function_.lambda) return false;
    int calls = 0;
    for (const Function& caller : program_.functions) {
      if (caller.lambda || !program_.facts_of(caller).callees.contains(function_.name)) continue;
      for (const Call& call : caller.calls) {
        if (caller.words->text(call.name) != function_.name) continue;
        ++calls;
        if (!Result(program_, caller, depth_ + 1).goes_to_first(call.name)) return false;
      }
    }
    return calls > 0;
  }

  const Program& program_;
  const Function& function_;
  const Words& words_;
  int depth_;
};

// for (int o = 16; o > 0; o /= 2) or (int o = 1; o < 32; o *= 2), and what it is called.
std::string_view distance_of(const Program& program, const Words& words, const Statement& loop) {
  if (words.text(loop.all.first) != "for") return {};
  int sign = loop.head.first;
  while (sign < loop.head.last && words.text(sign) != "=") ++sign;
  int end = sign;
  while (end < loop.head.last && words.text(end) != ";") ++end;
  const auto start = constant_of(program, words, {sign + 1, end});
  if (!start || *start < 1 || *start > kMaxDistance) return {};
  for (int i = end; i < loop.head.last; ++i) {
    const std::string_view text = words.text(i);
    if (text == ">>=" || text == "/=" || text == ">>" || text == "/") return words.text(sign - 1);
    if (text != "<" && text != "<=") continue;
    const auto bound = constant_of(program, words, operand_after(words, i + 1, loop.head.last));
    if (bound && *bound <= (text == "<" ? 2 : 1) * kMaxDistance) return words.text(sign - 1);
  }
  return {};
}

}  // namespace

bool is_tree_to_first_lane(const Program& program, const Function& function, const Call& call,
                           Span distance) {
  const Words& words = *function.words;
  if (function.macro != nullptr || function_at(program, words, call.name) != &function) {
    return false;
  }
  const std::vector<Around> path = around(function.block, call.name);
  if (path.empty()) return false;
  size_t last = path.size() - 1;
  const auto fixed = constant_of(program, words, distance);
  if (fixed ? *fixed < 1 || *fixed > kMaxDistance : distance.last - distance.first != 1) {
    return false;
  }
  while (!fixed && last > 0 && !is_loop(*path[last].statement)) --last;
  const Statement& tree = *path[last].statement;
  if (!fixed && distance_of(program, words, tree) != words.text(distance.first)) return false;
  for (const Call& other : function.calls) {
    const bool inside = other.name >= tree.all.first && other.name < tree.all.last;
    if (inside && words.text(other.name).starts_with("atomic")) return false;
  }
  const Result result(program, function, 0);
  if (tree.kind == StatementKind::return_of) return result.goes_to_first(call.name);
  int results = 0;
  for (const Assignment& one : program.facts_of(function).assignments) {
    if (one.sign < tree.all.first || one.sign >= tree.all.last) continue;
    const std::string_view name = words.text(one.target);
    const Variable* target = variable(program, function, name);
    if (target == nullptr || (one.element && (target->pointer || target->shared))) return false;
    const bool own = target->name_at >= tree.all.first && target->name_at < tree.all.last;
    if (!fixed && own) continue;  // of the loop alone
    ++results;
    if (!result.is_for_first(name, path, last)) return false;
  }
  return results > 0;
}

}  // namespace ambidex::syntax
