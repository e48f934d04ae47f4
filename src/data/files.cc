// SPDX-License-Identifier: Apache-2.0
#include "data/files.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "ambidex/base.h"
#include "base/text.h"
#include "data/lines.h"
#include "data/text_table.h"

namespace ambidex {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSynthetic = "synthetic:";
constexpr std::array<std::string_view, 2> kCompressions{".gz", ".zst"};

const std::vector<std::string>& format_names() {
  static const std::vector<std::string> names{"criteo", "csv",     "recbole",
                                              "npy",    "hugectr", "synthetic"};
  return names;
}

Error bad_input(const std::string& message) { return {ErrorKind::bad_input, message}; }

std::string_view without_compression(std::string_view path) {
  for (const std::string_view suffix : kCompressions) {
    if (path.ends_with(suffix)) return path.substr(0, path.size() - suffix.size());
  }
  return path;
}

bool has_text_name(std::string_view name) {
  return name.ends_with(".csv") || name.ends_with(".tsv") || name.ends_with(".txt");
}

/// day_12, with or without an ending for text.
bool is_day(std::string_view name) {
  if (has_text_name(name)) name.remove_suffix(4);
  if (!name.starts_with("day_")) return false;
  name.remove_prefix(4);
  return !name.empty() && name.find_first_not_of("0123456789") == std::string_view::npos;
}

/// Names of the files of a folder, in natural order; hidden ones are left out.
std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    std::error_code ignored;
    if (!name.starts_with('.') && entry->is_regular_file(ignored)) names.push_back(name);
  }
  if (error) {
    throw bad_input(fmt::format("{}: cannot list the folder: {}", folder, error.message()));
  }
  std::sort(names.begin(), names.end(), is_before);
  return names;
}

template <class Is>
std::vector<std::string> chosen(const std::string& folder, const std::vector<std::string>& names,
                                Is is) {
  std::vector<std::string> files;
  std::string last;
  for (const std::string& name : names) {
    const std::string plain(without_compression(name));
    if (!is(std::string_view(plain))) continue;
    if (!files.empty() && plain == last) {
      throw bad_input(
          fmt::format("{}: {} is there twice, plain and compressed; remove one or give "
                      "one file",
                      folder, plain));
    }
    last = plain;
    files.push_back((fs::path(folder) / name).string());
  }
  return files;
}

/// Which lookups of a folder lead to which format, in the order of trying. Text is looked into.
DataFiles find_in_folder(const std::string& folder, const std::string& format) {
  struct Rule {
    std::string_view format;  // "" is text
    bool (*is)(std::string_view name);
  };
  static constexpr std::array<Rule, 6> kRules{{
      {"recbole", [](std::string_view name) { return name.ends_with(".inter"); }},
      {"npy", [](std::string_view name) { return name.ends_with("_dense.npy"); }},
      {"hugectr", [](std::string_view name) { return name.ends_with(".bin"); }},
      {"", is_day},
      {"", [](std::string_view name) { return name == "train.txt" || name == "train.csv"; }},
      {"", has_text_name},
  }};
  const std::vector<std::string> names = names_in(folder);
  for (const Rule& rule : kRules) {
    const bool is_text = format == "criteo" || format == "csv";
    if (!format.empty() && rule.format != format && !(rule.format.empty() && is_text)) continue;
    std::vector<std::string> files = chosen(folder, names, rule.is);
    if (!files.empty()) return {std::string(rule.format), std::move(files)};
  }
  throw bad_input(
      fmt::format("{}: no data in the folder; expected day_0, day_1, ... or train.txt, *.csv, "
                  "*.tsv, *.txt (also .gz and .zst), one *.inter, *_dense.npy or *.bin",
                  folder));
}

bool is_number(std::string_view cell) { return double_from_text(cell).has_value(); }

/// Could the line, which lacks its label, be one of Criteo's? Its first integer may be blank.
bool is_unlabelled_criteo(std::string_view line) {
  std::vector<std::string_view> cells;
  split_cells(line, '\t', cells);
  return std::all_of(cells.begin(), cells.end(), [](std::string_view cell) {
    return cell.empty() || is_number(cell) || is_hex_id(cell);
  });
}

std::string text_format(const std::string& file, bool labelled) {
  LineFiles lines({file});
  std::string_view line;
  if (!lines.next(line)) {
    throw bad_input(fmt::format("{}: the file is empty; give one with samples", file));
  }
  if (line.find('\t') != std::string_view::npos) {
    const bool is_criteo =
        is_number(line.substr(0, line.find('\t'))) || (!labelled && is_unlabelled_criteo(line));
    return is_criteo ? "criteo" : "csv";
  }
  if (line.find(',') != std::string_view::npos) {
    if (!is_number(line.substr(0, line.find(',')))) return "csv";
    throw bad_input(fmt::format("{}: expected a header of field names, got {}; put one before it",
                                lines.place(), quote(line)));
  }
  throw bad_input(
      fmt::format("{}: expected tabs or commas between fields, got {}; --format names "
                  "the format, one of {}",
                  lines.place(), quote(line), fmt::join(format_names(), ", ")));
}

Error missing(const std::string& path) {
  const fs::path folder = fs::path(path).parent_path();
  std::error_code ignored;
  std::vector<std::string> near;
  for (fs::directory_iterator entry(folder.empty() ? "." : folder, ignored), end;
       !ignored && entry != end; entry.increment(ignored)) {
    near.push_back(entry->path().filename().string());
  }
  std::sort(near.begin(), near.end());
  return {ErrorKind::not_found,
          fmt::format("{}: {}", path,
                      unknown_name("file or folder", fs::path(path).filename().string(), near))};
}

std::string recbole_prefix(const std::string& file) {
  std::string prefix(without_compression(file));
  constexpr std::string_view kInter = ".inter";
  if (prefix.ends_with(kInter)) prefix.resize(prefix.size() - kInter.size());
  return prefix;
}

DataFiles find_file(const std::string& path) {
  const std::string_view plain = without_compression(path);
  if (plain.ends_with(".inter")) return {"recbole", {path}};
  if (plain.ends_with(".npy")) return {"npy", {path}};
  if (plain.ends_with(".bin")) return {"hugectr", {path}};
  return {"", {path}};
}

}  // namespace

bool is_before(const std::string& a, const std::string& b) {
  const auto is_digit = [](char letter) { return letter >= '0' && letter <= '9'; };
  const auto number_at = [&](const std::string& text, size_t begin) {
    size_t end = begin;
    while (end < text.size() && is_digit(text[end])) ++end;
    size_t first = begin;
    while (first < end && text[first] == '0') ++first;
    return std::string_view(text).substr(first, end - first);
  };
  size_t i = 0;
  size_t j = 0;
  while (i < a.size() && j < b.size()) {
    if (!is_digit(a[i]) || !is_digit(b[j])) {
      if (a[i] != b[j]) return a[i] < b[j];
      ++i;
      ++j;
      continue;
    }
    const std::string_view x = number_at(a, i);
    const std::string_view y = number_at(b, j);
    if (x.size() != y.size()) return x.size() < y.size();
    if (x != y) return x < y;
    i = static_cast<size_t>(x.data() - a.data()) + x.size();
    j = static_cast<size_t>(y.data() - b.data()) + y.size();
  }
  if (i < a.size() || j < b.size()) return i == a.size();
  return a < b;  // zeros in front alone
}

std::string with_compression(const std::string& path) {
  std::error_code ignored;
  if (fs::is_regular_file(path, ignored)) return path;
  for (const std::string_view suffix : kCompressions) {
    const std::string compressed = path + std::string(suffix);
    if (fs::is_regular_file(compressed, ignored)) return compressed;
  }
  return {};
}

DataFiles find_data(const std::string& path, const std::string& format, bool labelled) {
  const std::vector<std::string>& names = format_names();
  if (!format.empty() && std::find(names.begin(), names.end(), format) == names.end()) {
    throw Error(ErrorKind::not_found, unknown_name("data format", format, names));
  }
  if (path.empty()) throw bad_input("the data's path is empty; give a file, folder or prefix");
  if (path.starts_with(kSynthetic) || format == "synthetic") return {"synthetic", {path}};
  DataFiles found;
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) {
    found = find_in_folder(path, format);
  } else if (fs::exists(path, ignored)) {
    found = find_file(path);
  } else if (!with_compression(path + ".inter").empty()) {
    found = {"recbole", {path}};
  } else {
    throw missing(path);
  }
  if (!format.empty()) found.format = format;
  if (found.format.empty()) found.format = text_format(found.files.front(), labelled);
  if (found.format == "recbole") {
    if (found.files.size() > 1) {
      throw bad_input(fmt::format("{}: expected one .inter file, got {}; give the prefix of one",
                                  path, found.files.size()));
    }
    found.files.front() = recbole_prefix(found.files.front());
  }
  return found;
}

}  // namespace ambidex
