// SPDX-License-Identifier: Apache-2.0
#include "frontend/syntax.h"

namespace ambidex::syntax {
namespace {

constexpr int kMaxDepth = 200;  // of statements in statements; deeper ones are taken as one

class Parser {
 public:
  explicit Parser(const Words& words) : words_(words) {}

  std::vector<Statement> list(Span span, int depth) {
    std::vector<Statement> statements;
    int at = span.first;
    while (at < span.last) {
      Statement statement = one(at, span.last, depth);
      at = std::max(statement.all.last, at + 1);
      statements.push_back(std::move(statement));
    }
    return statements;
  }

 private:
  Statement one(int at, int last, int depth) {
    at = past_labels(at, last);
    if (at >= last) return {.all = {at, last}};
    const std::string_view word = words_.text(at);
    if (depth > kMaxDepth) return {.all = {at, last}, .head = {at, last}};
    if (word == "{") return block(at, last, depth);
    if (word == "if") return branch(at, last, depth);
    if (word == "for" || word == "while") return loop(at, last, depth, StatementKind::loop);
    if (word == "switch") return loop(at, last, depth, StatementKind::switch_of);
    if (word == "do") return do_loop(at, last, depth);
    if (word == "else") return one(at + 1, last, depth);  // its if is in another branch
    const int end = semicolon(at, last);
    Statement statement{.all = {at, std::min(end + 1, last)}, .head = {at, end}};
    if (word == "return" || word == "co_return") {
      statement.kind = StatementKind::return_of;
      ++statement.head.first;
    }
    if (word == "break") statement.kind = StatementKind::break_out;
    if (word == "continue") statement.kind = StatementKind::continue_on;
    return statement;
  }

  int past_labels(int at, int last) const {
    while (at < last) {
      int colon = at;
      if (words_.text(at) == "case") {
        while (colon < last && words_.text(colon) != ":" && words_.text(colon) != ";") {
          colon = past_bracket(colon, last);
        }
      } else if (words_.text(at) == "default" ||
                 (words_.is_word(at) && words_.text(at + 1) == ":" &&
                  !is_keyword(words_.text(at)))) {
        colon = at + 1;
      } else if (words_.text(at) == ";") {
        colon = at;
        at = colon + 1;
        continue;
      }
      if (colon == at || colon >= last || words_.text(colon) != ":") return at;
      at = colon + 1;
    }
    return at;
  }

  // The next word, or past the bracket that opens at `at`.
  int past_bracket(int at, int last) const {
    const int partner = words_.partner[static_cast<size_t>(at)];
    return partner > at && partner < last ? partner + 1 : at + 1;
  }

  // Of the simple statement at `at`; `last` if there is none.
  int semicolon(int at, int last) const {
    while (at < last && words_.text(at) != ";") {
      if (words_.text(at) == "}") return at;
      at = past_bracket(at, last);
    }
    return at;
  }

  Statement block(int at, int last, int depth) {
    const int partner = words_.partner[static_cast<size_t>(at)];
    const int end = partner > at && partner < last ? partner : last;
    Statement statement{.kind = StatementKind::block, .all = {at, std::min(end + 1, last)}};
    statement.body = list({at + 1, end}, depth + 1);
    return statement;
  }

  // The parentheses after a keyword; `at` moves past them.
  Span parentheses(int& at, int last) const {
    if (at >= last || words_.text(at) != "(") return {at, at};
    const int past = past_bracket(at, last);
    const Span inside{at + 1, std::max(past - 1, at + 1)};
    at = past;
    return inside;
  }

  Statement branch(int at, int last, int depth) {
    Statement statement{.kind = StatementKind::if_else};
    int next = at + 1;
    if (words_.text(next) == "constexpr") ++next;
    statement.head = parentheses(next, last);
    if (next < last) {
      statement.body.push_back(one(next, last, depth + 1));
      next = statement.body.back().all.last;
    }
    if (next < last && words_.text(next) == "else" && next + 1 < last) {
      statement.otherwise.push_back(one(next + 1, last, depth + 1));
      next = statement.otherwise.back().all.last;
    }
    statement.all = {at, std::min(next, last)};
    return statement;
  }

  Statement loop(int at, int last, int depth, StatementKind kind) {
    Statement statement{.kind = kind};
    int next = at + 1;
    statement.head = parentheses(next, last);
    if (next < last && words_.text(next) == ";") {
      ++next;
    } else if (next < last) {
      statement.body.push_back(one(next, last, depth + 1));
      next = statement.body.back().all.last;
    }
    statement.all = {at, std::min(next, last)};
    return statement;
  }

  Statement do_loop(int at, int last, int depth) {
    Statement statement{.kind = StatementKind::do_loop};
    statement.body.push_back(one(at + 1, last, depth + 1));
    int next = statement.body.back().all.last;
    if (next < last && words_.text(next) == "while") {
      ++next;
      statement.head = parentheses(next, last);
      if (next < last && words_.text(next) == ";") ++next;
    }
    statement.all = {at, std::min(next, last)};
    return statement;
  }

  const Words& words_;
};

}  // namespace

Statement statements_of(const Words& words, Span span) {
  Statement block{.kind = StatementKind::block, .all = span};
  block.body = Parser(words).list(span, 0);
  return block;
}

}  // namespace ambidex::syntax
