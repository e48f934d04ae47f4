// SPDX-License-Identifier: Apache-2.0
// PTX of an asm statement as C++. Only what has exactly the meaning of the instruction; the rest is
// left to refusals.
#pragma once

#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/ptx.h"

namespace ambidex {

struct PtxRewrite {
  std::string text;  // a C++ statement without its `;`; empty if there is no rule. "$2$": operand 2
  std::string rule;  // "arithmetic"
  std::string hazard;  // "N01"
  std::string reason;  // if there is none
};

PtxRewrite rewritten(const AsmStatement& statement, const PtxCode& code);

/// "float" of f32; "" of a type that C++ has no word for. Halves and pairs are their bits:
/// "unsigned short" of f16, "unsigned" of f16x2.
std::string_view type_of_ptx(std::string_view suffix);
/// 32 of f32 and f16x2; 0 of a type that is not known.
int bits_of_ptx(std::string_view suffix);

/// The last modifier: "f32" of add.rn.f32. And the others, in order: "rn".
std::string type_suffix(const PtxInstruction& instruction);
std::string options_of(const PtxInstruction& instruction);

/// A modifier that is there or not, and what it sets.
struct PtxFlag {
  std::string_view word;
  bool* is_set;
};
/// Reads modifiers, but for the types behind them: at most one of `roundings`, which blanks
/// separate, and `flags`. False if there is another.
bool read_modifiers(std::span<const std::string> modifiers, std::string_view roundings,
                    std::string& rounding, std::initializer_list<PtxFlag> flags);

/// An operand as a value of a PTX type; nothing if that cannot be said.
struct PtxScope {
  const AsmStatement& statement;
  const PtxCode& code;
};
std::optional<std::string> value_of(const PtxScope& scope, const PtxOperand& operand,
                                    std::string_view suffix);
/// Operands 1 to n as values of the types of `suffixes`, separated by spaces, n of them; nothing if
/// there are more or fewer, or one cannot be said.
std::optional<std::vector<std::string>> values_of(const PtxScope& scope,
                                                  const PtxInstruction& instruction,
                                                  std::string_view suffixes);
/// Bits of the register or asm operand; 0 of others.
int width_of(const PtxScope& scope, const PtxOperand& operand);

/// What an instruction with one result computes, of the type `result` (a PTX suffix); or, if
/// `result` is empty, what it does.
struct PtxMeaning {
  std::string text;
  std::string result;
  std::string rule;
};
/// Integers, bits, predicates.
std::optional<PtxMeaning> meaning_of(const PtxScope& scope, const PtxInstruction& instruction);
/// SIMD in a word: vadd4 and its like, dp4a, dp2a.
std::optional<PtxMeaning> video_meaning_of(const PtxScope& scope,
                                           const PtxInstruction& instruction);
/// setp, set, selp, slct, testp.
std::optional<PtxMeaning> comparison_meaning_of(const PtxScope& scope,
                                                const PtxInstruction& instruction);
/// Arithmetic of f32, f64, f16, bf16 and pairs of halves.
std::optional<PtxMeaning> float_meaning_of(const PtxScope& scope,
                                           const PtxInstruction& instruction);
/// cvt, cvta, and mov that packs or unpacks.
std::optional<PtxMeaning> conversion_meaning_of(const PtxScope& scope,
                                                const PtxInstruction& instruction);
/// Loads and stores of .v2 and .v4, and chains of add.cc and addc: statements of their own.
std::optional<PtxMeaning> vector_meaning_of(const PtxScope& scope,
                                            const PtxInstruction& instruction);
std::optional<PtxMeaning> carry_meaning_of(const PtxScope& scope,
                                           const PtxInstruction& instruction);
bool uses_carry(const PtxInstruction& instruction);
/// Loads, stores, fences, copies.
std::optional<PtxMeaning> memory_meaning_of(const PtxScope& scope,
                                            const PtxInstruction& instruction);
/// atom and red.
std::optional<PtxMeaning> atomic_meaning_of(const PtxScope& scope,
                                            const PtxInstruction& instruction);
/// Warps and barriers.
std::optional<PtxMeaning> warp_meaning_of(const PtxScope& scope, const PtxInstruction& instruction);

/// `target = value` with the bits of `suffix` kept; "(void)value" where the target is `_`.
std::optional<std::string> assignment(const PtxScope& scope, const PtxOperand& target,
                                      const std::string& value, std::string_view suffix);

/// An address of memory as `(const float*)p`, of the space that the instruction names: generic,
/// global or shared.
std::optional<std::string> pointer_of(const PtxScope& scope, const PtxInstruction& instruction,
                                      const PtxOperand& operand, std::string_view pointed);

/// How C++ says a load or store with some modifiers.
struct PtxAccess {
  std::string function;  // of ambidex_port; empty: through a plain or volatile pointer
  bool is_volatile = false;
  std::string before;  // fences around a vector: what an order asks for
  std::string after;
  bool is_ordered = false;  // atomic: as an integer
};
/// Nothing if there is no rule.
std::optional<PtxAccess> access_of(const PtxInstruction& instruction);

}  // namespace ambidex
