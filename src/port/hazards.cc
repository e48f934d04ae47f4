// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>

#include "ambidex/port.h"

namespace ambidex {
namespace {

constexpr std::array<std::string_view, 4> kSeverities{"S0", "S1", "S2", "S3"};
constexpr std::array<std::string_view, 5> kFixes{"rule", "rule_if_proved", "library", "agent",
                                                 "none"};

template <class Enum, size_t n>
Enum from_name(const std::array<std::string_view, n>& names, std::string_view what,
               std::string_view name) {
  for (size_t i = 0; i < n; ++i) {
    if (names[i] == name) return static_cast<Enum>(i);
  }
  const std::vector<std::string> known(names.begin(), names.end());
  throw Error(ErrorKind::bad_input, unknown_name(what, name, known));
}

}  // namespace

std::string_view name_of(Severity severity) { return kSeverities[static_cast<size_t>(severity)]; }
Severity severity_from_name(std::string_view name) {
  return from_name<Severity>(kSeverities, "severity", name);
}
std::string_view name_of(FixKind fix) { return kFixes[static_cast<size_t>(fix)]; }
FixKind fix_from_name(std::string_view name) { return from_name<FixKind>(kFixes, "fix", name); }

}  // namespace ambidex
