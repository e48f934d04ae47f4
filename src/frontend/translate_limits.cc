// SPDX-License-Identifier: Apache-2.0
// R02, R05, S06: calls and launches that AMD's limits may stop where CUDA's did not. They are
// checked, and a failure that the source does not look at ends the program.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "frontend/launch_words.h"
#include "frontend/translate.h"

namespace ambidex {
namespace {

// Whether the call at word i is a statement by itself, so that nothing looks at its result.
bool is_ignored(const Words& words, int64_t i) {
  const std::string_view before = words.text(i - 1);
  const std::string_view head =
      before == ")" ? words.text(words.partner_of(i - 1) - 1) : std::string_view();
  const bool starts = before == ";" || before == "{" || before == "}" || before == "else" ||
                      head == "if" || head == "for" || head == "while";
  return starts && words.text(words.partner_of(i + 1) + 1) == ";";
}

void end_on_failure(Translation& translation, int64_t i, std::string_view rule,
                    std::string_view hazard) {
  const Words& words = translation.words;
  if (!is_ignored(words, i)) return;
  translation.needs_port = true;
  insert_at(translation, words.first(i), "ambidex_port::must(", rule, hazard,
            "the source does not look at the result, which may be an error on AMD");
  insert_at(translation, words.last(words.partner_of(i + 1)),
            fmt::format(", \"{}\")", words.text(i)), rule, hazard);
}

// R02: the value is checked against the device's LDS.
void check_opt_in(Translation& translation, int64_t i) {
  const Words& words = translation.words;
  if (words.text(i) != "cudaFuncSetAttribute" || words.text(i + 1) != "(") return;
  const auto arguments = arguments_of(words, i + 1);
  if (arguments.size() != 3 || words.partner_of(i + 1) < 0) return;
  const std::string_view attribute = words.text(arguments[1].last - 1);
  const bool is_other = attribute.starts_with("cudaFuncAttribute") &&
                        attribute != "cudaFuncAttributeMaxDynamicSharedMemorySize";
  if (is_other) return;
  translation.needs_port = true;
  translation.edits.insert(translation.edits.begin(),  // before the change of names
                           {.first = words.first(i),
                            .last = words.last(i),
                            .pieces = {{.text = "ambidex_port::set_function_attribute"}},
                            .rule = "launch.shared-memory",
                            .hazard = "R02",
                            .note = "an error if static and dynamic LDS are more than there is"});
  end_on_failure(translation, i, "launch.shared-memory", "R02");
}

void check_cooperative(Translation& translation, int64_t i) {
  const Words& words = translation.words;
  const bool is_launch = words.text(i) == "cudaLaunchCooperativeKernel" ||
                         words.text(i) == "cuLaunchCooperativeKernel";
  if (!is_launch || words.text(i + 1) != "(" || words.partner_of(i + 1) < 0) return;
  end_on_failure(translation, i, "launch.cooperative", "S06");
}

bool is_wide_word(std::string_view text) {
  static constexpr std::array<std::string_view, 7> kWide{"int64_t",   "uint64_t", "size_t", "long",
                                                         "ptrdiff_t", "index_t",  "ssize_t"};
  return std::find(kWide.begin(), kWide.end(), text) != kWide.end();
}

// Whether the nearest declaration of the name before word `use` gives it 64 bits. `auto` is looked
// through to what it is made of.
bool is_wide_name(const Words& words, int64_t use, std::string_view name, int64_t depth);

bool is_wide(const Words& words, TokenRange range, int64_t depth) {
  for (int64_t i = range.first; i < range.last; ++i) {
    if (!words.is_word(i)) continue;
    if (is_wide_word(words.text(i))) return true;
    if (words.text(i - 1) == "." || words.text(i - 1) == "->") continue;
    if (depth < 4 && is_wide_name(words, range.first, words.text(i), depth + 1)) return true;
  }
  return false;
}

bool is_wide_name(const Words& words, int64_t use, std::string_view name, int64_t depth) {
  for (int64_t k = use - 1; k > 0 && k > use - 2000; --k) {
    if (words.text(k) != name || !words.is_word(k - 1)) continue;
    const std::string_view type = words.text(k - 1);
    if (type == "return" || type == "else") continue;
    if (is_wide_word(type) || (type == "int" && words.text(k - 2) == "long")) return true;
    int64_t end = k + 1;
    while (end < use && words.text(end) != ";" && words.text(end) != "{") ++end;
    const std::string_view after = words.text(k + 1);
    const bool is_made = type == "auto" || type == "dim3" || type == "int" || type == "unsigned";
    return is_made && (after == "=" || after == "(") && is_wide(words, {k + 2, end}, depth);
  }
  return false;
}

bool has_effect(const Words& words, TokenRange range) {
  for (int64_t i = range.first; i < range.last; ++i) {
    const std::string_view text = words.text(i);
    if (text == "++" || text == "--" || text == "=" || text == "+=" || text == "-=") return true;
  }
  return false;
}

// `min(n, 65535)`: so few blocks that even of 1024 threads they are below 2^32.
bool is_capped(const Words& words, TokenRange range) {
  constexpr int64_t kMostBlocks = (int64_t{1} << 22) - 1;
  for (int64_t i = range.first; i < range.last; ++i) {
    if (words.text(i) == "checked_grid" || words.text(i) == "capped_grid") return true;
    if (words.text(i) != "min") continue;
    int64_t open = i + 1;
    if (words.text(open) == "<") open = after_template_arguments(words, open);
    for (const TokenRange argument : arguments_of(words, open)) {
      const auto most = int64_from_text(words.text(argument.first));
      if (argument.last - argument.first == 1 && most && *most <= kMostBlocks) return true;
    }
  }
  return false;
}

// Several threads for each of what the grid counts: `k<<<n / 16, dim3(64, 16)>>>`.
bool is_plane(const Words& words, TokenRange grid, TokenRange block) {
  const bool counts = std::any_of(
      words.file.tokens.begin() + grid.first, words.file.tokens.begin() + grid.last,
      [](const Token& token) { return token.kind == TokenKind::word && token.text != "dim3"; });
  return counts && words.text(block.first) == "dim3" && words.text(block.first + 1) == "(" &&
         arguments_of(words, block.first + 1).size() > 1;
}

// R05: threads of a grid that is counted with 64 bits, or has several for each thing counted.
void check_grid(Translation& translation, int64_t i, TokenRange grid, TokenRange block) {
  const Words& words = translation.words;
  if (is_capped(words, grid) || (!is_wide(words, grid, 0) && !is_plane(words, grid, block))) {
    return;
  }
  if (has_effect(words, grid) || has_effect(words, block)) {
    refuse_word(translation, i, "launch.grid", "R05",
                "the threads of this launch cannot be counted before it, and 2^32 are too many "
                "for a launch packet: compute grid and block before");
    return;
  }
  translation.needs_port = true;
  const Piece count{.first = words.first(grid.first), .last = words.last(grid.last - 1)};
  translation.edits.push_back(
      {.first = count.first,
       .last = count.last,
       .pieces = {{.text = "ambidex_port::checked_grid("},
                  count,
                  {.text = ", "},
                  {.first = words.first(block.first), .last = words.last(block.last - 1)},
                  {.text = ")"}},
       .rule = "launch.grid",
       .hazard = "R05",
       .note = "2^32 threads or more end the program, where they would be left out silently"});
}

void check_launch(Translation& translation, int64_t i) {
  const Words& words = translation.words;
  if (words.text(i) == "<<<") {
    const auto arguments = launch_arguments(words, i);
    if (arguments.size() >= 2) check_grid(translation, i, arguments[0], arguments[1]);
  } else if (words.text(i) == "cudaLaunchKernel" && words.text(i + 1) == "(") {
    const auto arguments = arguments_of(words, i + 1);
    if (arguments.size() >= 3) check_grid(translation, i, arguments[1], arguments[2]);
  }
}

}  // namespace

void translate_limits(Translation& translation) {
  const Words& words = translation.words;
  for (int64_t i = 0; i < words.size(); ++i) {
    if (words.at(i).amd_only) continue;
    check_launch(translation, i);
    if (!words.is_word(i)) continue;
    check_opt_in(translation, i);
    check_cooperative(translation, i);
  }
}

}  // namespace ambidex
