// SPDX-License-Identifier: Apache-2.0
// PTX on the bytes and half words of a word: vadd4 and its like, dp4a, dp2a.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "frontend/ptx_rewrite.h"

namespace ambidex {
namespace {

bool is_word(const std::string& modifier) { return modifier == "u32" || modifier == "s32"; }
bool is_signed(const std::string& modifier) { return modifier == "s32"; }

// vadd4.dtype.atype.btype{.sat} d, a, b, c and, of unsigned differences, {.add}: without selectors
// and masks c is only added.
std::optional<PtxMeaning> packed_of(const PtxScope& scope, const PtxInstruction& instruction) {
  constexpr std::array<std::string_view, 6> kNames{"vadd", "vsub", "vabsdiff",
                                                   "vmin", "vmax", "vavrg"};
  const std::string& mnemonic = instruction.mnemonic;
  const std::string stem = mnemonic.substr(0, mnemonic.size() - 1);
  const auto& words = instruction.modifiers;
  const bool known = std::find(kNames.begin(), kNames.end(), stem) != kNames.end();
  if (!known || (mnemonic.back() != '2' && mnemonic.back() != '4') || words.size() < 3) return {};
  if (words.size() > 4 || !is_word(words[0]) || !is_word(words[1]) || !is_word(words[2])) return {};
  const std::string how = words.size() == 4 ? words[3] : "";
  const bool all_unsigned = !is_signed(words[0]) && !is_signed(words[1]) && !is_signed(words[2]);
  if (how != "" && how != "sat" && (how != "add" || stem != "vabsdiff" || !all_unsigned)) return {};
  if (stem == "vavrg" && !all_unsigned) return {};
  const auto values = values_of(scope, instruction, "u32 u32 u32");
  if (!values) return {};
  const auto& v = *values;
  return PtxMeaning{
      fmt::format("ambidex_port::video_words<ambidex_port::{}, {}, {}, {}, {}, {}, {}>({}, {}, {})",
                  stem, mnemonic.back() == '2' ? 16 : 8, is_signed(words[0]), is_signed(words[1]),
                  is_signed(words[2]), how == "sat", how == "add", v[0], v[1], v[2]),
      "u32", "arithmetic"};
}

// dp4a.atype.btype d, a, b, c.
std::optional<PtxMeaning> dot4_of(const PtxScope& scope, const PtxInstruction& instruction) {
  const auto& words = instruction.modifiers;
  if (words.size() != 2 || !is_word(words[0]) || !is_word(words[1])) return {};
  if (words[0] == words[1]) {
    const auto same = values_of(scope, instruction, words[0] + " " + words[0] + " " + words[0]);
    if (!same) return {};
    return PtxMeaning{
        fmt::format("ambidex_port::dp4a({}, {}, {})", (*same)[0], (*same)[1], (*same)[2]), words[0],
        "arithmetic"};
  }
  const auto values = values_of(scope, instruction, "u32 u32 u32");
  if (!values) return {};
  const auto byte = [](const std::string& word) {
    return is_signed(word) ? "signed char" : "unsigned char";
  };
  return PtxMeaning{fmt::format("ambidex_port::dot4<{}, {}>({}, {}, {})", byte(words[0]),
                                byte(words[1]), (*values)[0], (*values)[1], (*values)[2]),
                    "u32", "arithmetic"};
}

// dp2a.lo.atype.btype d, a, b, c: two half words with the lower or upper bytes of b.
std::optional<PtxMeaning> dot2_of(const PtxScope& scope, const PtxInstruction& instruction) {
  const auto& words = instruction.modifiers;
  if (words.size() != 3 || !is_word(words[1]) || !is_word(words[2])) return {};
  if (words[0] != "lo" && words[0] != "hi") return {};
  const auto values = values_of(scope, instruction, "u32 u32 u32");
  if (!values) return {};
  return PtxMeaning{fmt::format("ambidex_port::dot2<{}, {}>({}, {}, {}, {})",
                                is_signed(words[1]) ? "short" : "unsigned short",
                                is_signed(words[2]) ? "signed char" : "unsigned char", (*values)[0],
                                (*values)[1], (*values)[2], words[0] == "lo" ? "0u" : "2u"),
                    "u32", "arithmetic"};
}

}  // namespace

std::optional<PtxMeaning> video_meaning_of(const PtxScope& scope,
                                           const PtxInstruction& instruction) {
  if (instruction.mnemonic == "dp4a") return dot4_of(scope, instruction);
  if (instruction.mnemonic == "dp2a") return dot2_of(scope, instruction);
  return packed_of(scope, instruction);
}

}  // namespace ambidex
