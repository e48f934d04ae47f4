// SPDX-License-Identifier: Apache-2.0
#include "port/left_hazards.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "base/text.h"
#include "port/source_file.h"

namespace ambidex {
namespace {

using Place = std::tuple<std::string, std::string, int64_t>;  // hazard, file, line

std::set<Place> answered(const TranslatedTree& tree) {
  std::set<Place> places;
  for (const TranslatedFile& file : tree.files) {
    const std::string path = plain_path(file.path);
    for (const TranslateEdit& edit : file.edits) places.emplace(edit.hazard, path, edit.line);
    for (const TranslateRefusal& refusal : file.refusals) {
      places.emplace(refusal.hazard, path, refusal.line);
    }
  }
  return places;
}

}  // namespace

std::vector<Finding> left_hazards(const ScanResult& scan, const TranslatedTree& tree) {
  const std::set<Place> places = answered(tree);
  std::vector<Finding> left;
  std::copy_if(scan.findings.begin(), scan.findings.end(), std::back_inserter(left),
               [&](const Finding& finding) {
                 return finding.severity <= Severity::s1 && hazard(finding.id).is_unseen &&
                        !places.contains({finding.id, plain_path(finding.file), finding.line});
               });
  return left;
}

std::string left_text(const PortRun& run) {
  std::string text;
  for (const Finding& finding : left_hazards(run.scan, run.tree)) {
    text += fmt::format("left in the port: {} at {}:{}, not visible to the executor\n", finding.id,
                        printable(finding.file), finding.line);
  }
  return text;
}

}  // namespace ambidex
