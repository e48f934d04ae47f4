// SPDX-License-Identifier: Apache-2.0
#include "frontend/launches.h"

#include <algorithm>

namespace ambidex::syntax {
namespace {

int closing_chevrons(const Words& words, int open, int last) {
  for (int i = open + 1; i < last; ++i) {
    if (words.text(i) == ">>>") return i;
    if (words.text(i) == ";" || words.text(i) == "{" || words.text(i) == "}") return -1;
    const int partner = words.partner[static_cast<size_t>(i)];
    if (partner > i) i = partner;
  }
  return -1;
}

// The name before <<<, template arguments left out.
std::string kernel_before(const Words& words, int at) {
  int i = at - 1;
  if (words.text(i) == ">" || words.text(i) == ">>") {
    int depth = 0;
    for (; i > 0 && i > at - 60; --i) {
      if (words.text(i) == ">") ++depth;
      if (words.text(i) == ">>") depth += 2;
      if (words.text(i) == "<" && --depth == 0) break;
    }
    --i;
  }
  return words.is_word(i) ? std::string(words.text(i)) : "";
}

void add_chevrons(const Function& function, std::vector<LaunchSite>& launches) {
  const Words& words = *function.words;
  for (int i = function.body.first; i < function.body.last; ++i) {
    if (words.text(i) != "<<<") continue;
    LaunchSite launch{.function = &function, .at = i, .kernel = kernel_before(words, i)};
    const int close = closing_chevrons(words, i, function.body.last);
    if (close > 0) {
      const std::vector<Span> arguments = split_commas(words, {i + 1, close});
      if (!arguments.empty()) launch.grid = arguments[0];
      if (arguments.size() > 1) launch.block = arguments[1];
      if (arguments.size() > 2) launch.shared_bytes = arguments[2];
    }
    launches.push_back(std::move(launch));
  }
}

void add_calls(const Function& function, std::vector<LaunchSite>& launches) {
  const Words& words = *function.words;
  for (const Call& call : function.calls) {
    const std::string_view name = words.text(call.name);
    if (name != "cudaLaunchKernel" && name != "cudaLaunchCooperativeKernel") continue;
    if (call.arguments.size() < 5) continue;
    LaunchSite launch{.function = &function,
                      .at = call.name,
                      .grid = call.arguments[1],
                      .block = call.arguments[2],
                      .shared_bytes = call.arguments[4]};
    for (int i = call.arguments[0].first; i < call.arguments[0].last; ++i) {
      if (words.is_word(i)) launch.kernel = words.text(i);
    }
    launches.push_back(std::move(launch));
  }
}

}  // namespace

std::vector<LaunchSite> launches_of(const Program& program) {
  std::vector<LaunchSite> launches;
  for (const Function& function : program.functions) {
    if (function.lambda) continue;
    add_chevrons(function, launches);
    add_calls(function, launches);
  }
  return launches;
}

std::optional<std::vector<int64_t>> constant_extent(const Program& program,
                                                    const Function& function, Span span) {
  const Words& words = *function.words;
  if (span.empty()) return std::nullopt;
  if (const auto value = constant_of(program, words, span)) return std::vector<int64_t>{*value};
  const Words* where = &words;
  if (span.last - span.first == 1) {
    const Variable* found = variable(program, function, words.text(span.first));
    if (found == nullptr || found->init.empty() || found->array) return std::nullopt;
    where = found->words;
    span = found->init;
  }
  if (where->text(span.first) == "dim3" && span.last - span.first > 2 &&
      (where->text(span.first + 1) == "(" || where->text(span.first + 1) == "{")) {
    span = {span.first + 2, span.last - 1};
  }
  std::vector<int64_t> extent;
  for (const Span part : split_commas(*where, span)) {
    const auto value = constant_of(program, *where, part);
    if (!value) return std::nullopt;
    extent.push_back(*value);
  }
  return extent;
}

}  // namespace ambidex::syntax
