// SPDX-License-Identifier: Apache-2.0
#include "port/hazard_page.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/embedded.h"
#include "base/text.h"
#include "base/yaml_map.h"

namespace ambidex {
namespace {

constexpr std::string_view kFolder = "data/hazards/";
constexpr std::string_view kFence = "---\n";
constexpr std::string_view kGroups = "WSRN";  // in the order of the catalogue

[[noreturn]] void fail(const std::string& where, std::string_view what) {
  throw Error(ErrorKind::bad_input, fmt::format("{}: {}", where, what));
}

std::string required_text(YamlMap& map, std::string_view key) {
  const std::string path = map.path_of(key);
  return map.read_text(map.require(key), path);
}

// Before S0 to S3, so that an unknown name is told with its place.
template <class Read>
auto value_of(const std::string& where, const std::string& name, Read read) {
  try {
    return read(name);
  } catch (const Error& error) {
    fail(where, error.what());
  }
}

std::string id_of(std::string_view path) {
  const size_t slash = path.rfind('/');
  const std::string_view name = path.substr(slash == std::string_view::npos ? 0 : slash + 1);
  return std::string(name.substr(0, name.rfind('.')));
}

bool comes_before(const Hazard& a, const Hazard& b) {
  const size_t group_a = kGroups.find(a.id.front());
  const size_t group_b = kGroups.find(b.id.front());
  return group_a != group_b ? group_a < group_b : a.id < b.id;
}

std::vector<Hazard> load_hazards() {
  std::vector<Hazard> hazards;
  for (const EmbeddedFile& file : embedded_files()) {
    if (!file.path.starts_with(kFolder)) continue;
    hazards.push_back(parse_hazard(file.contents, std::string(file.path)));
  }
  std::sort(hazards.begin(), hazards.end(), comes_before);
  return hazards;
}

}  // namespace

Hazard parse_hazard(std::string_view text, const std::string& where) {
  const size_t end = text.find("\n---\n");
  if (!text.starts_with(kFence) || end == std::string_view::npos) {
    fail(where, "expected front matter between two lines of ---");
  }
  const YamlNode root = parse_yaml(text.substr(kFence.size(), end + 1 - kFence.size()), where);
  YamlMap map(root, "", where);
  Hazard hazard;
  hazard.id = required_text(map, "id");
  hazard.title = required_text(map, "title");
  hazard.severity = value_of(where, required_text(map, "severity"), severity_from_name);
  hazard.fix = value_of(where, required_text(map, "fix"), fix_from_name);
  if (const YamlNode* const unseen = map.find("unseen_by_executor")) {
    hazard.is_unseen = map.read_flag(*unseen, map.path_of("unseen_by_executor"));
  }
  map.finish();
  hazard.page = text.substr(end + 1 + kFence.size());
  if (hazard.id != id_of(where)) {
    fail(where, fmt::format("its id is {}; name the file {}.md", quote(hazard.id), hazard.id));
  }
  if (hazard.page.empty()) fail(where, "expected a page after the front matter");
  return hazard;
}

std::span<const Hazard> hazards() {
  static const std::vector<Hazard> kHazards = load_hazards();
  return kHazards;
}

const Hazard& hazard(std::string_view id) {
  const std::string wanted = to_lower(id);
  std::vector<std::string> known;
  for (const Hazard& row : hazards()) {
    if (to_lower(row.id) == wanted) return row;
    known.push_back(row.id);
  }
  throw Error(ErrorKind::not_found, unknown_name("hazard", id, known));
}

}  // namespace ambidex
