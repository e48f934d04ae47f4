// SPDX-License-Identifier: Apache-2.0
#include "runner/symbols.h"

#include <map>
#include <vector>

#include "ambidex/base.h"
#include "port/symbolize.h"

namespace ambidex::runner {
namespace {

using Places = std::map<uint64_t, SourcePlace>;

// A program that is missing leaves problems without lines: they are problems all the same.
Places places(const std::vector<uint64_t>& addresses, const std::string& module) {
  Places found;
  if (addresses.empty()) return found;
  try {
    const auto rows = symbolize(module, addresses);
    for (size_t i = 0; i < addresses.size(); ++i) {
      if (rows[i]) found[addresses[i]] = *rows[i];
    }
  } catch (const Error&) {
  }
  return found;
}

}  // namespace

void symbolise(nlohmann::json& problems, const std::string& module) {
  std::vector<uint64_t> addresses;
  for (const auto& problem : problems) {
    for (const char* key : {"program_counter", "other_program_counter"}) {
      const auto address = problem.value(key, uint64_t{0});
      if (address != 0) addresses.push_back(address);
    }
  }
  Places found = places(addresses, module);
  found[0] = {};
  for (auto& problem : problems) {
    const SourcePlace here = found[problem.at("program_counter").get<uint64_t>()];
    const SourcePlace other = found[problem.value("other_program_counter", uint64_t{0})];
    problem["file"] = here.file;
    problem["line"] = here.line;
    problem["column"] = here.column;
    problem["function"] = here.function;
    if (!problem.contains("other_program_counter")) continue;
    problem["other_file"] = other.file;
    problem["other_line"] = other.line;
  }
}

}  // namespace ambidex::runner
