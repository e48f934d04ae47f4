// SPDX-License-Identifier: Apache-2.0
// translate: {files, rename?, ways?} -> {files: [{file, hash, edits, refusals}], support: [{name,
// text}]}. An edit replaces bytes [offset, offset + length) of the file by `replacement`; those
// with "carried" are part of another's replacement. `ways` lead from a file to the folder where the
// support files will lie: "../".
#include "frontend/translate.h"

#include <algorithm>

#include "base/files.h"
#include "frontend/commands.h"
#include "frontend/headers.h"
#include "port/content_hash.h"

namespace ambidex {
namespace {

using Json = nlohmann::json;

constexpr int64_t kMaxFileBytes = 64 << 20;

int64_t line_at(const std::vector<int64_t>& starts, int64_t offset) {
  return std::upper_bound(starts.begin(), starts.end(), offset) - starts.begin();
}

std::vector<int64_t> line_starts(const std::string& text) {
  std::vector<int64_t> starts{0};
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n') starts.push_back(static_cast<int64_t>(i) + 1);
  }
  return starts;
}

bool is_main(std::string_view path) { return path.ends_with(".cu") || path.ends_with(".hip"); }

bool has_hip_include(const Words& words) {
  return std::any_of(words.file.directives.begin(), words.file.directives.end(),
                     [&](const Directive& directive) {
                       if (directive.name != "include") return false;
                       const std::string_view rest = words.source(directive.rest);
                       return rest.starts_with("<hip/") || rest.starts_with("\"hip/") ||
                              rest.find("ambidex_port") != std::string_view::npos;
                     });
}

Json json_of(const PlainEdit& edit, const std::vector<int64_t>& starts) {
  Json out{{"offset", edit.first},
           {"length", edit.last - edit.first},
           {"line", line_at(starts, edit.first)},
           {"replacement", edit.text},
           {"rule", edit.edit->rule},
           {"hazard", edit.edit->hazard},
           {"note", edit.edit->note}};
  if (edit.is_carried) out["carried"] = true;
  return out;
}

// ambidex_port.h and the headers that it is made of.
Json support_files() {
  constexpr std::string_view kFolder = "data/hip/";
  Json out = Json::array();
  for (const EmbeddedFile& file : embedded_headers()) {
    if (!file.path.starts_with("data/hip/ambidex_port")) continue;
    out.push_back({{"name", file.path.substr(kFolder.size())}, {"text", file.contents}});
  }
  return out;
}

Json translated(const Words& words, const Tree& tree, const std::string& way) {
  Translation translation{.words = words,
                          .tree = tree,
                          .way = way,
                          .is_main = is_main(words.file.path),
                          .is_hip = has_hip_include(words)};
  for (const TranslateRule rule : kTranslateRules) rule(translation);
  const auto starts = line_starts(*words.file.text);
  Json edits = Json::array();
  for (const PlainEdit& edit : resolved(words, translation.edits)) {
    edits.push_back(json_of(edit, starts));
  }
  std::stable_sort(translation.refusals.begin(), translation.refusals.end(),
                   [](const Refusal& a, const Refusal& b) { return a.offset < b.offset; });
  Json refusals = Json::array();
  for (const Refusal& refusal : translation.refusals) {
    refusals.push_back({{"line", line_at(starts, refusal.offset)},
                        {"hazard", refusal.hazard},
                        {"rule", refusal.rule},
                        {"reason", refusal.reason}});
  }
  return {{"file", words.file.path},
          {"hash", content_hash(*words.file.text)},
          {"edits", std::move(edits)},
          {"refusals", std::move(refusals)}};
}

std::string base_name(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

}  // namespace

Json answer_translate(const Json& request) {
  const auto files = request.at("files").get<std::vector<std::string>>();
  Tree tree;
  tree.renames = request.value("rename", true);
  std::vector<Words> all;
  all.reserve(files.size());
  for (const std::string& file : files) {
    tree.files.insert(base_name(file));
    all.push_back(words_of(file, read_file(file, kMaxFileBytes)));
    collect_declared(all.back(), tree);
    collect_kernels(all.back(), tree.kernels);
  }
  for (const Words& words : all) collect_launches(words, tree.kernels);
  const Json ways = request.value("ways", Json::object());
  Json out{{"files", Json::array()}, {"support", support_files()}};
  for (const Words& words : all) {
    out["files"].push_back(translated(words, tree, ways.value(words.file.path, "")));
  }
  return out;
}

}  // namespace ambidex
