// SPDX-License-Identifier: Apache-2.0
// Findings about source files as SARIF 2.1.0, which editors and code hosts read.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ambidex {

struct SarifRule {
  std::string id;
  std::string title;  // one line
  std::string help;   // Markdown
  std::string level;  // error, warning, note: what results have by default
};

struct SarifResult {
  std::string rule;  // id of a rule
  std::string level;
  std::string message;
  std::string file;    // as it is to be shown; relative to the root, or absolute
  int64_t line = 0;    // from 1; 0: the whole file
  int64_t column = 0;  // from 1; 0: the whole line
  std::string snippet;
};

struct SarifLog {
  std::string tool;
  std::string version;
  std::vector<SarifRule> rules;
  std::vector<SarifResult> results;
};

/// One JSON document.
std::string sarif_of(const SarifLog& log);

}  // namespace ambidex
