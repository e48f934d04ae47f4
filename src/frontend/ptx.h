// SPDX-License-Identifier: Apache-2.0
// PTX as it stands in asm statements: read into instructions, and what a rule can do with each.
// Knows nothing of clang. Reading never fails: what cannot be read is skipped and noted.
//
//   const AsmStatement statement = parse_asm(R"(asm("mov.u32 %0, %%laneid;" : "=r"(lane)))");
//   const PtxCode code = parse_ptx(statement.text);  // one mov; operands: placeholder 0, special
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ambidex {

enum class PtxOperandKind : uint8_t {
  placeholder,  // %0: an operand of the asm statement
  special,      // %%laneid, %%tid.x
  name,         // a register, label, function or variable of the text
  immediate,    // 4, -1, 0x1f, 0f3F800000, 1.5
  address,      // [base + offset]; parts: the base, then what follows a comma (texture coordinates)
  list,         // {a, b} or (a, b); parts: its elements
  pair,         // p|q; parts: both
  hole,         // a macro or an expression of the source between two pieces of the string
};

struct PtxOperand {
  PtxOperandKind kind = PtxOperandKind::name;
  std::string text;               // as written, without the % of a special register
  int64_t index = 0;              // of a placeholder
  bool negated = false;           // !p, -%1
  std::optional<uint64_t> bits;   // of an integer immediate (two's complement), 0f and 0d
  int64_t offset = 0;             // of an address, bytes
  std::vector<PtxOperand> parts;  // of an address, list or pair
};

struct PtxInstruction {
  std::string mnemonic;  // "ld"
  std::vector<std::string>
      modifiers;  // "global", "v4", "f32"; of "::" groups as one: "shared::cta"
  std::vector<PtxOperand> operands;
  std::string guard;  // "p" of `@p` and `@!p`; "%2" if a placeholder; empty if there is none
  bool guard_negated = false;
  std::vector<std::string> labels;  // before it
  int64_t position = 0;             // byte of the text where its mnemonic begins
};

struct PtxRegister {
  std::string name;
  std::string type;   // "pred", "b32"; of variables also the space: "shared.b32"
  int64_t count = 0;  // r<4>: r0 to r3; 0: the name itself
};

struct PtxProblem {
  int64_t position = 0;
  std::string message;
};

struct PtxCode {
  std::vector<PtxInstruction> instructions;
  std::vector<PtxRegister> registers;
  std::vector<std::string> end_labels;  // after the last instruction
  std::vector<PtxProblem> problems;     // empty: all of it was understood
};

/// `text` is what the string literals of an asm statement spell, or PTX itself if `is_template` is
/// false: then %r1 is a register and % is not doubled.
PtxCode parse_ptx(std::string_view text, bool is_template = true);

/// "ld.global.v4.f32"
std::string full_mnemonic(const PtxInstruction& instruction);
bool has_modifier(const PtxInstruction& instruction, std::string_view modifier);

struct AsmOperand {
  std::string name;        // of `[name] "r"(x)`; mostly empty
  std::string constraint;  // "=r", "+f", "l"; of a macro: its name
  std::string expression;  // the C++ text between the brackets
};

/// Macros between pieces of the template leave `\x1aNAME\x1a` in its text: a hole.
inline constexpr char kPtxHole = '\x1a';

struct AsmStatement {
  bool is_volatile = false;
  std::string text;                 // the template: pieces joined, escapes resolved
  std::vector<AsmOperand> outputs;  // %0 to %(n-1)
  std::vector<AsmOperand> inputs;   // %n on
  std::vector<std::string> clobbers;
  int64_t length = 0;     // bytes of the source, `asm` to the closing bracket
  bool complete = false;  // the closing bracket was found
};

/// The statement that begins with `asm` or `__asm__` at the start of `source`; text after it is
/// left alone.
AsmStatement parse_asm(std::string_view source);

/// The source with the constraints "f", "d" and "h" of its asm statements as letters that x86-64
/// has for such values; every byte keeps its place.
std::string with_host_constraints(std::string_view source);

enum class PtxTreatment : uint8_t { rule, library, agent };
std::string_view name_of(PtxTreatment treatment);  // "rule"

/// What to do with an instruction. Of several rows that fit, the one with most words counts.
struct PtxRule {
  std::string_view pattern;    // "mma", "ld nc", "mov %laneid": the mnemonic, modifiers, register
  PtxTreatment treatment;      // by a rule, a function of the port's header, or an agent
  std::string_view hazard;     // the most specific id of the catalogue
  std::string_view statement;  // what takes its place on AMD, or why nothing does
};

std::span<const PtxRule> ptx_rules();
/// Null for an instruction that the table does not have: an agent's.
const PtxRule* ptx_rule(const PtxInstruction& instruction);

}  // namespace ambidex
