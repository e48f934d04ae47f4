// SPDX-License-Identifier: Apache-2.0
#include "port/cut_refused.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "base/files.h"
#include "port/code_words.h"
#include "port/source_file.h"
#include "port/trace.h"

namespace ambidex {
namespace {

namespace fs = std::filesystem;

std::string plain(const std::string& path) { return fs::path(path).lexically_normal().string(); }

}  // namespace

std::optional<std::string> without_body(const std::string& text, int64_t line, int64_t end_line) {
  const size_t first = code::offset_of_line(text, line);
  const size_t last = code::offset_of_line(text, end_line + 1);
  const code::Words words = code::words_of(text);
  for (int64_t i = 0; i < words.size(); ++i) {
    const size_t open = code::offset_of(words, i, text);
    const std::string_view word = words.text(i);
    if (words.at(i).directive || open < first || (word != "(" && word != "{")) continue;
    const int64_t closed = code::closing(words, i);
    if (closed < 0 || code::offset_of(words, closed, text) >= last) return std::nullopt;
    if (word == "{") {
      const std::string_view body =
          std::string_view(text).substr(open + 1, code::offset_of(words, closed, text) - open - 1);
      // Lines stay where they are.
      const std::string empty(static_cast<size_t>(std::count(body.begin(), body.end(), '\n')),
                              '\n');
      return std::string(text).replace(open + 1, body.size(), empty);
    }
    i = closed;
  }
  return std::nullopt;
}

std::vector<RefusedFunction> refused_functions(const Program& original,
                                               const TranslatedTree& tree) {
  std::vector<RefusedFunction> functions;
  const auto look_at = [&](const nlohmann::json& place, const std::string& name) {
    const std::string path = plain(place.at("file").get<std::string>());
    const int64_t line = place.at("line"), end_line = place.at("end_line");
    for (const TranslatedFile& file : tree.files) {
      if (plain(file.path) != path) continue;
      for (const TranslateRefusal& refusal : file.refusals) {
        const bool known = std::any_of(functions.begin(), functions.end(), [&](const auto& other) {
          return other.file == path && other.line == line;
        });
        if (known || refusal.line < line || refusal.line > end_line) continue;
        functions.push_back({name, path, line, end_line,
                             fmt::format("{}:{}: {}: {}", file.name, refusal.line, refusal.hazard,
                                         refusal.reason)});
      }
    }
  };
  for (const auto& kernel : original.facts.at("kernels")) {
    const std::string name = kernel_base_name(kernel.at("name"));
    look_at(kernel, name);
    for (const auto& function : kernel.at("device_functions")) look_at(function, name);
  }
  return functions;
}

std::optional<std::vector<Program>> port_without(const std::string& source,
                                                 const std::vector<RefusedFunction>& functions,
                                                 const std::vector<std::string>& arguments,
                                                 const std::string& folder) {
  if (functions.empty()) return std::nullopt;
  std::map<std::string, std::string> texts;
  for (const RefusedFunction& function : functions) {
    std::string& text = texts[function.file];
    if (text.empty()) text = read_file(function.file, kMaxSourceBytes);
    const auto cut = without_body(text, function.line, function.end_line);
    if (!cut) return std::nullopt;
    text = *cut;
  }
  const fs::path from(source), root = fs::path(folder) / "cut";
  fs::create_directories(root);
  const fs::path copy = fs::is_directory(from) ? root / "source" : root / from.filename();
  copy_sources(source, copy.string());
  for (const auto& [file, text] : texts) {
    const fs::path within = fs::path(file).lexically_relative(from.lexically_normal());
    const bool is_same = within == ".";
    if (!is_same && (within.empty() || *within.begin() == "..")) return std::nullopt;
    write_file((is_same ? copy : copy / within).string(), text);
  }
  const std::string hip = (root / "hip").string();
  write_tree(translate_tree(copy.string(), {.arguments = arguments}), hip);
  return programs_of(hip, "hip", arguments);
}

}  // namespace ambidex
