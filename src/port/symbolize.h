// SPDX-License-Identifier: Apache-2.0
// From program counters of a loaded module to lines of the user's source.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ambidex {

struct SourcePlace {
  std::string function;  // demangled, with its parameters
  std::string file;
  int line = 0;  // from 1; 0 if unknown
  int column = 0;
};

/// For each address the innermost frame that is not in our own headers, be it inlined or not;
/// empty if the module has no lines for it. Addresses are return addresses, counted from where the
/// module begins (dl_iterate_phdr's dlpi_addr).
///   throws Error(bad_input) if `module` cannot be read
std::vector<std::optional<SourcePlace>> symbolize(const std::string& module,
                                                  std::span<const uint64_t> addresses);

}  // namespace ambidex
