// SPDX-License-Identifier: Apache-2.0
#include "report/sarif.h"

#include <map>
#include <nlohmann/json.hpp>

namespace ambidex {
namespace {

using Json = nlohmann::ordered_json;

// A path as a URI reference: RFC 3986 leaves these characters as they are.
std::string uri_of(const std::string& path) {
  constexpr const char* kHex = "0123456789ABCDEF";
  std::string uri = path.starts_with("/") ? "file://" : "";
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view("-._~/").find(c) != std::string_view::npos;
    if (plain) {
      uri += c;
    } else {
      uri += {'%', kHex[byte >> 4], kHex[byte & 15]};
    }
  }
  return uri;
}

Json rule_of(const SarifRule& rule) {
  return {{"id", rule.id},
          {"shortDescription", {{"text", rule.title}}},
          {"help", {{"text", rule.help}, {"markdown", rule.help}}},
          {"defaultConfiguration", {{"level", rule.level}}}};
}

Json location_of(const SarifResult& result) {
  Json physical{{"artifactLocation", {{"uri", uri_of(result.file)}}}};
  if (result.line > 0) {
    Json region{{"startLine", result.line}};
    if (result.column > 0) region["startColumn"] = result.column;
    if (!result.snippet.empty()) region["snippet"] = {{"text", result.snippet}};
    physical["region"] = std::move(region);
  }
  return {{"physicalLocation", std::move(physical)}};
}

}  // namespace

std::string sarif_of(const SarifLog& log) {
  std::map<std::string, size_t> places;
  Json rules = Json::array();
  for (const SarifRule& rule : log.rules) {
    places.emplace(rule.id, rules.size());
    rules.push_back(rule_of(rule));
  }
  Json results = Json::array();
  for (const SarifResult& result : log.results) {
    Json one{{"ruleId", result.rule}};
    const auto place = places.find(result.rule);
    if (place != places.end()) one["ruleIndex"] = place->second;
    one["level"] = result.level;
    one["message"] = {{"text", result.message}};
    one["locations"] = Json::array({location_of(result)});
    results.push_back(std::move(one));
  }
  const Json driver{{"name", log.tool}, {"version", log.version}, {"rules", std::move(rules)}};
  Json run{{"tool", {{"driver", driver}}}, {"columnKind", "unicodeCodePoints"}};
  run["results"] = std::move(results);
  const Json document{{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                      {"version", "2.1.0"},
                      {"runs", Json::array({std::move(run)})}};
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace ambidex
