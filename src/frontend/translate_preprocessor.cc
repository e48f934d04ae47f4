// SPDX-License-Identifier: Apache-2.0
// R08, R09: conditions on CUDA's own macros. In the port the device is the newest architecture, as
// far as the branch that it then takes can be translated.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "frontend/translate.h"

namespace ambidex {
namespace {

constexpr int64_t kArchitecture = 900;

// `#ifdef __CUDA_ARCH__`, `defined(__CUDA_ARCH__)`
bool is_tested(const Words& words, int64_t i) {
  const std::string_view before = words.text(i - 1);
  if (before == "ifdef" || before == "ifndef" || before == "defined") return true;
  return before == "(" && words.text(i - 2) == "defined";
}

struct Bytes {
  int64_t first = 0;
  int64_t last = 0;
};

Bytes bytes_of(const Words& words, TokenRange range) {
  if (range.first >= range.last) return {};
  return {words.first(range.first), words.last(range.last - 1)};
}

bool holds(const Bytes& bytes, const Refusal& refusal) {
  return bytes.first <= refusal.offset && refusal.offset < bytes.last;
}

// Whether another rule has refused something in the branch.
bool is_refused(const Translation& translation, TokenRange range) {
  const Bytes bytes = bytes_of(translation.words, range);
  return std::any_of(translation.refusals.begin(), translation.refusals.end(),
                     [&](const Refusal& refusal) { return holds(bytes, refusal); });
}

// The branch is never compiled: what was refused in it does not matter.
void forget_refusals(Translation& translation, TokenRange range) {
  const Bytes bytes = bytes_of(translation.words, range);
  std::erase_if(translation.refusals,
                [&](const Refusal& refusal) { return holds(bytes, refusal); });
}

// Directives of the #if that `index` opens: itself, its #elif and #else, and its #endif.
std::vector<size_t> branches_of(const Words& words, size_t index) {
  std::vector<size_t> branches;
  int64_t depth = 0;
  const auto& directives = words.file.directives;
  for (size_t i = index; i < directives.size(); ++i) {
    const std::string_view name = directives[i].name;
    if (name.starts_with("if")) ++depth;
    if (depth == 1 && (name.starts_with("if") || name.starts_with("el") || name == "endif")) {
      branches.push_back(i);
    }
    if (name == "endif" && --depth == 0) break;
  }
  return branches;
}

struct Condition {
  bool is_threshold = false;  // `__CUDA_ARCH__ >= N` is all that it says of the architecture
  int64_t threshold = 0;      // the branch is taken from here on
};

Condition condition_of(const Words& words, const Directive& directive) {
  for (int64_t i = directive.rest.first; i + 2 < directive.rest.last; ++i) {
    if (words.text(i) != "__CUDA_ARCH__") continue;
    const std::string_view sign = words.text(i + 1);
    const auto number = int64_from_text(words.text(i + 2));
    if (!number) continue;
    if (sign == ">=") return {true, *number};
    if (sign == ">") return {true, *number + 1};
  }
  return {};
}

// The newest architecture whose branch can be translated, of an #if that tests thresholds.
int64_t architecture_for(Translation& translation, size_t index) {
  const Words& words = translation.words;
  const auto branches = branches_of(words, index);
  const auto& directives = words.file.directives;
  int64_t architecture = kArchitecture;
  for (size_t b = 0; b + 2 < branches.size(); ++b) {  // only if another branch takes over
    const Directive& directive = directives[branches[b]];
    const Condition condition = condition_of(words, directive);
    if (!condition.is_threshold || condition.threshold > architecture) continue;
    const TokenRange body{directive.line.last, directives[branches[b + 1]].line.first};
    if (!is_refused(translation, body)) break;
    forget_refusals(translation, body);
    architecture = condition.threshold - 1;
  }
  return architecture;
}

// The #if, #elif chain that a directive of a condition belongs to.
size_t opening_of(const Words& words, size_t index) {
  const auto& directives = words.file.directives;
  int64_t depth = 0;
  for (size_t i = index + 1; i-- > 0;) {
    if (directives[i].name == "endif" && i != index) ++depth;
    if (!directives[i].name.starts_with("if")) continue;
    if (depth == 0) return i;
    --depth;
  }
  return index;
}

// Of one #if, whatever branch of it asks.
int64_t architecture_of(Translation& translation, size_t opening) {
  const auto known = translation.architectures.find(opening);
  if (known != translation.architectures.end()) return known->second;
  const int64_t architecture = architecture_for(translation, opening);
  translation.architectures.emplace(opening, architecture);
  return architecture;
}

void change_architecture(Translation& translation, int64_t i, size_t directive, bool in_condition) {
  const Words& words = translation.words;
  if (is_tested(words, i)) {
    replace_word(translation, i, "__HIP_DEVICE_COMPILE__", "preprocessor.device", "R08",
                 "what it says is whether this is device code");
    return;
  }
  translation.needs_version = true;
  const int64_t architecture =
      in_condition ? architecture_of(translation, opening_of(words, directive)) : kArchitecture;
  if (architecture == kArchitecture) {
    replace_word(translation, i, "AMBIDEX_PORT_CUDA_ARCH", "preprocessor.architecture", "R08",
                 "the port takes the branch of the newest architecture");
    return;
  }
  replace_word(translation, i, fmt::format("AMBIDEX_PORT_CUDA_ARCH_AT_MOST({})", architecture),
               "preprocessor.architecture", "R08",
               fmt::format("branches for {} and later cannot be translated: the port takes the "
                           "one before",
                           architecture + 1));
}

}  // namespace

void translate_preprocessor(Translation& translation) {
  const Words& words = translation.words;
  size_t directive = 0;
  const auto& directives = words.file.directives;
  for (int64_t i = 0; i < words.size(); ++i) {
    while (directive < directives.size() && directives[directive].line.last <= i) ++directive;
    if (!words.is_word(i) || words.at(i).amd_only) continue;
    const bool in_condition =
        directive < directives.size() && directives[directive].line.first <= i &&
        (directives[directive].name == "if" || directives[directive].name == "elif");
    if (words.text(i) == "__CUDA_ARCH__") {
      change_architecture(translation, i, directive, in_condition);
    } else if (words.text(i) == "__CUDACC__" || words.text(i) == "__NVCC__") {
      replace_word(translation, i, "__HIP__", "preprocessor.compiler", "R09",
                   "what clang says of itself when it compiles HIP");
    }
  }
}

}  // namespace ambidex
