// SPDX-License-Identifier: Apache-2.0
// Native bodies name types of 16 bits, as operands of matrix instructions. What must not come with
// them are sums and products in those types.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "base/text.h"
#include "port/code_words.h"
#include "port/repair_cheats.h"
#include "port/repair_names.h"

namespace ambidex::repair {
namespace {

using Names = std::set<std::string_view>;

bool is_sign_of(std::string_view text, std::initializer_list<std::string_view> signs) {
  return std::find(signs.begin(), signs.end(), text) != signs.end();
}

// Types of 16 bits, and what the text calls so: `using H4 = _Float16 ...`, `typedef short S4 ...`.
Names narrow_types(const code::Words& words) {
  Names types{"_Float16", "__bf16",         "__half",        "half",  "half2",
              "__half2",  "__hip_bfloat16", "__nv_bfloat16", "short", "hip_bfloat16"};
  for (int64_t i = 0; i < words.size(); ++i) {
    if (words.text(i) == "using" && words.text(i + 2) == "=" && types.contains(words.text(i + 3))) {
      types.insert(words.text(i + 1));
    }
    if (words.text(i) == "typedef" && types.contains(words.text(i + 1))) {
      types.insert(words.text(i + 2));
    }
  }
  return types;
}

// Variables of these types, and pointers to them.
struct Narrow {
  Names variables, pointers;
};
Narrow narrow_names(const code::Words& words) {
  const Names types = narrow_types(words);
  Narrow narrow;
  for (int64_t i = 1; i < words.size(); ++i) {
    if (!words.at(i).is_name() || types.contains(words.text(i))) continue;
    if (types.contains(words.text(i - 1))) narrow.variables.insert(words.text(i));
    int64_t last = i - 1;
    while (is_sign_of(words.text(last), {"*", "&"}) || words.text(last) == "__restrict__" ||
           words.text(last) == "const") {
      --last;
    }
    if (last < i - 1 && types.contains(words.text(last))) narrow.pointers.insert(words.text(i));
  }
  return narrow;
}

bool computes(std::string_view sign) {
  return is_sign_of(sign, {"+", "-", "*", "/", "+=", "-=", "*=", "/="});
}

// Past `[...]` and `.x` behind the name at `i`.
int64_t end_of_element(const code::Words& words, int64_t i, bool& subscripted) {
  int64_t at = i + 1;
  for (;;) {
    if (words.text(at) == "[") {
      const int64_t close = code::closing(words, at);
      if (close < 0) return at;
      at = close + 1;
      subscripted = true;
    } else if (words.text(at) == "." && at + 1 < words.size() && words.at(at + 1).is_name()) {
      at += 2;
    } else {
      return at;
    }
  }
}

// The first name of a narrow value that is computed with; "" if there is none.
std::string computed_with(const std::string& text) {
  const code::Words words = code::words_of(text);
  const Narrow narrow = narrow_names(words);
  for (int64_t i = 1; i + 1 < words.size(); ++i) {
    const bool variable = narrow.variables.contains(words.text(i));
    if (!variable && !narrow.pointers.contains(words.text(i))) continue;
    bool subscripted = false;
    const int64_t end = end_of_element(words, i, subscripted);
    if (!variable && !subscripted) continue;  // an address
    const bool declared = variable && words.at(i - 1).is_name();
    if (computes(words.text(end)) || (!declared && computes(words.text(i - 1)))) {
      return std::string(words.text(i));
    }
  }
  return "";
}

bool has_narrow_product(const std::string& text) {
  const code::Words words = code::words_of(text);
  return std::any_of(words.words.begin(), words.words.end(),
                     [](const code::Word& word) { return is_narrow_product(word.text); });
}

}  // namespace

std::string narrower_in(const Subject& subject) {
  if (subject.reads_wide && has_narrow_product(subject.after) &&
      !has_narrow_product(subject.before)) {
    return "matrix instructions with operands of 16 or 8 bits in a kernel that reads float or "
           "double: operands stay as wide as the inputs";
  }
  const std::string name = computed_with(subject.after);
  if (name.empty() || !computed_with(subject.before).empty() ||
      !computed_with(subject.original).empty()) {
    return "";
  }
  return fmt::format(
      "{} has 16 bits and is computed with: make it a float first, static_cast<float>({}[i]); sums "
      "and products stay in the original's types",
      quote(name), name);
}

}  // namespace ambidex::repair
