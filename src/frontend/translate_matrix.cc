// SPDX-License-Identifier: Apache-2.0
// N02: nvcuda::wmma becomes ambidex_port::wmma, fragments of 32 lanes in software. Only what that
// header lacks is refused.
#include <fmt/format.h>

#include "frontend/translate.h"

namespace ambidex {
namespace {

constexpr std::string_view kRule = "matrix.fragment";
constexpr std::string_view kNote = "fragments of logical warps, elements in CUDA's order";

// All of nvcuda that programs name is wmma; all of ambidex_port would be too much.
void alias_namespace(Translation& translation, int64_t i) {
  const Words& words = translation.words;
  translation.edits.push_back({.first = words.first(i - 2),
                               .last = words.last(i),
                               .pieces = {{.text = "namespace wmma = ambidex_port::wmma"}},
                               .rule = std::string(kRule),
                               .hazard = "N02",
                               .note = std::string(kNote)});
}

void change_namespace(Translation& translation, int64_t i) {
  const Words& words = translation.words;
  if (words.text(i) != "nvcuda") return;
  if (words.text(i - 1) == "namespace" && words.text(i - 2) == "using" &&
      words.text(i + 1) == ";") {
    alias_namespace(translation, i);
  } else if (words.text(i + 1) == "::" ||
             (words.text(i - 1) == "=" && words.text(i - 3) == "namespace")) {
    replace_word(translation, i, "ambidex_port", kRule, "N02", std::string(kNote));
  }
}

void refuse_missing(Translation& translation, int64_t i) {
  const Words& words = translation.words;
  const std::string_view text = words.text(i);
  const bool is_wmma = words.text(i - 1) == "::" && words.text(i - 2) == "wmma";
  if (text != "bmma_sync" && !(is_wmma && text == "experimental")) return;
  refuse_word(translation, i, kRule, "N02",
              fmt::format("wmma::{}: the port has no fragments of 1 and 4 bits", text));
}

}  // namespace

void translate_matrix(Translation& translation) {
  const Words& words = translation.words;
  for (int64_t i = 0; i < words.size(); ++i) {
    if (!words.is_word(i) || words.at(i).amd_only) continue;
    change_namespace(translation, i);
    refuse_missing(translation, i);
  }
}

}  // namespace ambidex
