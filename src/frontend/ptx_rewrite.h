// SPDX-License-Identifier: Apache-2.0
// PTX of an asm statement as C++. Only what has exactly the meaning of the instruction; the rest is
// left to refusals.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "frontend/ptx.h"

namespace ambidex {

struct PtxRewrite {
  std::string text;  // a C++ statement without its `;`; empty if there is no rule. "$2$": operand 2
  std::string rule;  // "arithmetic"
  std::string hazard;  // "N01"
  std::string reason;  // if there is none
};

PtxRewrite rewritten(const AsmStatement& statement, const PtxCode& code);

/// "float" of f32; "" of a type that C++ has no word for.
std::string_view type_of_ptx(std::string_view suffix);

/// An operand as a value of a PTX type; nothing if that cannot be said.
struct PtxScope {
  const AsmStatement& statement;
  const PtxCode& code;
};
std::optional<std::string> value_of(const PtxScope& scope, const PtxOperand& operand,
                                    std::string_view suffix);

/// What an instruction with one result computes, of the type `result` (a PTX suffix); or, if
/// `result` is empty, what it does.
struct PtxMeaning {
  std::string text;
  std::string result;
  std::string rule;
};
std::optional<PtxMeaning> meaning_of(const PtxScope& scope, const PtxInstruction& instruction);

/// Loads and stores of .v2 and .v4, and chains of add.cc and addc: statements of their own.
std::optional<PtxMeaning> vector_meaning_of(const PtxScope& scope,
                                            const PtxInstruction& instruction);
std::optional<PtxMeaning> carry_meaning_of(const PtxScope& scope,
                                           const PtxInstruction& instruction);
bool uses_carry(const PtxInstruction& instruction);

/// `target = value` with the bits of `suffix` kept.
std::optional<std::string> assignment(const PtxScope& scope, const PtxOperand& target,
                                      const std::string& value, std::string_view suffix);

/// A generic or global address of memory as `(const float*)p`.
std::optional<std::string> pointer_of(const PtxScope& scope, const PtxOperand& operand,
                                      std::string_view pointed);

/// How C++ says a load or store with some modifiers.
struct PtxAccess {
  std::string_view options;
  std::string_view function;  // of ambidex_port; empty: through a plain or volatile pointer
  bool is_volatile;
};
/// Null if there is no rule.
const PtxAccess* access_of(const PtxInstruction& instruction);

/// The same for memory, warps and barriers.
std::optional<PtxMeaning> memory_meaning_of(const PtxScope& scope,
                                            const PtxInstruction& instruction);

}  // namespace ambidex
