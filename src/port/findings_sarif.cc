// SPDX-License-Identifier: Apache-2.0
#include "port/findings_sarif.h"

#include <fmt/format.h>

#include <filesystem>

#include "report/sarif.h"

namespace ambidex {
namespace {

std::string level_of(Severity severity) {
  switch (severity) {
    case Severity::s0:
    case Severity::s1:
      return "error";
    case Severity::s2:
      return "warning";
    case Severity::s3:
      break;
  }
  return "note";
}

}  // namespace

std::string sarif_of(const std::vector<Finding>& findings) {
  SarifLog log{.tool = "ambidex port", .version = AMBIDEX_VERSION, .rules = {}, .results = {}};
  for (const Hazard& row : hazards()) {
    log.rules.push_back({row.id, row.title, row.page, level_of(row.severity)});
  }
  for (const Finding& finding : findings) {
    log.results.push_back({finding.id, level_of(finding.severity),
                           fmt::format("{}: {}", name_of(finding.severity), finding.message),
                           std::filesystem::path(finding.file).lexically_normal().string(),
                           finding.line, finding.column, finding.evidence});
  }
  return sarif_of(log);
}

}  // namespace ambidex
