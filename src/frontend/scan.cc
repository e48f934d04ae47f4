// SPDX-License-Identifier: Apache-2.0
// scan: {files, arguments, dialect?, words_only?} -> {findings, unknown_includes, parse_errors,
// files}. A file that clang gives up on is looked at word by word.
#include <algorithm>
#include <set>
#include <tuple>

#include "frontend/build_view.h"
#include "frontend/commands.h"
#include "frontend/detector.h"
#include "frontend/prelude.h"

namespace ambidex {
namespace {

using Json = nlohmann::json;

auto key_of(const Finding& finding) {
  return std::tie(finding.file, finding.line, finding.id, finding.severity, finding.column);
}

// Sorted; of several findings of one id on a line the gravest is kept.
void tidy(std::vector<Finding>& findings) {
  std::stable_sort(findings.begin(), findings.end(),
                   [](const Finding& a, const Finding& b) { return key_of(a) < key_of(b); });
  const auto same = [](const Finding& a, const Finding& b) {
    return std::tie(a.file, a.line, a.id) == std::tie(b.file, b.line, b.id);
  };
  findings.erase(std::unique(findings.begin(), findings.end(), same), findings.end());
}

Json json_of(const Finding& finding) {
  return {{"id", finding.id},
          {"severity", name_of(finding.severity)},
          {"file", finding.file},
          {"line", finding.line},
          {"column", finding.column},
          {"message", finding.message},
          {"fix", name_of(finding.fix)},
          {"evidence", finding.evidence}};
}

struct Answer {
  std::vector<Finding> findings;
  std::set<std::string> files;
  std::set<std::tuple<std::string, int64_t, std::string>> unknown;
  Json errors = Json::array();
};

void look(const SourceView& view, Answer& answer) {
  for (const Detector detector : kDetectors) detector(view, answer.findings);
  for (const SourceFile& file : view.files) answer.files.insert(file.path);
  for (const Include& include : view.includes) {
    if (include.kind != IncludeKind::unknown) continue;
    answer.unknown.emplace(include.file, include.line, include.name);
  }
  for (const ParseError& error : view.errors) {
    answer.errors.push_back(
        {{"file", error.file}, {"line", error.line}, {"message", error.message}});
  }
}

// Worth its second for several files only.
std::string prelude_for(const Json& request) {
  const bool cuda = request.value("dialect", "cuda") == "cuda";
  if (!cuda || request.value("words_only", false) || request.at("files").size() < 4) return {};
  return precompiled_prelude(request.value("arguments", std::vector<std::string>{}));
}

}  // namespace

Finding finding_at(const SourceFile& file, const Token& token, std::string_view id,
                   Severity severity, FixKind fix, std::string message) {
  return {.id = std::string(id),
          .severity = severity,
          .file = file.path,
          .line = token.line,
          .column = token.column,
          .message = std::move(message),
          .fix = fix,
          .evidence = evidence_at(file, token.line)};
}

void FileLook::add(int64_t at, std::string_view id, Severity severity, FixKind fix,
                   std::string message) const {
  const Token& token = file.tokens[static_cast<size_t>(at)];
  if (token.amd_only) return;
  findings.push_back(finding_at(file, token, id, severity, fix, std::move(message)));
}

Json answer_scan(const Json& request) {
  const bool hip = request.value("dialect", "cuda") == "hip";
  Answer answer;
  const std::string prelude = prelude_for(request);
  for (const Json& file : request.at("files")) {
    const Unit unit{.path = file.get<std::string>(),
                    .dialect = hip ? Dialect::hip : Dialect::cuda,
                    .pass = Pass::host,
                    .arguments = request.value("arguments", std::vector<std::string>{}),
                    .prelude = prelude};
    if (request.value("words_only", false)) {
      look(view_of_words(unit), answer);
    } else {
      with_view(unit, [&](const SourceView& view) { look(view, answer); });
    }
  }
  tidy(answer.findings);
  Json out{{"findings", Json::array()},
           {"unknown_includes", Json::array()},
           {"parse_errors", std::move(answer.errors)},
           {"files", answer.files}};
  for (const Finding& finding : answer.findings) out["findings"].push_back(json_of(finding));
  for (const auto& [file, line, name] : answer.unknown) {
    out["unknown_includes"].push_back({{"file", file}, {"line", line}, {"name", name}});
  }
  return out;
}

}  // namespace ambidex
