// SPDX-License-Identifier: Apache-2.0
#include "frontend/ptx.h"

#include <algorithm>
#include <charconv>

namespace ambidex {
namespace {

// A statement nests lists in addresses in lists at most; more is not PTX, and recursion ends.
constexpr int kMaxDepth = 8;
constexpr int64_t kMaxRegisters = 65536;

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_word(char c) { return is_letter(c) || is_digit(c) || c == '_' || c == '$'; }

struct PtxReader {
  std::string_view text;
  bool is_template = true;
  PtxCode code;
  std::vector<std::string> labels;
  size_t at = 0;

  bool done() const { return at >= text.size(); }
  char peek(size_t ahead = 0) const { return at + ahead < text.size() ? text[at + ahead] : '\0'; }
  bool take(char c) {
    if (peek() != c || done()) return false;
    ++at;
    return true;
  }
  void problem(std::string message) {
    code.problems.push_back({static_cast<int64_t>(at), std::move(message)});
  }

  bool skip_comment() {
    if (peek() != '/') return false;
    const bool is_line = peek(1) == '/';
    if (!is_line && peek(1) != '*') return false;
    const size_t end = text.find(is_line ? "\n" : "*/", at + 2);
    at = end == std::string_view::npos ? text.size() : end + (is_line ? 1 : 2);
    return true;
  }
  void skip_space() {
    while (!done() && (is_space(peek()) || skip_comment())) {
      if (!done() && is_space(peek())) ++at;
    }
  }

  std::string word() {
    const size_t start = at;
    while (is_word(peek())) ++at;
    return std::string(text.substr(start, at - start));
  }
  /// A hole joins the word that it stands in: `ld.\x1aSPACE\x1a.f32`.
  std::string word_with_holes() {
    const size_t start = at;
    while (is_word(peek()) || peek() == kPtxHole) {
      if (peek() != kPtxHole) {
        ++at;
        continue;
      }
      const size_t end = text.find(kPtxHole, at + 1);
      at = end == std::string_view::npos ? text.size() : end + 1;
    }
    return std::string(text.substr(start, at - start));
  }

  void skip_statement() {
    while (!done() && peek() != ';') {
      if (!skip_comment()) ++at;
    }
    take(';');
  }
};

std::optional<uint64_t> number_in(std::string_view digits, int base) {
  uint64_t value = 0;
  const auto [end, failure] =
      std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  if (failure != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return value;
}

/// Integers by base, 0f and 0d by their bits; decimal fractions have none.
std::optional<uint64_t> bits_of(std::string_view word) {
  if (word.size() == 10 && (word.starts_with("0f") || word.starts_with("0F"))) {
    return number_in(word.substr(2), 16);
  }
  if (word.size() == 18 && (word.starts_with("0d") || word.starts_with("0D"))) {
    return number_in(word.substr(2), 16);
  }
  if (word.ends_with('U') || word.ends_with('u')) word.remove_suffix(1);
  if (word.starts_with("0x") || word.starts_with("0X")) return number_in(word.substr(2), 16);
  if (word.starts_with("0b") || word.starts_with("0B")) return number_in(word.substr(2), 2);
  if (word.size() > 1 && word[0] == '0') return number_in(word.substr(1), 8);
  return number_in(word, 10);
}

/// 0f and 0d have a sign of their own, which changes.
uint64_t negative_of(std::string_view word, uint64_t bits) {
  const char kind = word.size() > 1 && word[0] == '0' ? word[1] : ' ';
  if (word.size() == 10 && (kind == 'f' || kind == 'F')) return bits ^ uint64_t { 1 } << 31;
  if (word.size() == 18 && (kind == 'd' || kind == 'D')) return bits ^ uint64_t { 1 } << 63;
  return ~bits + 1;
}

PtxOperand read_number(PtxReader& in, bool negated) {
  PtxOperand operand;
  operand.kind = PtxOperandKind::immediate;
  const size_t start = in.at;
  while (is_word(in.peek()) || (in.peek() == '.' && is_digit(in.peek(1))) ||
         ((in.peek() == '+' || in.peek() == '-') && (in.text[in.at - 1] | 0x20) == 'e' &&
          in.at > start && !in.text.substr(start).starts_with("0x"))) {
    ++in.at;
  }
  const std::string_view word = in.text.substr(start, in.at - start);
  operand.bits = bits_of(word);
  if (operand.bits && negated) operand.bits = negative_of(word, *operand.bits);
  if (negated) operand.text = '-';
  operand.text += word;
  return operand;
}

/// After the %: %0, %[name], %%tid.x of a template; %tid.x, %r1 of plain PTX.
PtxOperand read_percent(PtxReader& in) {
  PtxOperand operand;
  if (in.is_template && is_digit(in.peek())) {
    const std::string digits = in.word();
    const auto index = number_in(digits, 10);
    if (!index || *index > 1000) in.problem("no operand %" + digits);
    operand.kind = PtxOperandKind::placeholder;
    operand.index = index ? static_cast<int64_t>(std::min<uint64_t>(*index, 1000)) : 0;
    operand.text = digits;
    return operand;
  }
  if (in.is_template && in.take('[')) {
    operand.kind = PtxOperandKind::placeholder;
    operand.index = -1;
    operand.text = in.word();
    if (!in.take(']')) in.problem("expected ] after %[" + operand.text);
    return operand;
  }
  in.take('%');  // asm without operands has one % where asm with operands has two
  operand.text = in.word();
  const bool is_register = !in.is_template && operand.text.size() > 1 &&
                           is_digit(operand.text.back()) && !operand.text.starts_with("pm") &&
                           !operand.text.starts_with("envreg") && operand.text != "clock64";
  operand.kind = is_register ? PtxOperandKind::name : PtxOperandKind::special;
  if (is_register) operand.text = '%' + operand.text;
  if (in.peek() == '.' && is_letter(in.peek(1))) {
    ++in.at;
    operand.text += "." + in.word();
  }
  return operand;
}

PtxOperand read_operand(PtxReader& in, int depth);

std::vector<PtxOperand> read_operands(PtxReader& in, char close, int depth) {
  std::vector<PtxOperand> operands;
  in.skip_space();
  while (!in.done() && in.peek() != close) {
    const size_t before = in.at;
    operands.push_back(read_operand(in, depth));
    in.skip_space();
    if (in.take(',')) {
      in.skip_space();
      if (in.peek() == close) in.problem("an operand is missing after a comma");
      continue;
    }
    if (in.peek() == close || in.peek() == ';') break;
    if (in.at == before) ++in.at;
    if (operands.back().kind == PtxOperandKind::hole) continue;  // it may hold the comma
    in.problem("expected , between operands");
  }
  return operands;
}

PtxOperand read_list(PtxReader& in, char close, int depth) {
  PtxOperand list;
  list.kind = PtxOperandKind::list;
  const size_t start = in.at - 1;
  list.parts = read_operands(in, close, depth + 1);
  if (!in.take(close)) in.problem(std::string("expected ") + close);
  list.text = in.text.substr(start, in.at - start);
  return list;
}

void read_offset(PtxReader& in, PtxOperand& address) {
  in.skip_space();
  while (in.peek() == '+' || in.peek() == '-') {
    if (in.take('+')) in.skip_space();
    const bool negative = in.take('-');
    in.skip_space();
    if (!is_digit(in.peek())) {  // a register or placeholder: more than a constant offset
      address.parts.push_back(read_operand(in, kMaxDepth));
    } else {
      const PtxOperand number = read_number(in, negative);
      if (!number.bits) in.problem("no offset: " + number.text);
      address.offset =
          static_cast<int64_t>(static_cast<uint64_t>(address.offset) + number.bits.value_or(0));
    }
    in.skip_space();
  }
}

PtxOperand read_address(PtxReader& in, int depth) {
  PtxOperand address;
  address.kind = PtxOperandKind::address;
  const size_t start = in.at - 1;
  in.skip_space();
  address.parts.push_back(read_operand(in, depth + 1));
  read_offset(in, address);
  if (in.take(',')) {
    for (PtxOperand& part : read_operands(in, ']', depth + 1)) {
      address.parts.push_back(std::move(part));
    }
  }
  if (!in.take(']')) {
    in.problem("expected ] after an address");
    while (!in.done() && in.peek() != ']' && in.peek() != ';') ++in.at;
    in.take(']');
  }
  address.text = in.text.substr(start, in.at - start);
  return address;
}

PtxOperand read_name(PtxReader& in) {
  PtxOperand operand;
  operand.text = in.word_with_holes();
  while (in.peek() == '.' && is_letter(in.peek(1))) {  // r.x of a vector register
    ++in.at;
    operand.text += "." + in.word();
  }
  if (operand.text.find(kPtxHole) != std::string::npos) operand.kind = PtxOperandKind::hole;
  return operand;
}

PtxOperand read_simple(PtxReader& in, int depth) {
  if (depth < kMaxDepth && in.take('[')) return read_address(in, depth);
  if (depth < kMaxDepth && in.take('{')) return read_list(in, '}', depth);
  if (depth < kMaxDepth && in.take('(')) return read_list(in, ')', depth);
  const bool negative = in.take('-');
  if (is_digit(in.peek())) return read_number(in, negative);
  if (in.take('%')) {
    PtxOperand operand = read_percent(in);
    operand.negated = negative;
    return operand;
  }
  if (is_word(in.peek()) || in.peek() == kPtxHole) {
    PtxOperand operand = read_name(in);
    operand.negated = negative;
    return operand;
  }
  in.problem(in.done() ? "the text ends in an operand"
                       : std::string("no operand begins with ") + in.peek());
  if (!in.done() && in.peek() != ';') ++in.at;
  return {};
}

PtxOperand read_operand(PtxReader& in, int depth) {
  const bool negated = in.take('!');
  PtxOperand operand = read_simple(in, depth);
  operand.negated |= negated;
  in.skip_space();
  if (in.peek() != '|' || depth >= kMaxDepth) return operand;
  ++in.at;
  in.skip_space();
  PtxOperand pair;
  pair.kind = PtxOperandKind::pair;
  pair.parts.push_back(std::move(operand));
  pair.parts.push_back(read_simple(in, kMaxDepth));
  pair.text = pair.parts[0].text + "|" + pair.parts[1].text;
  return pair;
}

/// `.reg .b32 a, b<4>;`, `.shared .align 8 .b64 x[2];`; other directives have nothing to run.
void read_directive(PtxReader& in) {
  in.take('.');
  std::string type = in.word();
  const bool declares = type == "reg" || type == "shared" || type == "local" || type == "const" ||
                        type == "param" || type == "global";
  if (type == "reg") type.clear();
  in.skip_space();
  while (declares && in.take('.')) {
    const std::string word = in.word();
    in.skip_space();
    if (word == "align") {
      in.word();
      in.skip_space();
    } else {
      type += (type.empty() ? "" : ".") + word;
    }
  }
  while (declares && (is_word(in.peek()) || in.peek() == '%' || in.peek() == kPtxHole)) {
    PtxRegister declared;
    while (in.take('%')) declared.name = "%";
    declared.name += in.word_with_holes();
    declared.type = type;
    if (in.take('<')) {
      const auto count = number_in(in.word(), 10);
      declared.count = static_cast<int64_t>(std::min<uint64_t>(count.value_or(0), kMaxRegisters));
      if (!count || !in.take('>')) in.problem("expected <number> after " + declared.name);
    }
    in.code.registers.push_back(std::move(declared));
    in.skip_space();
    if (in.take(',')) in.skip_space();
  }
  in.skip_statement();
}

void read_guard(PtxReader& in, PtxInstruction& instruction) {
  instruction.guard_negated = in.take('!');
  if (in.take('%')) {
    in.take('%');
    instruction.guard = "%";
  }
  instruction.guard += in.word_with_holes();
  if (instruction.guard.empty()) in.problem("expected a predicate after @");
  in.skip_space();
}

void read_modifiers(PtxReader& in, PtxInstruction& instruction) {
  while (in.peek() == '.' || (in.peek() == ':' && in.peek(1) == ':')) {
    const bool joins = in.peek() == ':';
    in.at += joins ? 2 : 1;
    std::string word = in.word_with_holes();
    if (joins && !instruction.modifiers.empty()) {
      instruction.modifiers.back() += "::" + word;
    } else {
      instruction.modifiers.push_back(std::move(word));
    }
  }
}

void read_instruction(PtxReader& in) {
  PtxInstruction instruction;
  if (in.take('@')) read_guard(in, instruction);
  instruction.position = static_cast<int64_t>(in.at);
  instruction.mnemonic = in.word_with_holes();
  if (instruction.mnemonic.empty()) {
    in.problem(in.done() ? "the text ends in a statement"
                         : std::string("no statement begins with ") + in.peek());
    return in.skip_statement();
  }
  in.skip_space();
  if (in.peek() == ':' && in.peek(1) != ':') {
    ++in.at;
    in.labels.push_back(std::move(instruction.mnemonic));
    return;
  }
  read_modifiers(in, instruction);
  instruction.operands = read_operands(in, ';', 0);
  in.skip_space();
  if (!in.done() && !in.take(';')) {
    in.problem("expected ; after " + full_mnemonic(instruction));
    in.skip_statement();
  }
  instruction.labels.swap(in.labels);
  in.code.instructions.push_back(std::move(instruction));
}

}  // namespace

PtxCode parse_ptx(std::string_view text, bool is_template) {
  PtxReader in;
  in.text = text;
  in.is_template = is_template;
  for (in.skip_space(); !in.done(); in.skip_space()) {
    if (in.take('{') || in.take('}') || in.take(';')) continue;
    if (in.peek() == '.' && is_letter(in.peek(1))) {
      read_directive(in);
    } else {
      read_instruction(in);
    }
  }
  in.code.end_labels.swap(in.labels);
  return std::move(in.code);
}

std::string full_mnemonic(const PtxInstruction& instruction) {
  std::string out = instruction.mnemonic;
  for (const std::string& modifier : instruction.modifiers) out += "." + modifier;
  return out;
}

bool has_modifier(const PtxInstruction& instruction, std::string_view modifier) {
  return std::find(instruction.modifiers.begin(), instruction.modifiers.end(), modifier) !=
         instruction.modifiers.end();
}

}  // namespace ambidex
