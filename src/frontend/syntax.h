// SPDX-License-Identifier: Apache-2.0
// Functions and statements as the words of a file show them: without types, but for every template,
// macro body and preprocessor branch alike, and for sources that no compiler takes. A namespace of
// its own: "words", "statement" and "variable" are other things elsewhere.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/source_view.h"

namespace ambidex::syntax {

/// Words [first, last) of a Words.
struct Span {
  int first = 0;
  int last = 0;
  bool empty() const { return first >= last; }
};

/// A run of words that could be compiled together: one branch of each #if, or a macro's body.
struct Words {
  const SourceFile* file = nullptr;
  std::vector<const Token*> tokens;
  std::vector<int> partner;  // of a bracket, else -1

  std::string_view text(int i) const {
    return i < 0 || i >= std::ssize(tokens) ? std::string_view() : tokens[size_t(i)]->text;
  }
  bool is_word(int i) const {
    return i >= 0 && i < std::ssize(tokens) && tokens[size_t(i)]->kind == TokenKind::word;
  }
  const Token& token(int i) const { return *tokens[size_t(i)]; }
};

/// Fills in `partner`.
void match_brackets(Words& words);

/// As few runs as hold every branch of the file at least once, the first with the branches that
/// come first. Leaves out branches under a literal 0, those that only HIP compiles unless `hip`,
/// and preprocessor lines.
std::vector<std::unique_ptr<Words>> variants_of(const SourceFile& file, bool hip);

enum class StatementKind : uint8_t {
  simple,  // an expression or a declaration: `head`
  block,
  if_else,    // head: the condition
  loop,       // for, while: head holds all of the parentheses
  do_loop,    // head: the condition
  switch_of,  // head: the value
  return_of,  // head: the value
  break_out,
  continue_on,
};

struct Statement {
  StatementKind kind = StatementKind::simple;
  Span all;
  Span head;
  std::vector<Statement> body;
  std::vector<Statement> otherwise;  // of if_else
};

/// The statements of `span`, as a block.
Statement statements_of(const Words& words, Span span);

struct Call {
  int name = 0;         // the word
  int open = 0;         // its parenthesis
  bool member = false;  // after . or ->
  Span template_arguments;
  std::vector<Span> arguments;
};

struct Parameter {
  std::string name;
  Span type;
  Span fallback;  // after =
};

struct Function {
  const Words* words = nullptr;
  std::string name;
  int name_at = 0;
  Span head;  // the declaration before the body
  Span body;
  bool global = false;
  bool device = false;  // or global
  bool host = false;
  bool lambda = false;
  const Macro* macro = nullptr;  // whose body this is
  int parent = -1;               // of a lambda: index of the function that holds it
  std::vector<Parameter> parameters;
  std::vector<Parameter> template_parameters;
  Statement block;
  std::vector<Call> calls;  // also those of lambdas inside
};

/// Functions and lambdas of `words`. `device_words` are macros that stand for __device__.
std::vector<Function> functions_of(const Words& words, const std::set<std::string>& device_words);

/// The body of a macro as a function.
Function function_of(const Macro& macro, const Words& words);

std::vector<Call> calls_in(const Words& words, Span span);

/// `span` cut at its commas, those in brackets left alone.
std::vector<Span> split_commas(const Words& words, Span span);

/// Past the > that closes the < at `open`, or -1 if that is no list of template arguments.
int past_angles(const Words& words, int open, int last);

/// The words, with spaces where they need one.
std::string spelled(const Words& words, Span span);

/// Whether one of the words of `span` is `word`.
bool has_word(const Words& words, Span span, std::string_view word);

bool is_keyword(std::string_view word);

}  // namespace ambidex::syntax
