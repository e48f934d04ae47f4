// SPDX-License-Identifier: Apache-2.0
#include "port/repair_shown.h"

#include <fmt/format.h>

#include <array>
#include <regex>

namespace ambidex::repair {
namespace {

constexpr size_t kMaxMessageBytes = 600;

// "launch 0, width 64, seed 1" and "width 64, seed 0": the program as it is.
bool is_own_launch(const std::string& name, std::string& width) {
  static const std::regex kOwn("(?:launch \\d+, )?width (\\d+), seed \\d+");
  std::smatch match;
  if (!std::regex_match(name, match, kOwn)) return false;
  width = match[1];
  return true;
}

// What a checker says is its kind, a place and the rest; of launches that are not shown, the rest
// may hold sizes.
std::string shown_problem(const VerifyCase& failure, bool own) {
  static const std::regex kProblem("([a-z_]+) at [^]*");
  const std::string message = failure.message.substr(0, kMaxMessageBytes);
  std::smatch match;
  if (failure.first || !failure.place || !std::regex_match(message, match, kProblem)) return "";
  return own ? message
             : fmt::format("{} at {}:{}", match[1].str(), failure.place->file, failure.place->line);
}

std::string shown_element(const VerifyCase& failure, bool own) {
  const Divergence& first = *failure.first;
  std::string text = own ? fmt::format("{}[{}] is {}, which is not what the original has",
                                       first.name, first.index, first.actual)
                         : fmt::format("{} is not what the original makes of it", first.name);
  if (!failure.place) return text;
  return text + (own ? fmt::format("; written at {}", text_of(*failure.place))
                     : fmt::format("; written at {}:{}", failure.place->file, failure.place->line));
}

}  // namespace

std::string shown_failure(const KernelReport& report) {
  if (report.failures.empty()) return "it was not verified";
  const VerifyCase& failure = report.failures.front();
  std::string width;
  const bool own = is_own_launch(failure.name, width);
  std::string what = failure.first ? shown_element(failure, own) : shown_problem(failure, own);
  for (const char* status : {"deadline", "crash", "sandbox"}) {
    if (failure.message == status) what = status;
  }
  if (what.empty()) what = "the result is not the original's";  // no form that is known to be safe
  return own ? fmt::format("in the program's own launch, on waves of {} lanes: {}", width, what)
             : "in a launch that is not shown: " + what;
}

std::string first_compile_error(const CompiledSource& compiled) {
  for (const CompileDiagnostic& row : compiled.diagnostics) {
    if (row.severity != "error" && row.severity != "fatal") continue;
    return fmt::format("{}:{}: {} ({})", row.file, row.line, row.message, row.pass);
  }
  return compiled.file + ": it does not compile";
}

}  // namespace ambidex::repair
