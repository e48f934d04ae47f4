// SPDX-License-Identifier: Apache-2.0
#include "port/patch_series.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "ambidex/port.h"

namespace ambidex {
namespace {

// The file between two patches: edits of earlier groups made, those of `group` to be made.
TranslatedFile file_of_group(const TranslatedFile& file, const std::string& group) {
  TranslatedFile between = file;
  std::vector<TranslateEdit> earlier;
  between.edits.clear();
  int64_t shift = 0;
  for (const TranslateEdit& edit : file.edits) {
    if (edit.carried) continue;
    if (edit.hazard < group) {
      earlier.push_back(edit);
      shift += std::ssize(edit.replacement) - edit.length;
    } else if (edit.hazard == group) {
      between.edits.push_back(edit);
      between.edits.back().offset += shift;
    }
  }
  between.text = edited(file.text, earlier);
  if (!group.empty()) between.name = file.new_name;  // the first patch has renamed it
  return between;
}

TranslatedTree tree_of_group(const TranslatedTree& tree, const std::string& group) {
  TranslatedTree between{.root = tree.root, .is_file = tree.is_file, .files = {}, .support = {}};
  if (group.empty()) between.support = tree.support;
  for (const TranslatedFile& file : tree.files) {
    between.files.push_back(file_of_group(file, group));
  }
  return between;
}

std::string title_of(const std::string& group) {
  return group.empty() ? "Names, headers and build files"
                       : fmt::format("{}: {}", group, hazard(group).title);
}

std::string file_name(size_t number, const std::string& title) {
  std::string words;
  for (const unsigned char c : title) {
    if (std::isalnum(c) != 0) {
      words += static_cast<char>(c);
    } else if (!words.empty() && words.back() != '-') {
      words += '-';
    }
  }
  while (words.ends_with('-')) words.pop_back();
  return fmt::format("{:04}-{}.patch", number, words);
}

// "12 edits by warp.shuffle-width"
std::string rules_text(const TranslatedTree& between) {
  std::map<std::string, int64_t> rules;
  for (const TranslatedFile& file : between.files) {
    for (const TranslateEdit& edit : file.edits) ++rules[edit.rule];
  }
  std::string text;
  for (const auto& [rule, count] : rules) {
    text += fmt::format("{} edit{} by {}\n", count, count == 1 ? "" : "s", rule);
  }
  return text;
}

}  // namespace

std::vector<SeriesPatch> patch_series(const TranslatedTree& tree) {
  std::set<std::string> groups{""};
  for (const TranslatedFile& file : tree.files) {
    for (const TranslateEdit& edit : file.edits) groups.insert(edit.hazard);
  }
  struct Part {
    std::string title, rules, diff;
  };
  std::vector<Part> parts;
  for (const std::string& group : groups) {
    const TranslatedTree between = tree_of_group(tree, group);
    std::string diff = patch_of(between);
    if (!diff.empty()) parts.push_back({title_of(group), rules_text(between), std::move(diff)});
  }
  std::vector<SeriesPatch> series;
  for (const Part& part : parts) {
    const size_t number = series.size() + 1;
    series.push_back(
        {file_name(number, part.title),
         fmt::format("From {:040} Mon Sep 17 00:00:00 2001\n"
                     "From: ambidex port <ambidex@localhost>\n"
                     "Subject: [PATCH {}/{}] {}\n\n{}---\n{}--\nambidex {}\n\n",
                     0, number, parts.size(), part.title, part.rules, part.diff, AMBIDEX_VERSION)});
  }
  return series;
}

}  // namespace ambidex
