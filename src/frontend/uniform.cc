// SPDX-License-Identifier: Apache-2.0
#include "frontend/uniform.h"

#include <algorithm>

#include "frontend/statement_ranges.h"

namespace ambidex {
namespace {

bool assigns(std::string_view text) {
  return text == "=" || (text.size() >= 2 && text.ends_with("=") && text != "==" && text != "!=" &&
                         text != "<=" && text != ">=");
}

// The result of a barrier that counts is the block's.
bool is_of_block(std::string_view name) {
  return name == "__syncthreads_count" || name == "__syncthreads_and" || name == "__syncthreads_or";
}

std::set<std::string_view> shared_names(const Words& words, TokenRange body) {
  std::set<std::string_view> names;
  for (int64_t i = body.first; i < body.last; ++i) {
    if (words.text(i) != "__shared__") continue;
    for (; i < body.last && words.text(i) != ";"; ++i) {
      const std::string_view next = words.text(i + 1);
      if (words.is_word(i) && (next == ";" || next == "," || next == "[" || next == "=")) {
        names.insert(words.text(i));
      }
      if (words.partner_of(i) > i) i = words.partner_of(i);
    }
  }
  return names;
}

class Spread {
 public:
  Spread(const Words& words, Uniformity& names) : words_(words), names_(names) {}

  // Until nothing new varies.
  void run(TokenRange body) {
    do {
      grew_ = false;
      add_values(body);
      add_changes(body, false);
    } while (grew_);
  }

 private:
  void add(int64_t name) {
    if (name < 0 || !words_.is_word(name) || words_.text(name - 1) == ".") return;
    if (names_.shared.contains(words_.text(name))) return;
    grew_ = names_.varying.insert(words_.text(name)).second || grew_;
  }

  // x = threadIdx.x; f(&x)
  void add_values(TokenRange body) {
    for (int64_t i = body.first; i < body.last; ++i) {
      const bool takes_address = words_.text(i) == "&" && !words_.is_word(i - 1) &&
                                 words_.text(i - 1) != ")" && words_.text(i - 1) != "]" &&
                                 words_.at(i - 1).kind != TokenKind::number;
      if (takes_address) add(i + 1);
      if (!assigns(words_.text(i))) continue;
      int64_t end = i + 1;
      while (end < body.last && words_.text(end) != ";" && words_.text(end) != "," &&
             words_.text(end) != ")") {
        end = words_.partner_of(end) > end ? words_.partner_of(end) + 1 : end + 1;
      }
      if (!is_uniform(words_, {i + 1, std::min(end, body.last)}, names_)) add(i - 1);
    }
  }

  void add_all_changes(TokenRange range) {
    for (int64_t i = range.first; i < range.last; ++i) {
      if (assigns(words_.text(i))) add(i - 1);
      if (words_.text(i) != "++" && words_.text(i) != "--") continue;
      add(words_.is_word(i + 1) ? i + 1 : i - 1);
    }
  }

  // Some threads may leave the loop, or a round of it, before others.
  bool is_left_apart(TokenRange body) const {
    const auto statements = statements_of(words_, body);
    if (!statements) return true;
    return std::any_of(statements->begin(), statements->end(), [&](const RangeStatement& inner) {
      if (inner.kind != RangeStatementKind::branch) {
        return inner.kind != RangeStatementKind::loop &&
               std::any_of(inner.bodies.begin(), inner.bodies.end(),
                           [&](TokenRange range) { return is_left_apart(range); });
      }
      const bool splits = !is_uniform(words_, inner.head, names_);
      return std::any_of(inner.bodies.begin(), inner.bodies.end(), [&](TokenRange range) {
        return splits ? jumps(range) : is_left_apart(range);
      });
    });
  }

  bool jumps(TokenRange range) const {
    for (int64_t i = range.first; i < range.last; ++i) {
      if (words_.text(i) == "break" || words_.text(i) == "continue" || words_.text(i) == "goto") {
        return true;
      }
    }
    return false;
  }

  // What only some of the threads do, or not as often as others.
  void add_changes(TokenRange range, bool is_divergent) {
    const auto statements = statements_of(words_, range);
    if (!statements || is_divergent) {
      if (is_divergent) add_all_changes(range);
      return;
    }
    for (const RangeStatement& statement : *statements) {
      const bool is_loop = statement.kind == RangeStatementKind::loop;
      const bool is_headed = is_loop || statement.kind == RangeStatementKind::branch;
      bool splits = is_headed && !is_uniform(words_, statement.head, names_);
      for (size_t i = 0; is_loop && !splits && i < statement.bodies.size(); ++i) {
        splits = is_left_apart(statement.bodies[i]);
      }
      if (splits) add_all_changes(statement.head);
      for (const TokenRange body : statement.bodies) add_changes(body, splits);
    }
  }

  const Words& words_;
  Uniformity& names_;
  bool grew_ = false;
};

}  // namespace

bool is_uniform(const Words& words, TokenRange expression, const Uniformity& names) {
  for (int64_t i = expression.first; i < expression.last; ++i) {
    const std::string_view text = words.text(i);
    if (is_of_block(text) && words.partner_of(i + 1) > i) {
      i = words.partner_of(i + 1);
      continue;
    }
    if (text == "threadIdx" || text == "->") return false;
    if (text == "[" && !names.shared.contains(words.text(i - 1))) return false;
    if (text == "*" && is_unary_star(words, i)) return false;
    if (text == "(" && words.is_word(i - 1) && !is_harmless_call(words.text(i - 1)) &&
        words.text(i - 1) != "return") {
      return false;
    }
    if (words.is_word(i) && words.text(i - 1) != "." && names.varying.contains(text)) return false;
  }
  return true;
}

Uniformity uniformity_of(const Words& words, TokenRange body) {
  Uniformity names;
  names.shared = shared_names(words, body);
  Spread(words, names).run(body);
  return names;
}

}  // namespace ambidex
