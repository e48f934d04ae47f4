// SPDX-License-Identifier: Apache-2.0
#include "port/source_notes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace ambidex {
namespace {

namespace fs = std::filesystem;

// Hazards whose S3 means time; that of others means last bits, or nothing at all in a port.
constexpr std::array<std::string_view, 9> kSlow{"N05", "N11", "N17", "N19", "N23",
                                                "N24", "R04", "R10", "W16"};

// Rules whose result takes time that the original did not, and what it does.
constexpr std::array<std::pair<std::string_view, std::string_view>, 1> kSlowRules{
    {{"N05", "copies to shared memory go through registers and are waited for"}}};

// A scan and a translation may have been given different ways to one file.
std::string plain(const std::string& path) {
  return fs::absolute(path).lexically_normal().string();
}

struct Place {
  Place(std::string file_as_given, int64_t line_of_file)
      : file(plain(file_as_given)), line(line_of_file), given(std::move(file_as_given)) {}

  bool operator<(const Place& other) const {
    return std::tie(file, line) < std::tie(other.file, other.line);
  }

  std::string file;
  int64_t line = 0;
  std::string given;
};

bool concerns(const Program& program, const std::string& file) {
  const auto same = [&](const std::string& source) { return plain(source) == plain(file); };
  const std::string extension = fs::path(file).extension().string();
  const bool header = extension != ".cu" && extension != ".cpp" && extension != ".cc";
  return header || std::any_of(program.sources.begin(), program.sources.end(), same);
}

/// Where a rule has removed a hazard.
std::map<std::string, std::set<Place>> edited_places(const TranslatedTree& tree) {
  std::map<std::string, std::set<Place>> places;
  for (const TranslatedFile& file : tree.files) {
    for (const TranslateEdit& edit : file.edits) {
      if (!edit.hazard.empty()) places[edit.hazard].emplace(file.path, edit.line);
    }
  }
  return places;
}

void add(std::vector<EstimateNote>& notes, const std::string& id, std::string_view what,
         const std::vector<Place>& places) {
  if (places.empty()) return;
  notes.push_back({.id = id,
                   .message = fmt::format("{}, in {} place{}", what, places.size(),
                                          places.size() == 1 ? "" : "s"),
                   .file = places[0].given,
                   .line = places[0].line});
}

}  // namespace

std::vector<EstimateNote> source_notes(const Program& original,
                                       const std::vector<Finding>& findings,
                                       const TranslatedTree& tree) {
  const auto edited = edited_places(tree);
  std::vector<EstimateNote> notes;
  for (const std::string_view id : kSlow) {
    std::vector<Place> places;
    std::string message;
    for (const Finding& finding : findings) {
      const Place place(finding.file, finding.line);
      if (finding.id != id || finding.severity != Severity::s3) continue;
      if (!concerns(original, finding.file)) continue;
      const auto rule = edited.find(finding.id);
      if (rule != edited.end() && rule->second.count(place) != 0) continue;
      if (places.empty()) message = finding.message;
      places.push_back(place);
    }
    add(notes, std::string(id), message, places);
  }
  for (const auto& [id, what] : kSlowRules) {
    std::vector<Place> places;
    const auto rule = edited.find(std::string(id));
    if (rule == edited.end()) continue;
    for (const Place& place : rule->second) {
      if (concerns(original, place.file)) places.push_back(place);
    }
    add(notes, std::string(id), what, places);
  }
  return notes;
}

}  // namespace ambidex
