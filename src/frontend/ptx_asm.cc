// SPDX-License-Identifier: Apache-2.0
// The asm statement around PTX: string pieces, constraints and expressions, from C++ text.
#include <charconv>

#include "frontend/ptx.h"

namespace ambidex {
namespace {

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_';
}

struct SourceReader {
  std::string_view text;
  size_t at = 0;

  bool done() const { return at >= text.size(); }
  char peek(size_t ahead = 0) const { return at + ahead < text.size() ? text[at + ahead] : '\0'; }
  bool take(char c) {
    if (done() || peek() != c) return false;
    ++at;
    return true;
  }

  bool skip_comment() {
    if (peek() != '/' || (peek(1) != '/' && peek(1) != '*')) return false;
    const bool is_line = peek(1) == '/';
    const size_t end = text.find(is_line ? "\n" : "*/", at + 2);
    at = end == std::string_view::npos ? text.size() : end + (is_line ? 1 : 2);
    return true;
  }
  /// Also over the backslashes that join the lines of a macro.
  void skip_space() {
    while (!done()) {
      if (is_space(peek())) {
        ++at;
      } else if (peek() == '\\' && (peek(1) == '\n' || peek(1) == '\r')) {
        at += 2;
      } else if (!skip_comment()) {
        return;
      }
    }
  }
  std::string_view word() {
    const size_t start = at;
    while (is_word(peek())) ++at;
    return text.substr(start, at - start);
  }
};

void append_number(std::string& out, SourceReader& in, int base, size_t max_digits) {
  unsigned value = 0;
  const size_t count = std::min(max_digits, in.text.size() - in.at);
  const char* const start = in.text.data() + in.at;
  const auto [end, failure] = std::from_chars(start, start + count, value, base);
  in.at += static_cast<size_t>(end - start);
  if (failure == std::errc()) out += static_cast<char>(value & 0xff);
}

void append_escape(std::string& out, SourceReader& in) {
  const char c = in.peek();
  if (in.done()) return;
  if (c >= '0' && c <= '7') return append_number(out, in, 8, 3);
  ++in.at;
  if (c == 'x') return append_number(out, in, 16, 2);
  if (c == '\n') return;  // a line that goes on
  constexpr std::string_view kNames = "abfnrtv";
  constexpr std::string_view kBytes = "\a\b\f\n\r\t\v";
  const size_t index = kNames.find(c);
  out += index == std::string_view::npos ? c : kBytes[index];
}

/// At `R"`.
void read_raw_string(SourceReader& in, std::string& out) {
  in.at += 2;
  const size_t open = in.text.find('(', in.at);
  if (open == std::string_view::npos || open - in.at > 16) return;
  const std::string close = ")" + std::string(in.text.substr(in.at, open - in.at)) + "\"";
  const size_t end = in.text.find(close, open + 1);
  out += in.text.substr(open + 1, end == std::string_view::npos ? end : end - open - 1);
  in.at = end == std::string_view::npos ? in.text.size() : end + close.size();
}

/// A string literal at `in`, appended to `out`; false if there is none.
bool read_string(SourceReader& in, std::string& out) {
  if (in.peek() == 'R' && in.peek(1) == '"') {
    read_raw_string(in, out);
    return true;
  }
  if (!in.take('"')) return false;
  while (!in.done() && in.peek() != '"' && in.peek() != '\n') {
    const char c = in.peek();
    ++in.at;
    if (c == '\\') {
      append_escape(out, in);
    } else {
      out += c;
    }
  }
  in.take('"');
  return true;
}

/// After an opening bracket: the text up to its closing one, which is taken. Strings and
/// characters may hold brackets.
std::string balanced(SourceReader& in, char close) {
  const size_t start = in.at;
  int depth = 0;
  std::string ignored;
  while (!in.done()) {
    const char c = in.peek();
    if (depth == 0 && c == close) break;
    if (c == '(' || c == '[' || c == '{') ++depth;
    if ((c == ')' || c == ']' || c == '}') && --depth < 0) break;
    if (read_string(in, ignored) || in.skip_comment()) continue;
    ++in.at;
    if (c == '\'') {
      const size_t end = in.text.find('\'', in.at + (in.peek() == '\\' ? 2 : 0));
      in.at = end == std::string_view::npos || end > in.at + 8 ? in.at : end + 1;
    }
  }
  std::string out(in.text.substr(start, in.at - start));
  in.take(close);
  return out;
}

/// Pieces of text up to a colon, comma or bracket of the statement; other tokens become holes.
std::string read_pieces(SourceReader& in, bool keep_holes) {
  std::string out;
  for (in.skip_space(); !in.done(); in.skip_space()) {
    const char c = in.peek();
    if (c == ':' || c == ')' || c == ',') break;
    if (c == '(' && !keep_holes) break;
    if (read_string(in, out)) continue;
    const size_t start = in.at;
    if (in.word().empty()) ++in.at;
    if (c == '(') balanced(in, ')');
    const std::string name(in.text.substr(start, in.at - start));
    if (keep_holes && name.front() == '(' && out.ends_with(kPtxHole)) {
      out.insert(out.size() - 1, name);  // the arguments of the macro before
    } else {
      out += keep_holes ? kPtxHole + name + kPtxHole : name;
    }
  }
  return out;
}

std::vector<AsmOperand> read_operands(SourceReader& in) {
  std::vector<AsmOperand> operands;
  for (in.skip_space(); !in.done() && in.peek() != ':' && in.peek() != ')'; in.skip_space()) {
    const size_t before = in.at;
    AsmOperand operand;
    if (in.take('[')) operand.name = balanced(in, ']');
    operand.constraint = read_pieces(in, false);
    in.skip_space();
    if (in.take('(')) operand.expression = balanced(in, ')');
    operands.push_back(std::move(operand));
    in.skip_space();
    if (in.take(',') || in.at > before) continue;
    ++in.at;
  }
  return operands;
}

std::vector<std::string> read_clobbers(SourceReader& in) {
  std::vector<std::string> clobbers;
  for (const AsmOperand& operand : read_operands(in)) {
    if (!operand.constraint.empty()) clobbers.push_back(operand.constraint);
  }
  return clobbers;
}

}  // namespace

AsmStatement parse_asm(std::string_view source) {
  AsmStatement statement;
  SourceReader in{source};
  in.skip_space();
  in.word();
  for (in.skip_space(); is_word(in.peek()); in.skip_space()) {
    statement.is_volatile |= in.word().find("volatile") != std::string_view::npos;
  }
  if (!in.take('(')) return statement;
  statement.text = read_pieces(in, true);
  if (in.take(':')) statement.outputs = read_operands(in);
  if (in.take(':')) statement.inputs = read_operands(in);
  if (in.take(':')) statement.clobbers = read_clobbers(in);
  if (in.take(':')) read_operands(in);  // the labels of asm goto
  statement.complete = in.take(')');
  statement.length = static_cast<int64_t>(in.at);
  return statement;
}

}  // namespace ambidex
