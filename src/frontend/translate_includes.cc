// SPDX-License-Identifier: Apache-2.0
// Headers: CUDA's to HIP's, x.cu to x.hip, and those that the other rules need.
#include <fmt/format.h>

#include <algorithm>

#include "frontend/translate.h"
#include "port/api_table.h"

namespace ambidex {
namespace {

struct IncludeName {
  std::string name;
  int64_t first = 0;  // bytes, with the quotes or brackets
  int64_t last = 0;
};

// None for `#include MACRO`.
IncludeName name_of(const Words& words, const Directive& directive) {
  if (directive.rest.first >= directive.rest.last) return {};
  const int64_t first = words.first(directive.rest.first);
  const std::string_view rest = words.source(directive.rest);
  if (rest.size() < 2 || (rest[0] != '<' && rest[0] != '"')) return {};
  const size_t close = rest.find(rest[0] == '<' ? '>' : '"', 1);
  if (close == std::string_view::npos) return {};
  return {std::string(rest.substr(1, close - 1)), first, first + static_cast<int64_t>(close) + 1};
}

std::string quoted(const Translation& translation, const std::string& name) {
  return name.starts_with("ambidex_port") ? fmt::format("\"{}{}\"", translation.way, name)
                                          : fmt::format("<{}>", name);
}

void change_include(Translation& translation, const Directive& directive) {
  const IncludeName include = name_of(translation.words, directive);
  if (include.name.empty()) return;
  const auto replace = [&](std::string text, const std::string& hazard, const std::string& note) {
    translation.edits.push_back({.first = include.first,
                                 .last = include.last,
                                 .pieces = {{.text = std::move(text)}},
                                 .rule = "include.header",
                                 .hazard = hazard,
                                 .note = note});
  };
  const ApiEntry* entry = api_table().find_header(include.name);
  if (entry != nullptr && entry->hip.empty()) {
    refuse_word(translation, directive.rest.first, entry->rule, entry->hazard,
                fmt::format("{}: {}", include.name, entry->note));
  } else if (entry != nullptr) {
    replace(quoted(translation, entry->hip), entry->hazard, entry->note);
  } else if (include.name.ends_with(".cu") && translation.tree.renames) {
    const std::string base = include.name.substr(include.name.find_last_of('/') + 1);
    if (!translation.tree.files.contains(base)) return;
    const char open = (*translation.words.file.text)[static_cast<size_t>(include.first)];
    replace(fmt::format("{}{}.hip{}", open, include.name.substr(0, include.name.size() - 3),
                        open == '<' ? '>' : '"'),
            "", "the file is renamed");
  }
}

// Whether the directive is `#ifndef X` with `#define X` next to it, at the top: an include guard.
bool is_guard(const Words& words, size_t index) {
  const auto& directives = words.file.directives;
  if (index + 1 >= directives.size()) return false;
  const Directive& test = directives[index];
  const Directive& define = directives[index + 1];
  return test.name == "ifndef" && define.name == "define" &&
         words.text(test.rest.first) == words.text(define.rest.first) &&
         define.line.first == test.line.last;
}

// The first byte of the line of the first thing that is neither a comment, `#pragma once` nor an
// include guard: where nvcc's own include stands.
int64_t top_of(const Words& words) {
  int64_t next = 0;
  const auto& directives = words.file.directives;
  for (size_t i = 0; i < directives.size() && directives[i].line.first == next; ++i) {
    const Directive& directive = directives[i];
    if (directive.name == "pragma" && words.text(directive.rest.first) == "once") {
      next = directive.line.last;
    } else if (is_guard(words, i)) {
      next = directives[++i].line.last;
    } else {
      break;
    }
  }
  if (next >= words.size()) return static_cast<int64_t>(words.file.text->size());
  const int64_t first = words.first(next);
  const size_t line = words.file.text->rfind('\n', static_cast<size_t>(first));
  const bool is_first = next == 0 || words.at(next).line != words.at(next - 1).line;
  if (first == 0 || line == std::string::npos || !is_first) return is_first ? first : first;
  // A comment may stand before it on its line; it goes with what follows.
  return static_cast<int64_t>(line) + 1;
}

std::string end_of_line(const Words& words) {
  const size_t at = words.file.text->find('\n');
  return at != std::string::npos && at > 0 && (*words.file.text)[at - 1] == '\r' ? "\r\n" : "\n";
}

// Depth of #if, without the include guard, at each directive.
int64_t depth_at(const Words& words, size_t index) {
  int64_t depth = 0;
  for (size_t i = 0; i < index; ++i) {
    const std::string_view name = words.file.directives[i].name;
    if (name.starts_with("if") && !is_guard(words, i)) ++depth;
    if (name == "endif") --depth;
  }
  return depth;
}

struct Present {
  bool hip = false;      // hip/hip_runtime.h, or what becomes it, outside of any #if
  bool any_hip = false;  // anywhere
  bool version = false;
  std::set<std::string> port_headers;  // from "ambidex_port" on
  int64_t after_hip = -1;              // byte at the end of that line
};

Present present_in(const Words& words) {
  Present present;
  for (size_t i = 0; i < words.file.directives.size(); ++i) {
    const Directive& directive = words.file.directives[i];
    if (directive.name != "include") continue;
    const IncludeName include = name_of(words, directive);
    const ApiEntry* entry = api_table().find_header(include.name);
    const std::string& name = entry != nullptr ? entry->hip : include.name;
    const size_t port = name.rfind("ambidex_port");
    if (port != std::string::npos && name.ends_with(".h")) {
      const size_t folder = name.rfind("ambidex_port/");
      present.port_headers.insert(name.substr(folder != std::string::npos ? folder : port));
    }
    present.version = present.version || name.ends_with("ambidex_port/preprocessor.h");
    if (name != "hip/hip_runtime.h") continue;
    present.any_hip = true;
    if (present.hip || depth_at(words, i) > 0) continue;
    present.hip = true;
    present.after_hip = include.last;
  }
  return present;
}

// Whether the file is one that nvcc would treat as CUDA: it has a word of the language.
bool speaks_cuda(const Translation& translation) {
  static constexpr std::string_view kWords[] = {"__global__", "__device__", "__shared__",
                                                "__constant__", "<<<"};
  const Words& words = translation.words;
  for (int64_t i = 0; i < words.size(); ++i) {
    if (std::find(std::begin(kWords), std::end(kWords), words.text(i)) != std::end(kWords)) {
      return true;
    }
  }
  return !translation.edits.empty();
}

}  // namespace

void translate_includes(Translation& translation) {
  const Words& words = translation.words;
  for (const Directive& directive : words.file.directives) {
    if (directive.name != "include") continue;
    if (words.at(directive.line.first).amd_only) continue;
    change_include(translation, directive);
  }
  const Present present = present_in(words);
  const std::string eol = end_of_line(words);
  const bool is_cu = translation.is_main;
  if (is_cu && !present.hip && speaks_cuda(translation)) {
    insert_at(translation, top_of(words), "#include <hip/hip_runtime.h>" + eol, "include.implicit",
              "", "nvcc includes cuda_runtime.h by itself");
  }
  if (translation.needs_version && !present.version) {
    insert_at(translation, top_of(words),
              "#include " + quoted(translation, "ambidex_port/preprocessor.h") + eol,
              "include.port", "R08");
  }
  std::vector<std::string> wanted;
  if (translation.needs_port) wanted.emplace_back("ambidex_port.h");
  wanted.insert(wanted.end(), translation.port_headers.begin(), translation.port_headers.end());
  for (const std::string& name : wanted) {
    if (present.port_headers.contains(name)) continue;
    const std::string port = quoted(translation, name);
    if (present.hip) {
      insert_at(translation, present.after_hip, eol + "#include " + port, "include.port", "");
    } else {
      insert_at(translation, top_of(words), "#include " + port + eol, "include.port", "");
    }
  }
}

}  // namespace ambidex
