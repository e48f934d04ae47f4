// SPDX-License-Identifier: Apache-2.0
// N08 N10: halves of a half2, whose members are bits in some versions of HIP, and sums of halves in
// memory.
#include <fmt/format.h>

#include <algorithm>

#include "base/word_list.h"
#include "frontend/translate.h"

namespace ambidex {
namespace {

bool is_pair(std::string_view type) { return type == "half2" || type == "__half2"; }

void change_half(Translation& translation, int64_t start, int64_t member) {
  const Words& words = translation.words;
  const bool is_low = words.text(member) == "x";
  const Piece pair{.first = words.first(start), .last = words.last(member - 2)};
  const std::string_view after = words.text(member + 1);
  Edit edit{.first = words.first(start),
            .last = words.last(member),
            .pieces = {},
            .rule = "type.half-pair",
            .hazard = "N08",
            .note = "members of a half2 are bits in some versions of HIP"};
  if (after == "=") {
    int64_t end = member + 2;
    while (end < words.size() && words.text(end) != ";") {
      end = words.partner_of(end) > end ? words.partner_of(end) + 1 : end + 1;
    }
    const Piece value{.first = words.first(member + 2), .last = words.last(end - 1)};
    edit.last = value.last;
    edit.pieces = {pair, {.text = " = __halves2half2("}};
    if (!is_low)
      edit.pieces.insert(edit.pieces.end(), {{.text = "__low2half("}, pair, {.text = "), "}});
    edit.pieces.push_back(value);
    if (is_low)
      edit.pieces.insert(edit.pieces.end(), {{.text = ", __high2half("}, pair, {.text = ")"}});
    edit.pieces.push_back({.text = ")"});
  } else if (after.size() > 1 && after.ends_with("=") && after != "==" && after != "!=" &&
             after != "<=" && after != ">=") {
    refuse_word(translation, member, "type.half-pair", "N08",
                "a half of a half2 is changed in place; write it with __halves2half2");
    return;
  } else {
    edit.pieces = {{.text = is_low ? "__low2half(" : "__high2half("}, pair, {.text = ")"}};
  }
  translation.edits.push_back(std::move(edit));
}

bool is_small_float(std::string_view type) {
  return is_any(type, {"half", "__half", "half2", "__half2", "__nv_bfloat16", "__nv_bfloat162"});
}

bool is_template_parameter(const Words& words, std::string_view type) {
  for (int64_t i = 1; !type.empty() && i < words.size(); ++i) {
    const std::string_view before = words.text(i - 1);
    if (words.text(i) == type && (before == "typename" || before == "class")) return true;
  }
  return false;
}

// N10: sums of halves and pairs in memory, also where a type parameter may be one.
void fix_atomic_add(Translation& translation, int64_t i) {
  const Words& words = translation.words;
  const std::string_view before = words.text(i - 1);
  if (words.text(i) != "atomicAdd" || words.text(i + 1) != "(" || words.at(i).amd_only ||
      before == "." || before == "->" || before == "::" ||
      translation.tree.declared.contains("atomicAdd")) {
    return;
  }
  int64_t base = i + 2;
  while (words.text(base) == "&" || words.text(base) == "(") ++base;
  const std::string_view type = declared_type(words, base, words.text(base));
  if (!is_small_float(type) && !is_template_parameter(words, type)) return;
  translation.needs_port = true;
  replace_word(translation, i, "ambidex_port::atomic_add", "atomic.small-floats", "N10",
               "HIP adds halves atomically only after ROCm 7.2");
}

}  // namespace

void translate_halves(Translation& translation) {
  const Words& words = translation.words;
  const auto has_any_of = [&](bool (*is_wanted)(std::string_view)) {
    return std::any_of(words.file.tokens.begin(), words.file.tokens.end(),
                       [&](const Token& token) { return is_wanted(token.text); });
  };
  if (has_any_of(is_small_float)) {
    for (int64_t i = 1; i < words.size(); ++i) fix_atomic_add(translation, i);
  }
  if (!has_any_of(is_pair)) return;
  for (int64_t i = 2; i < words.size(); ++i) {
    if (words.text(i) != "x" && words.text(i) != "y") continue;
    if (words.text(i - 1) != "." || words.at(i).amd_only || words.text(i - 2) == ")") continue;
    const int64_t start = start_of_postfix(words, i - 1);
    if (start < 0 || words.text(start - 1) == "&") continue;
    if (words.text(start).ends_with("Idx") || words.text(start).ends_with("Dim")) continue;
    if (is_pair(declared_type(words, start, words.text(start)))) change_half(translation, start, i);
  }
}

}  // namespace ambidex
