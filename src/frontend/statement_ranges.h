// SPDX-License-Identifier: Apache-2.0
// Statements of a function body, told from its words: enough to guard them one by one.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "frontend/words.h"

namespace ambidex {

enum class RangeStatementKind : uint8_t { plain, declaration, block, branch, loop, other };

struct RangeStatement {
  RangeStatementKind kind = RangeStatementKind::plain;
  TokenRange words;                // `#pragma`s before it included
  TokenRange head;                 // between the brackets of if, for, while
  std::vector<TokenRange> bodies;  // of a block, branch or loop: without the braces
};

/// The statements within [first, last). Nothing if there are directives other than #pragma.
std::optional<std::vector<RangeStatement>> statements_of(const Words& words, TokenRange range);

/// `float a = x[i], *b = y;`: what is declared.
struct Declarator {
  int64_t name = -1;  // word
  bool is_pointer = false;
  bool is_reference = false;
  TokenRange initialiser;  // after `=`; empty if there is none
};
struct Declaration {
  TokenRange type;  // without const, static and the like
  std::vector<Declarator> declarators;
};
std::optional<Declaration> declaration_of(const Words& words, TokenRange statement);

/// Whether the `*` at word `i` is in front of a pointer, not between factors.
bool is_unary_star(const Words& words, int64_t i);

/// Of calls and conversions whose value is made of their arguments alone.
bool is_harmless_call(std::string_view name);

/// Whether an expression reads no memory and has no effect, so that any thread may evaluate it.
bool is_pure(const Words& words, TokenRange expression);

}  // namespace ambidex
