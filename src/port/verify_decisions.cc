// SPDX-License-Identifier: Apache-2.0
// Comparisons of the port that came out one way in every case, and that the original has not: what
// they guard was never run, and may be anything.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "base/files.h"
#include "base/text.h"
#include "port/verification.h"

namespace ambidex {
namespace {

constexpr int64_t kMaxSourceBytes = int64_t{64} << 20;
constexpr size_t kMaxShownBytes = 80;  // of a line of the source

// A run's digit: 1 false, 2 true, 3 both.
bool is_one_sided(char digit) { return digit == '1' || digit == '2'; }

class SourceLines {
 public:
  // "" if there is none
  const std::string& at(const std::string& file, int64_t line) {
    static const std::string kNone;
    const auto [known, is_new] = files_.try_emplace(file);
    if (is_new) known->second = read(file);
    const auto index = static_cast<size_t>(line - 1);
    return line > 0 && index < known->second.size() ? known->second[index] : kNone;
  }

 private:
  static std::vector<std::string> read(const std::string& file) {
    std::string text;
    try {
      text = read_file(file, kMaxSourceBytes);
    } catch (const Error&) {  // a name that debug information has, and no file
      return {};
    }
    std::vector<std::string> lines;
    size_t begin = 0;
    while (begin < text.size()) {
      const size_t end = std::min(text.find('\n', begin), text.size());
      lines.push_back(text.substr(begin, end - begin));
      begin = end + 1;
    }
    return lines;
  }

  std::map<std::string, std::vector<std::string>> files_;
};

std::string without_spaces(const std::string& line) {
  std::string text;
  std::copy_if(line.begin(), line.end(), std::back_inserter(text),
               [](unsigned char c) { return std::isspace(c) == 0; });
  return text;
}

// What the original asks and has not answered both ways either. A port may ask the same of its
// longer waves.
class Unanswered {
 public:
  Unanswered(const Verification& state, SourceLines& sources) {
    for (size_t i = 0; i < state.original_seen.size(); ++i) {
      if (state.original_seen[i] == '3') continue;
      const ModuleDecision& decision = state.original_decisions[i];
      lines_.insert(without_spaces(sources.at(decision.file, decision.line)));
      if (has_constant(decision)) asked_.insert(at_any_width(decision.asks));
    }
    lines_.erase("");
  }

  bool has(const ModuleDecision& decision, const std::string& line) const {
    return lines_.contains(without_spaces(line)) ||
           (has_constant(decision) && asked_.contains(at_any_width(decision.asks)));
  }

 private:
  static bool has_constant(const ModuleDecision& decision) {
    return decision.asks.find(' ') != std::string::npos;
  }

  static std::string at_any_width(const std::string& asks) {
    const size_t space = asks.find(' ');
    std::string constant = asks.substr(space + 1);
    if (constant == "64") constant = "32";
    if (constant == "63") constant = "31";
    return asks.substr(0, space + 1) + constant;
  }

  std::set<std::string> lines_, asked_;
};

std::string text_of(const ModuleDecision& decision, char seen, const std::string& line) {
  const size_t begin = std::min(line.find_first_not_of(" \t"), line.size());
  return fmt::format(
      "{}:{}:{}: what is asked here was {} in every case, and the original asks "
      "nothing like it: what the port does otherwise is not known; in {}",
      decision.file, decision.line, decision.column, seen == '2' ? "true" : "false",
      quote(line.substr(begin, kMaxShownBytes)));
}

// Kernels that came by a comparison when they were launched alone; all, if none did.
std::vector<std::string> kernels_at(const Verification& state, size_t index) {
  std::vector<std::string> kernels, all;
  for (const auto& [kernel, report] : state.reports) all.push_back(kernel);
  for (const auto& [kernel, seen] : state.port_seen_by_kernel) {
    if (index < seen.size() && seen[index] != '0') kernels.push_back(kernel);
  }
  return kernels.empty() ? all : kernels;
}

}  // namespace

void add_seen(std::string& all, const std::string& run) {
  if (all.size() < run.size()) all.resize(run.size(), '0');
  for (size_t i = 0; i < run.size(); ++i) {
    all[i] = static_cast<char>('0' + (((all[i] - '0') | (run[i] - '0')) & 3));
  }
}

std::map<std::string, std::string> undecided_kernels(const Verification& state) {
  std::map<std::string, std::string> reasons;
  SourceLines sources;
  const Unanswered unanswered(state, sources);
  const size_t count = std::min(state.port_seen.size(), state.port_decisions.size());
  for (size_t i = 0; i < count; ++i) {
    const ModuleDecision& decision = state.port_decisions[i];
    const std::string line = sources.at(decision.file, decision.line);
    if (!is_one_sided(state.port_seen[i]) || unanswered.has(decision, line)) continue;
    for (const std::string& kernel : kernels_at(state, i)) {
      reasons.try_emplace(kernel, text_of(decision, state.port_seen[i], line));
    }
  }
  return reasons;
}

}  // namespace ambidex
