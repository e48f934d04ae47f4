// SPDX-License-Identifier: Apache-2.0
#include "frontend/launch_words.h"

#include <algorithm>
#include <optional>

#include "base/text.h"

namespace ambidex {
namespace {

std::optional<int64_t> number_at(const Words& words, int64_t i) {
  return int64_from_text(words.text(i));
}

// The number that the only declaration of a name in the file gives it: `const int N = 256;`,
// `#define N 256`. None if there are others, or if it can change.
std::optional<int64_t> constant_of(const Words& words, std::string_view name) {
  std::optional<int64_t> value;
  for (int64_t i = 1; i < words.size(); ++i) {
    if (words.text(i) != name) continue;
    const std::string_view before = words.text(i - 1);
    const std::string_view after = words.text(i + 1);
    if (before == "define" && words.text(i - 2) == "#") {
      const bool is_all = i + 2 >= words.size() || words.at(i + 2).line != words.at(i).line;
      if (value || !is_all || !number_at(words, i + 1)) return {};
      value = number_at(words, i + 1);
    } else if (words.is_word(i - 1) && before != "return" && before != "else") {
      const bool is_constant =
          words.text(i - 2) == "const" || words.text(i - 2) == "constexpr" || before == "constexpr";
      const std::string_view end = words.text(i + 3);
      const bool is_plain = after == "=" && (end == ";" || end == ",");
      if (value || !is_constant || !is_plain || !number_at(words, i + 2)) return {};
      value = number_at(words, i + 2);
    } else if (after == "=" || before == "," || before == "&") {
      // `int a = 1, name = 2;` or a change of it; a list of arguments is no harm.
      if (after == "=") return {};
    }
  }
  return value;
}

std::optional<int64_t> value_of(const Words& words, TokenRange range) {
  if (range.last - range.first != 1) return {};
  const auto number = number_at(words, range.first);
  return number ? number : constant_of(words, words.text(range.first));
}

std::optional<int64_t> product_of(const Words& words, int64_t open) {
  int64_t product = 1;
  const auto arguments = arguments_of(words, open);
  for (const TokenRange argument : arguments) {
    const auto value = value_of(words, argument);
    if (!value || *value < 1 || *value > 1024) return {};
    product *= *value;
  }
  return arguments.empty() || arguments.size() > 3 ? std::nullopt : std::optional(product);
}

// `dim3 block(16, 16);`, the only declaration of it, and never changed.
std::optional<int64_t> threads_of_variable(const Words& words, std::string_view name) {
  int64_t declared = -1;
  for (int64_t i = 1; i < words.size(); ++i) {
    if (words.text(i) != name) continue;
    const std::string_view before = words.text(i - 1);
    const std::string_view after = words.text(i + 1);
    const bool declares = words.is_word(i - 1) && before != "return";
    if (declares && (declared >= 0 || before != "dim3")) return {};
    if (declares) declared = i;
    if (after == "=" || after == "." || before == "&") return {};
  }
  if (declared < 0 || (words.text(declared + 1) != "(" && words.text(declared + 1) != "{")) {
    return {};
  }
  return product_of(words, declared + 1);
}

std::optional<int64_t> threads_of(const Words& words, TokenRange block) {
  if (const auto value = value_of(words, block)) return value;
  if (words.text(block.first) == "dim3" && words.partner_of(block.first + 1) == block.last - 1) {
    return product_of(words, block.first + 1);
  }
  if (block.last - block.first != 1 || !words.is_word(block.first)) return {};
  return threads_of_variable(words, words.text(block.first));
}

}  // namespace

std::vector<TokenRange> launch_arguments(const Words& words, int64_t open) {
  std::vector<TokenRange> arguments;
  int64_t start = open + 1;
  for (int64_t i = start; i < words.size(); ++i) {
    const std::string_view text = words.text(i);
    if (text == ";" || text == "{") break;
    if (words.partner_of(i) > i) {
      i = words.partner_of(i);
    } else if (text == "<" && words.is_word(i - 1)) {
      const int64_t after = after_template_arguments(words, i);
      if (after > 0 && (words.text(after) == "(" || words.text(after) == "::")) i = after - 1;
    } else if (text == "," || text == ">>>") {
      if (i > start) arguments.push_back({start, i});
      start = i + 1;
      if (text == ">>>") return arguments;
    }
  }
  return {};
}

int64_t kernel_name_at(const Words& words, int64_t i) {
  for (int64_t k = i + 1; k < words.size() && k < i + 60; ++k) {
    const std::string_view text = words.text(k);
    if (text == ";" || text == "{") return -1;
    if (text.starts_with("__") && words.text(k + 1) == "(") {
      k = std::max(k, words.partner_of(k + 1));  // an attribute
      continue;
    }
    int64_t after = k + 1;
    if (words.text(after) == "<") after = after_template_arguments(words, after);
    if (words.is_word(k) && words.text(after) == "(") return k;
  }
  return -1;
}

void collect_kernels(const Words& words, KernelUses& uses) {
  for (int64_t i = 0; i < words.size(); ++i) {
    if (words.text(i) != "__global__") continue;
    const int64_t name = kernel_name_at(words, i);
    if (name >= 0) uses.try_emplace(std::string(words.text(name)));
  }
}

void collect_launches(const Words& words, KernelUses& uses) {
  int64_t declared = -1;
  for (int64_t i = 0; i < words.size(); ++i) {
    if (words.text(i) == "__global__") declared = kernel_name_at(words, i);
    if (i == declared || !words.is_word(i)) continue;
    const auto found = uses.find(words.text(i));
    if (found == uses.end()) continue;
    const std::string_view before = words.text(i - 1);
    if (before == "." || before == "->") continue;  // a member of the same name
    int64_t after = i + 1;
    if (words.text(after) == "<") after = after_template_arguments(words, after);
    const auto arguments =
        words.text(after) == "<<<" ? launch_arguments(words, after) : std::vector<TokenRange>();
    const auto threads = arguments.size() < 2 ? std::nullopt : threads_of(words, arguments[1]);
    KernelUse& use = found->second;
    use.is_unknown |= !threads || *threads < 1 || *threads > 1024;
    if (threads) use.max_threads = std::max(use.max_threads, *threads);
  }
}

}  // namespace ambidex
