// SPDX-License-Identifier: Apache-2.0
#include "port/missing_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "port/api_table.h"

namespace ambidex {
namespace {

constexpr std::array<std::string_view, 5> kMissing{"use of undeclared identifier '",
                                                   "unknown type name '", "no type named '",
                                                   "no member named '", "no template named '"};

// What the compiler misses; empty if the message is of something else.
std::string_view missing_in(std::string_view message) {
  for (const std::string_view words : kMissing) {
    const size_t at = message.find(words);
    if (at == std::string_view::npos) continue;
    const std::string_view name = message.substr(at + words.size());
    return name.substr(0, name.find('\''));
  }
  return {};
}

bool is_upper_at(std::string_view name, size_t at) {
  return name.size() > at && name[at] >= 'A' && name[at] <= 'Z';
}

// By its beginning, or by the table of names.
bool is_of_vendor(std::string_view name) {
  if (name.starts_with("HIP_") || name.starts_with("CU_") || name.starts_with("__hip_"))
    return true;
  if (name.starts_with("hip") && is_upper_at(name, 3)) return true;
  if (name.starts_with("cuda") && is_upper_at(name, 4)) return true;
  if (api_table().find(name) != nullptr) return true;
  const auto& names = api_table().names;
  return std::any_of(names.begin(), names.end(),
                     [&](const auto& row) { return row.second.hip == name; });
}

}  // namespace

std::string with_missing_name(const std::string& message) {
  const std::string_view name = missing_in(message);
  if (name.empty() || !is_of_vendor(name)) return message;
  return fmt::format(
      "{}: the headers of this tool do not have {}, so that nothing is said of the program; the "
      "vendor's own may have it",
      message, name);
}

}  // namespace ambidex
