// SPDX-License-Identifier: Apache-2.0
#include "port/repair_spans.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "ambidex/base.h"
#include "base/files.h"
#include "base/text.h"
#include "port/code_words.h"
#include "port/sha256.h"

namespace ambidex::repair {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kMaxFileBytes = int64_t{64} << 20;

// "ns::scale<float, 4>" as it stands before the parameters: "scale".
std::string plain_name(const std::string& name) {
  const std::string bare = name.substr(0, name.find('<'));
  const size_t colon = bare.rfind("::");
  return colon == std::string::npos ? bare : bare.substr(colon + 2);
}

int64_t line_of_offset(std::string_view text, int64_t offset) {
  return 1 + std::count(text.begin(), text.begin() + offset, '\n');
}

// The brace that opens the body behind the parameters that begin at word `open`; -1 for a
// declaration.
int64_t body_brace(const code::Words& words, int64_t open) {
  for (int64_t i = code::closing(words, open) + 1; i > 0 && i < words.size(); ++i) {
    if (words.text(i) == "{") return i;
    if (words.text(i) == ";" || words.text(i) == "}") return -1;
    if (words.text(i) == "(" && (i = code::closing(words, i)) < 0) return -1;
  }
  return -1;
}

std::optional<Body> body_of(const std::string& text, const nlohmann::json& place) {
  const int64_t line = place.at("line"), end_line = place.at("end_line");
  const std::string name = plain_name(place.at("name").get<std::string>());
  const auto head = static_cast<int64_t>(code::offset_of_line(text, line));
  const code::Words words = code::words_of(text);
  const auto offset = [&](int64_t i) {
    return static_cast<int64_t>(code::offset_of(words, i, text));
  };
  for (int64_t i = 0; i + 1 < words.size(); ++i) {
    if (offset(i) < head || words.at(i).directive) continue;
    if (words.text(i) != name || words.text(i + 1) != "(") continue;
    const int64_t open = body_brace(words, i + 1);
    const int64_t close = open < 0 ? -1 : code::closing(words, open);
    if (close < 0 || line_of_offset(text, offset(close)) != end_line) return std::nullopt;
    return Body{.file = {},
                .function = name,
                .head = head,
                .begin = offset(open) + 1,
                .end = offset(close),
                .line = line,
                .end_line = end_line};
  }
  return std::nullopt;
}

bool is_of_port(const std::string& name) {
  return name == "ambidex_port.h" || name.starts_with("ambidex_port/");
}

}  // namespace

Texts read_texts(const std::string& folder) {
  Texts texts;
  std::error_code failure;
  for (fs::recursive_directory_iterator at(folder, failure), end; at != end && !failure;
       at.increment(failure)) {
    if (!at->is_regular_file(failure)) continue;
    texts[at->path().lexically_relative(folder).string()] =
        read_file(at->path().string(), kMaxFileBytes);
  }
  if (failure) {
    throw Error(ErrorKind::bad_input,
                fmt::format("{}: cannot be read: {}", quote(folder), failure.message()));
  }
  return texts;
}

std::string hash_of(const Texts& texts) {
  std::string all;
  for (const auto& [name, text] : texts) all += name + '\0' + sha256(text) + '\n';
  return sha256(all);
}

std::string name_in(const std::string& folder, const std::string& path) {
  const std::string name = fs::path(path)
                               .lexically_normal()
                               .lexically_relative(fs::path(folder).lexically_normal())
                               .string();
  return name.starts_with("..") ? "" : name;
}

std::vector<Body> bodies_of(const nlohmann::json& kernel, const Texts& texts,
                            const std::string& folder) {
  std::vector<Body> bodies;
  const auto add = [&](const nlohmann::json& place) {
    const std::string file = name_in(folder, place.at("file").get<std::string>());
    const auto found = texts.find(file);
    if (found == texts.end() || is_of_port(file)) return false;
    std::optional<Body> body = body_of(found->second, place);
    if (!body) return false;
    body->file = file;
    bodies.push_back(std::move(*body));
    return true;
  };
  if (!add(kernel)) {
    throw Error(ErrorKind::unsupported,
                fmt::format("the body of {} cannot be told from its source: it is written by a "
                            "macro, or not in the tree",
                            quote(kernel.at("name").get<std::string>())));
  }
  for (const auto& function : kernel.at("device_functions")) add(function);
  std::sort(bodies.begin(), bodies.end(), [](const Body& a, const Body& b) {
    return std::tie(a.file, a.begin) < std::tie(b.file, b.begin);
  });
  std::vector<Body> outer;  // functions within functions belong to these
  for (Body& body : bodies) {
    const bool within =
        !outer.empty() && outer.back().file == body.file && body.begin < outer.back().end;
    if (!within) outer.push_back(std::move(body));
  }
  return outer;
}

std::string frame_of(const std::string& text, const std::string& file,
                     const std::vector<Body>& bodies) {
  std::string frame;
  int64_t at = 0;
  for (const Body& body : bodies) {
    if (body.file != file || body.begin < at) continue;
    frame.append(text, static_cast<size_t>(at), static_cast<size_t>(body.begin - at));
    frame += '\0';
    at = body.end;
  }
  return frame.append(text, static_cast<size_t>(at));
}

std::map<std::string, std::string> manifest_of(const Texts& texts,
                                               const std::vector<Body>& bodies) {
  std::map<std::string, std::string> manifest;
  for (const auto& [name, text] : texts) manifest[name] = sha256(frame_of(text, name, bodies));
  return manifest;
}

}  // namespace ambidex::repair
