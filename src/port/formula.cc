// SPDX-License-Identifier: Apache-2.0
#include "port/formula.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>

#include "ambidex/base.h"
#include "base/text.h"

namespace ambidex {
namespace {

constexpr int kMaxDepth = 200;

// Precedence climbing over the text itself; one pass, no tree.
struct Parser {
  std::string_view text;
  const Variables* variables;       // null: names are collected, values are not looked at
  std::vector<std::string>* names;  // or null
  size_t at = 0;
  int depth = 0;

  [[noreturn]] void fail(const std::string& what) const {
    throw Error(ErrorKind::bad_input,
                fmt::format("formula {}: {} at character {}", quote(text), what, at + 1));
  }

  void skip_spaces() {
    while (at < text.size() && std::isspace(static_cast<unsigned char>(text[at]))) ++at;
  }

  bool take(std::string_view word) {
    skip_spaces();
    if (!text.substr(at).starts_with(word)) return false;
    at += word.size();
    return true;
  }

  void expect(std::string_view word) {
    if (!take(word)) fail(fmt::format("expected {}", quote(word)));
  }

  int64_t number() {
    const size_t begin = at;
    while (at < text.size() && std::isalnum(static_cast<unsigned char>(text[at]))) ++at;
    const auto value = int64_from_text(text.substr(begin, at - begin));
    if (!value) {
      at = begin;
      fail("not an integer");
    }
    return *value;
  }

  static bool of_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

  int64_t name() {
    const size_t begin = at;
    while (at < text.size() && of_name(text[at])) ++at;
    const std::string word(text.substr(begin, at - begin));
    if ((word == "min" || word == "max") && take("(")) return extreme(word == "min");
    if (names && std::find(names->begin(), names->end(), word) == names->end()) {
      names->push_back(word);
    }
    if (!variables) return 1;
    const auto found = variables->find(word);
    if (found == variables->end()) fail(fmt::format("nothing is called {}", quote(word)));
    return found->second;
  }

  int64_t extreme(bool least) {
    const int64_t a = conditional();
    expect(",");
    const int64_t b = conditional();
    expect(")");
    return least ? std::min(a, b) : std::max(a, b);
  }

  int64_t primary() {
    skip_spaces();
    if (at == text.size()) fail("it ends too early");
    if (++depth > kMaxDepth) fail("nested too deeply");
    int64_t value = 0;
    if (take("(")) {
      value = conditional();
      expect(")");
    } else if (take("-")) {
      value = apply("-", 0, primary());
    } else if (std::isdigit(static_cast<unsigned char>(text[at]))) {
      value = number();
    } else if (of_name(text[at])) {
      value = name();
    } else {
      fail("expected a number, a name or (");
    }
    --depth;
    return value;
  }

  struct Operator {
    std::string_view word;
    int binds;  // the more, the tighter
  };

  std::optional<Operator> binary_operator() {
    static constexpr Operator kOperators[]{{"<<", 5}, {">>", 5}, {"<=", 4}, {">=", 4}, {"==", 3},
                                           {"!=", 3}, {"&&", 2}, {"||", 1}, {"<", 4},  {">", 4},
                                           {"*", 7},  {"/", 7},  {"%", 7},  {"+", 6},  {"-", 6}};
    skip_spaces();
    for (const Operator& candidate : kOperators) {
      if (text.substr(at).starts_with(candidate.word)) return candidate;
    }
    return std::nullopt;
  }

  int64_t binary(int least) {
    int64_t left = primary();
    for (auto found = binary_operator(); found && found->binds >= least;
         found = binary_operator()) {
      at += found->word.size();
      left = apply(found->word, left, binary(found->binds + 1));
    }
    return left;
  }

  int64_t conditional() {
    const int64_t condition = binary(1);
    if (!take("?")) return condition;
    const int64_t yes = branch(condition != 0);
    expect(":");
    const int64_t no = branch(condition == 0);
    return condition != 0 ? yes : no;
  }

  // A branch that is not taken may divide by zero: it is read, not evaluated.
  int64_t branch(bool taken) {
    const Variables* const all = variables;
    if (!taken) variables = nullptr;
    const int64_t value = conditional();
    variables = all;
    return value;
  }

  int64_t divide(bool rest, int64_t a, int64_t b) const {
    if (!variables) return 1;
    if (b == 0) fail("division by zero");
    if (b == -1) return rest ? 0 : apply("-", 0, a);
    return rest ? a % b : a / b;
  }

  int64_t apply(std::string_view word, int64_t a, int64_t b) const {
    int64_t value = 0;
    bool overflow = false;
    if (word == "*") overflow = __builtin_mul_overflow(a, b, &value);
    if (word == "+") overflow = __builtin_add_overflow(a, b, &value);
    if (word == "-") overflow = __builtin_sub_overflow(a, b, &value);
    if (word == "/" || word == "%") return divide(word == "%", a, b);
    if (word == "<<") {
      overflow = b < 0 || b > 62 || __builtin_mul_overflow(a, int64_t{1} << (b & 63), &value);
    }
    if (word == ">>") {
      overflow = b < 0 || b > 63;
      value = overflow ? 0 : a >> b;
    }
    if (word == "<") value = a < b;
    if (word == ">") value = a > b;
    if (word == "<=") value = a <= b;
    if (word == ">=") value = a >= b;
    if (word == "==") value = a == b;
    if (word == "!=") value = a != b;
    if (word == "&&") value = a != 0 && b != 0;
    if (word == "||") value = a != 0 || b != 0;
    if (overflow && variables) fail("the value does not fit into 64 bits");
    return value;
  }
};

int64_t parse(Parser parser) {
  const int64_t value = parser.conditional();
  parser.skip_spaces();
  if (parser.at != parser.text.size()) parser.fail("expected an operator or the end");
  return value;
}

}  // namespace

int64_t formula_value(std::string_view text, const Variables& variables) {
  return parse({.text = text, .variables = &variables, .names = nullptr});
}

std::vector<std::string> formula_names(std::string_view text) {
  std::vector<std::string> names;
  parse({.text = text, .variables = nullptr, .names = &names});
  return names;
}

}  // namespace ambidex
