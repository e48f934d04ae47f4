// SPDX-License-Identifier: Apache-2.0
#include "train/log.h"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

#include "ambidex/base.h"
#include "base/text.h"

namespace ambidex {
namespace {

constexpr int64_t kMaxLogBytes = int64_t{1} << 31;

using Json = nlohmann::ordered_json;

constexpr double kNoValue = std::numeric_limits<double>::quiet_NaN();
constexpr std::array<std::string_view, 3> kKinds{"train", "valid", "test"};

[[noreturn]] void fail_line(const std::string& place, std::string_view expected,
                            std::string_view got) {
  throw Error(ErrorKind::bad_input,
              fmt::format("{}: expected {}, got {}; delete the line, or take the file as the run "
                          "wrote it",
                          place, expected, quote(got)));
}

int64_t step_of(const Json& json, const std::string& place) {
  const auto found = json.find("step");
  const bool is_step = found != json.end() && found->is_number_unsigned() &&
                       found->get<uint64_t>() <= std::numeric_limits<int64_t>::max();
  if (!is_step)
    fail_line(place, "\"step\" to be a count", found == json.end() ? "" : found->dump());
  return found->get<int64_t>();
}

std::string kind_of(const Json& json, const std::string& place) {
  const auto found = json.find("kind");
  std::string kind = found != json.end() && found->is_string() ? found->get<std::string>() : "";
  for (const std::string_view known : kKinds) {
    if (kind == known) return kind;
  }
  fail_line(place, "\"kind\" to be train, valid or test", kind);
}

LogLine parse_line(std::string_view text, const std::string& place) {
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) fail_line(place, "a JSON object", text);
  LogLine line{.step = step_of(json, place), .kind = kind_of(json, place), .values = {}};
  for (const auto& [name, value] : json.items()) {
    if (name == "step" || name == "kind") continue;
    if (!value.is_number() && !value.is_null()) {
      fail_line(place, fmt::format("{} to be a number", quote(name)),
                value.dump(-1, ' ', false, Json::error_handler_t::replace));
    }
    line.values.push_back({name, value.is_null() ? kNoValue : value.get<double>()});
  }
  return line;
}

/// Calls `visit(line, text)`, the text with its end, for each line that has one.
template <class Visit>
void for_each_line(std::string_view text, const std::string& where, Visit visit) {
  for (int64_t number = 1; !text.empty(); ++number) {
    const size_t end = text.find('\n');
    if (end == std::string_view::npos) return;
    const LogLine line = parse_line(text.substr(0, end), fmt::format("{}:{}", where, number));
    visit(line, text.substr(0, end + 1));
    text.remove_prefix(end + 1);
  }
}

}  // namespace

double LogLine::value(std::string_view name) const {
  for (const LogValue& it : values) {
    if (it.name == name) return it.value;
  }
  return kNoValue;
}

std::string json_of(const LogLine& line) {
  Json json{{"step", line.step}, {"kind", line.kind}};
  for (const LogValue& it : line.values) {
    const bool is_count = it.value == std::trunc(it.value) && std::abs(it.value) < 1e15;
    if (!std::isfinite(it.value)) {
      json[it.name] = nullptr;
    } else if (is_count) {
      json[it.name] = static_cast<int64_t>(it.value);
    } else {
      json[it.name] = it.value;
    }
  }
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

LogWriter::LogWriter(const std::string& path) : file_(path, FileWriter::Mode::append) {}

void LogWriter::add(const LogLine& line) { file_.write(json_of(line) + "\n"); }

std::vector<LogLine> parse_log(std::string_view text, const std::string& where) {
  std::vector<LogLine> lines;
  for_each_line(text, where, [&](const LogLine& line, std::string_view) { lines.push_back(line); });
  return lines;
}

std::vector<LogLine> read_log(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) {
    throw Error(ErrorKind::not_found,
                fmt::format("{}: no log of a run; give the folder of a run, as ambidex train --out "
                            "made it",
                            path));
  }
  return parse_log(read_file(path, kMaxLogBytes), path);
}

void cut_log(const std::string& path, int64_t step) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return;
  const std::string text = read_file(path, kMaxLogBytes);
  std::string kept;
  for_each_line(text, path, [&](const LogLine& line, std::string_view whole) {
    if (line.step <= step && line.kind != "test") kept += whole;
  });
  if (kept != text) write_file(path, kept);
}

}  // namespace ambidex
