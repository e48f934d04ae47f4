// SPDX-License-Identifier: Apache-2.0
#include "port/refusal_marks.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "port/code_words.h"

namespace ambidex {
namespace {

constexpr std::string_view kFirst = "// ambidex: REFUSED ";
constexpr std::string_view kLast = "#endif  // ambidex: REFUSED";

// A function of device code: [begin, end) with its body from `body` on.
struct Definition {
  size_t begin = 0, body = 0, end = 0;
};

// The functions of device code outside of other functions, in order.
struct Scanner {
  std::string_view text;
  code::Words words = code::words_of(text);
  std::vector<Definition> found = {};
  int64_t begin = -1;  // the first word of the declaration at hand
  int64_t body = -1;   // the brace that opens it
  int64_t depth = 0;   // of braces in a body; 0: outside of all

  bool has(int64_t end, std::string_view word) const {
    for (int64_t i = begin; i >= 0 && i < end; ++i) {
      if (!words.at(i).directive && words.text(i) == word) return true;
    }
    return false;
  }
  void open(int64_t at) {
    const bool is_function = has(at, "(") && (has(at, "__global__") || has(at, "__device__"));
    const bool holds_others = !has(at, "(") && !has(at, "=");
    if (!is_function && holds_others) {
      begin = -1;
      return;
    }
    depth = 1;
    body = is_function ? at : -1;
  }
  void close(int64_t at) {
    if (depth > 0 && --depth > 0) return;
    if (body >= 0) {
      found.push_back({code::offset_of(words, begin, text), code::offset_of(words, body, text),
                       code::offset_of(words, at, text) + 1});
    }
    begin = body = -1;
  }
  void step(int64_t at) {
    const std::string_view word = words.text(at);
    if (word == "{") {
      depth > 0 ? static_cast<void>(++depth) : open(at);
    } else if (word == "}") {
      close(at);
    } else if (word == ";" && depth == 0) {
      begin = -1;
    } else if (begin < 0) {
      begin = at;
    }
  }
};

bool starts_line(std::string_view text, size_t at) {
  while (at > 0 && (text[at - 1] == ' ' || text[at - 1] == '\t')) --at;
  return at == 0 || text[at - 1] == '\n';
}

std::vector<Definition> definitions_of(std::string_view text) {
  Scanner scanner{.text = text};
  for (int64_t i = 0; i < scanner.words.size(); ++i) {
    if (!scanner.words.at(i).directive) scanner.step(i);
  }
  return scanner.found;
}

size_t line_start(std::string_view text, size_t at) {
  const size_t before = at == 0 ? std::string_view::npos : text.rfind('\n', at - 1);
  return before == std::string_view::npos ? 0 : before + 1;
}

std::string in_comment(std::string reason) {
  for (char& c : reason) {
    if (static_cast<unsigned char>(c) < ' ' || c == '\\') c = ' ';
  }
  return reason;
}

std::string mark_of(const std::vector<const TranslateRefusal*>& refusals,
                    std::string_view newline) {
  std::set<std::string> hazards;
  std::string text;
  for (const TranslateRefusal* refusal : refusals) {
    text +=
        fmt::format("{}{}: {}{}", kFirst, refusal->hazard, in_comment(refusal->reason), newline);
    hazards.insert(refusal->hazard);
  }
  text += fmt::format(
      "// It is as it was: on an AMD GPU it may hang or be wrong. Do not launch it.{}", newline);
  return text + fmt::format(
                    "#ifndef AMBIDEX_ALLOW_REFUSED{0}"
                    "#warning \"ambidex: REFUSED {1}: the function below is not ported\"{0}"
                    "{2}{0}",
                    newline, fmt::join(hazards, " "), kLast);
}

bool is_within_edit(const TranslatedFile& file, size_t at) {
  return std::any_of(file.edits.begin(), file.edits.end(), [&](const TranslateEdit& edit) {
    const auto begin = static_cast<size_t>(edit.offset);
    return !edit.carried && begin < at && at < begin + static_cast<size_t>(edit.length);
  });
}

}  // namespace

void mark_refusals(TranslatedFile& file) {
  if (file.refusals.empty()) return;
  const std::string_view text = file.text;
  std::map<size_t, std::vector<const TranslateRefusal*>> by_place;
  for (const Definition& definition : definitions_of(text)) {
    const auto first = 1 + std::count(text.begin(), text.begin() + definition.begin, '\n');
    const auto last = 1 + std::count(text.begin(), text.begin() + definition.end, '\n');
    const size_t place = line_start(text, definition.begin);
    const MarkSpan mark = refusal_mark_above(text, definition.body);
    if (mark.end != mark.begin || !starts_line(text, definition.begin)) continue;
    for (const TranslateRefusal& refusal : file.refusals) {
      if (refusal.line >= first && refusal.line <= last) by_place[place].push_back(&refusal);
    }
  }
  const std::string_view newline = text.find("\r\n") == std::string_view::npos ? "\n" : "\r\n";
  for (const auto& [place, refusals] : by_place) {
    if (is_within_edit(file, place)) continue;
    const auto offset = static_cast<int64_t>(place);
    const auto behind =
        std::find_if(file.edits.begin(), file.edits.end(),
                     [&](const TranslateEdit& edit) { return edit.offset >= offset; });
    file.edits.insert(behind, {.line = 1 + std::count(text.begin(), text.begin() + offset, '\n'),
                               .offset = offset,
                               .length = 0,
                               .replacement = mark_of(refusals, newline),
                               .rule = "refused.mark",
                               .hazard = refusals[0]->hazard,
                               .note = "AMBIDEX_ALLOW_REFUSED silences the warning"});
  }
}

MarkSpan refusal_mark_above(std::string_view text, size_t at) {
  for (const Definition& definition : definitions_of(text)) {
    if (at < definition.begin || at >= definition.end) continue;
    const size_t end = line_start(text, definition.begin);
    const size_t last = text.substr(0, end).rfind(kLast);
    if (last == std::string_view::npos) return {};
    const bool is_above = end - last <= kLast.size() + 2;
    if (!is_above) return {};
    size_t begin = line_start(text, last);
    while (begin > 0) {  // the lines of the mark, up to the first of its comments
      const size_t before = line_start(text, begin - 1);
      const std::string_view line = text.substr(before, begin - before);
      const bool is_of_mark = line.starts_with("#ifndef AMBIDEX_ALLOW_REFUSED") ||
                              line.starts_with("#warning \"ambidex: REFUSED") ||
                              line.starts_with("// It is as it was:") || line.starts_with(kFirst);
      if (!is_of_mark) break;
      begin = before;
    }
    return {begin, end};
  }
  return {};
}

}  // namespace ambidex
