// SPDX-License-Identifier: Apache-2.0
#include "frontend/launch_facts.h"

#include <algorithm>
#include <string>

namespace ambidex {
namespace {

constexpr int kMaxDepth = 5;  // of variables made from variables

TokenRange trimmed(const SourceFile& file, TokenRange range) {
  while (range.first < range.last && text_at(file, range.first) == "(" &&
         closing(file, range.first) == range.last - 1) {
    ++range.first;
    --range.last;
  }
  return range;
}

void fill(std::array<TokenRange, 3>& out, const std::vector<TokenRange>& parts) {
  for (size_t i = 0; i < std::min<size_t>(parts.size(), 3); ++i) out[i] = parts[i];
}

bool is_wide_type(std::string_view type) {
  for (const std::string_view word : {"int64", "uint64", "size_t", "long", "ptrdiff_t", "size_type",
                                      "int64_t", "difference_type"}) {
    if (type.find(word) != std::string_view::npos) return true;
  }
  return false;
}

bool is_cap_word(std::string_view word) {
  for (const std::string_view part : {"min", "Min", "MIN", "cap", "Cap", "clamp", "Clamp"}) {
    if (word.find(part) != std::string_view::npos) return true;
  }
  return false;
}

/// `if (blocks > 65535) blocks = 65535;` and `blocks = std::min(blocks, n)` before the launch.
bool is_capped_before(const SourceFile& file, int64_t use, int64_t from, std::string_view name) {
  for (int64_t i = from; i < use; ++i) {
    if (text_at(file, i) != name) continue;
    const std::string_view next = text_at(file, i + 1);
    const bool bounded = next == ">" || next == ">=";
    if (bounded && text_at(file, i - 1) == "(") return true;
    if (next == "=" && i + 4 < use) {
      for (int64_t k = i + 2; k < use && text_at(file, k) != ";"; ++k) {
        if (is_cap_word(text_at(file, k)) || text_at(file, k) == "?") return true;
      }
    }
  }
  return false;
}

void look_at_name(const SourceView& view, const SourceFile& file, int64_t at, int depth,
                  CountFacts& facts) {
  const std::string_view name = text_at(file, at);
  if (is_cap_word(name)) facts.capped = true;
  const std::string_view before = text_at(file, at - 1);
  if (before == "." || before == "->") {
    const bool counts = name == "numel" || name == "size" || name == "nnz";
    facts.wide |= counts && text_at(file, at + 1) == "(";
    return;
  }
  if (call_open(file, at) >= 0) return;
  if (constant_in(view, file, {at, at + 1})) return;
  if (is_wide_type(name)) facts.wide = true;  // a cast
  const Declared declared = declaration_of(file, at, name);
  if (!declared.found) return;
  if (is_wide_type(declared.type)) facts.wide = true;
  if (declared.init.first >= declared.init.last || depth >= kMaxDepth) return;
  const CountFacts inner = count_facts(view, file, declared.init, depth + 1);
  facts.wide |= inner.wide && !inner.constant;
  facts.capped |= inner.capped || is_capped_before(file, at, declared.init.last, name);
  facts.divisor = std::max(facts.divisor, inner.divisor);
}

/// `(n + 15) / 16` and `ceil_div(n, 16)`: 16; `(n / 2 + 15) / 16`: 32.
int64_t divisor_in(const SourceView& view, const SourceFile& file, TokenRange range) {
  int64_t divisor = 1;
  const auto take = [&](TokenRange by) {
    const auto value = constant_in(view, file, by);
    if (value && *value > 0 && divisor <= (int64_t{1} << 40) / *value) divisor *= *value;
  };
  for (int64_t i = range.first; i < range.last; ++i) {
    if (text_at(file, i) == "/") {
      int64_t last = i + 2;
      if (text_at(file, i + 1) == "(") last = closing(file, i + 1) + 1;
      take({i + 1, last});
    }
    const std::string_view name = text_at(file, i);
    const bool divides =
        name.find("div") != std::string_view::npos || name.find("Div") != std::string_view::npos ||
        name.find("DIV") != std::string_view::npos || name.find("ceil") != std::string_view::npos;
    const int64_t open = divides ? call_open(file, i) : -1;
    if (open < 0) continue;
    const std::vector<TokenRange> arguments = arguments_of(file, open);
    if (arguments.size() == 2) take(arguments[1]);
  }
  return divisor;
}

void add_call_launches(const SourceFile& file, std::vector<Launch>& launches) {
  for (int64_t i = 0; i < std::ssize(file.tokens); ++i) {
    const std::string_view name = text_at(file, i);
    if (name != "cudaLaunchKernel" && name != "cudaLaunchCooperativeKernel") continue;
    const int64_t open = call_open(file, i);
    if (open < 0) continue;
    const std::vector<TokenRange> arguments = arguments_of(file, open);
    if (arguments.size() < 4) continue;
    Launch launch{.at = i,
                  .kernel = root_name(file, arguments[0]),
                  .config = {arguments[1], arguments[2]},
                  .arguments = {}};
    if (arguments.size() > 4) launch.config.push_back(arguments[4]);
    launches.push_back(std::move(launch));
  }
}

int64_t bytes_of_array(const SourceView& view, const SourceFile& file, TokenRange type,
                       const std::vector<TokenRange>& bounds) {
  int64_t bytes = plain_size(spelled(file, type)).value_or(0);
  for (const TokenRange& bound : bounds) {
    const auto count = constant_in(view, file, bound);
    if (!count || *count <= 0 || bytes > (int64_t{1} << 40) / *count) return 0;
    bytes *= *count;
  }
  return bytes;
}

}  // namespace

std::array<TokenRange, 3> dimensions_of(const SourceFile& file, TokenRange range) {
  std::array<TokenRange, 3> out{};
  range = trimmed(file, range);
  for (int depth = 0; depth < kMaxDepth && range.first < range.last; ++depth) {
    const std::string_view first = text_at(file, range.first);
    const int64_t open = first == "{" ? range.first : first == "dim3" ? range.first + 1 : -1;
    if (open >= 0 && (text_at(file, open) == "(" || text_at(file, open) == "{")) {
      fill(out, arguments_of(file, open));
      return out;
    }
    if (range.last != range.first + 1 || !is_word_at(file, range.first)) break;
    const Declared declared = declaration_of(file, range.first, first);
    const bool is_dim3 = declared.type.find("dim3") != std::string::npos ||
                         declared.type.find("auto") != std::string::npos;
    if (!is_dim3 || declared.init.first >= declared.init.last) break;
    const std::string_view before = text_at(file, declared.init.first - 1);
    if (before == "(" || before == "{") {
      fill(out, arguments_of(file, declared.init.first - 1));
      return out;
    }
    range = declared.init;
  }
  out[0] = range;
  return out;
}

std::optional<int64_t> constant_volume(const SourceView& view, const SourceFile& file,
                                       const std::array<TokenRange, 3>& dimensions) {
  int64_t volume = 1;
  for (const TokenRange& range : dimensions) {
    if (range.first >= range.last) continue;
    const auto value = constant_in(view, file, range);
    if (!value || *value <= 0 || *value > (int64_t{1} << 40) / volume) return std::nullopt;
    volume *= *value;
  }
  return volume;
}

CountFacts count_facts(const SourceView& view, const SourceFile& file, TokenRange range,
                       int depth) {
  CountFacts facts;
  if (constant_in(view, file, range)) {
    facts.constant = true;
    return facts;
  }
  facts.divisor = divisor_in(view, file, range);
  for (int64_t i = range.first; i < range.last; ++i) {
    if (text_at(file, i) == "?") facts.capped = true;
    if (is_word_at(file, i)) look_at_name(view, file, i, depth, facts);
  }
  return facts;
}

std::vector<Launch> all_launches_of(const SourceFile& file) {
  std::vector<Launch> launches = launches_of(file);
  add_call_launches(file, launches);
  return launches;
}

std::vector<SharedArray> shared_arrays_of(const SourceView& view, const SourceFile& file) {
  std::vector<SharedArray> arrays;
  for (int64_t i = 0; i < std::ssize(file.tokens); ++i) {
    if (text_at(file, i) != "__shared__") continue;
    int64_t name = i + 1;
    while (is_word_at(file, name) || text_at(file, name) == "::" || text_at(file, name) == "<" ||
           text_at(file, name) == "(") {
      const std::string_view text = text_at(file, name);
      if (text == "<" || text == "(") name = std::max(name, closing(file, name));
      ++name;
    }
    --name;
    if (text_at(file, name + 1) != "[") continue;
    SharedArray array{
        .at = name, .bytes = 0, .bounds = {}, .dynamic = text_at(file, i - 1) == "extern"};
    for (int64_t open = name + 1; text_at(file, open) == "[";) {
      const int64_t close = closing(file, open);
      if (close < 0) break;
      if (close > open + 1) array.bounds.push_back({open + 1, close});
      open = close + 1;
    }
    int64_t type = i + 1;
    while (text_at(file, type) == "__align__" || text_at(file, type) == "alignas" ||
           text_at(file, type) == "volatile") {
      type += text_at(file, type + 1) == "(" ? closing(file, type + 1) - type + 1 : 1;
    }
    if (!array.dynamic) array.bytes = bytes_of_array(view, file, {type, name}, array.bounds);
    arrays.push_back(std::move(array));
  }
  return arrays;
}

}  // namespace ambidex
