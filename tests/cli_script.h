// SPDX-License-Identifier: Apache-2.0
// The front-door tests of tests/cli/*.test:
//
//   # what: an unknown device names its neighbours
//   $ ambidex devices show h20
//   ! not_found: no device "h20"; nearest: h200, h100
//
// After a command stand the lines of its stdout; `! ` opens a line of stderr, `? 3` states the
// exit code. Without `?` it is that of the kind in the first `! ` line, or 0. A line `...` stands
// for any lines, `...` within a line for any text. Blank lines before the next `$`, `#` or the
// end do not count; other lines that open with `#` are comments. The commands of a case share the
// empty folder $SCRATCH; they run in the folder of the sources.
#pragma once

#include <fmt/format.h>

#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace ambidex {

using Lines = std::vector<std::string>;

struct ScriptStep {
  std::string command;
  Lines out;
  Lines err;
  int exit_code = 0;
  int line = 0;  // of the command, from 1
};

struct ScriptCase {
  std::string what;
  std::vector<ScriptStep> steps;
};

inline Lines split_lines(std::string_view text) {
  Lines lines;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

inline bool line_matches(std::string_view pattern, std::string_view line) {
  const size_t dots = pattern.find("...");
  if (dots == std::string_view::npos) return pattern == line;
  if (line.substr(0, dots) != pattern.substr(0, dots)) return false;
  const std::string_view rest = pattern.substr(dots + 3);
  for (size_t at = dots; at <= line.size(); ++at) {
    if (line_matches(rest, line.substr(at))) return true;
  }
  return false;
}

inline bool lines_match(const Lines& patterns, const Lines& lines, size_t p = 0, size_t l = 0) {
  if (p == patterns.size()) return l == lines.size();
  if (patterns[p] == "...") {
    for (size_t at = l; at <= lines.size(); ++at) {
      if (lines_match(patterns, lines, p + 1, at)) return true;
    }
    return false;
  }
  return l < lines.size() && line_matches(patterns[p], lines[l]) &&
         lines_match(patterns, lines, p + 1, l + 1);
}

inline int exit_code_of_kind(const std::string& first_err_line) {
  static const std::map<std::string, int> kCodes{{"bad_input", 2},
                                                 {"not_found", 3},
                                                 {"unsupported", 4},
                                                 {"device_failure", 5},
                                                 {"internal", 70}};
  const auto row = kCodes.find(first_err_line.substr(0, first_err_line.find(':')));
  return row == kCodes.end() ? 0 : row->second;
}

inline void add_expectation(ScriptStep& step, const std::string& line) {
  if (line.starts_with("? ")) {
    step.exit_code = std::stoi(line.substr(2));
  } else if (line.starts_with("! ")) {
    step.err.push_back(line.substr(2));
    if (step.err.size() == 1 && step.exit_code == 0) {
      step.exit_code = exit_code_of_kind(step.err.front());
    }
  } else {
    step.out.push_back(line);
  }
}

inline void drop_blank_end(std::vector<ScriptCase>& cases) {
  for (ScriptCase& one : cases) {
    for (ScriptStep& step : one.steps) {
      while (!step.out.empty() && step.out.back().empty()) step.out.pop_back();
    }
  }
}

/// throws std::runtime_error with the line of text that stands where it means nothing
inline std::vector<ScriptCase> parse_script(std::string_view text) {
  constexpr std::string_view kWhat = "# what: ";
  std::vector<ScriptCase> cases;
  int number = 0;
  for (const std::string& line : split_lines(text)) {
    ++number;
    if (line.starts_with(kWhat)) {
      cases.push_back({line.substr(kWhat.size()), {}});
    } else if (line.starts_with("#")) {
      continue;
    } else if (line.starts_with("$ ") && !cases.empty()) {
      cases.back().steps.push_back({.command = line.substr(2), .line = number});
    } else if (!cases.empty() && !cases.back().steps.empty()) {
      add_expectation(cases.back().steps.back(), line);
    } else if (!line.empty()) {
      throw std::runtime_error(
          fmt::format("{}: expected \"# what: \" or \"$ \", got \"{}\"", number, line));
    }
  }
  drop_blank_end(cases);
  return cases;
}

}  // namespace ambidex
