// SPDX-License-Identifier: Apache-2.0
#include "port/refusal_marks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <string>

namespace ambidex {
namespace {

constexpr std::string_view kFirst = "// ambidex: REFUSED ";
constexpr std::string_view kLast = "#endif  // ambidex: REFUSED";

// A function of device code: [begin, end) with its body from `body` on.
struct Definition {
  size_t begin = 0, body = 0, end = 0;
};

size_t line_end(std::string_view text, size_t at) {
  const size_t end = text.find('\n', at);
  return end == std::string_view::npos ? text.size() : end;
}

// Behind a directive, with its continued lines.
size_t directive_end(std::string_view text, size_t at) {
  for (;;) {
    const size_t end = line_end(text, at);
    size_t last = end;
    if (last > at && text[last - 1] == '\r') --last;
    if (end == text.size() || last == at || text[last - 1] != '\\') return end;
    at = end + 1;
  }
}

size_t literal_end(std::string_view text, size_t at) {
  if (text[at] == '"' && at > 0 && text[at - 1] == 'R') {
    const size_t open = text.find('(', at);
    if (open == std::string_view::npos) return text.size();
    const std::string close = ")" + std::string(text.substr(at + 1, open - at - 1)) + "\"";
    const size_t end = text.find(close, open);
    return end == std::string_view::npos ? text.size() : end + close.size();
  }
  for (size_t i = at + 1; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == text[at] || text[i] == '\n') {
      return i + 1;
    }
  }
  return text.size();
}

// Behind the comment, directive or literal that begins at `at`; `at` if none does.
size_t skipped(std::string_view text, size_t at) {
  const std::string_view rest = text.substr(at);
  if (rest.starts_with("//")) return directive_end(text, at);
  if (rest.starts_with("/*")) {
    const size_t end = text.find("*/", at + 2);
    return end == std::string_view::npos ? text.size() : end + 2;
  }
  if (text[at] == '"') return literal_end(text, at);
  const bool is_digit_mark = at > 0 && std::isalnum(static_cast<unsigned char>(text[at - 1])) != 0;
  if (text[at] == '\'' && !is_digit_mark) return literal_end(text, at);
  return at;
}

bool has_word(std::string_view text, std::string_view word) {
  return text.find(word) != std::string_view::npos;
}

// The functions of device code outside of other functions, in order.
struct Scanner {
  std::string_view text;
  std::vector<Definition> found = {};
  size_t at = 0;
  size_t begin = std::string_view::npos;  // of the declaration at hand
  size_t body = 0;
  int64_t depth = 0;  // of braces in a body; 0: outside of all

  void open() {
    const std::string_view head =
        begin == std::string_view::npos ? "" : text.substr(begin, at - begin);
    const bool is_function =
        has_word(head, "(") && (has_word(head, "__global__") || has_word(head, "__device__"));
    const bool holds_others = !has_word(head, "(") && !has_word(head, "=");
    if (!is_function && holds_others) {
      begin = std::string_view::npos;
      return;
    }
    depth = 1;
    body = is_function ? at : 0;
  }
  void close() {
    if (depth > 0 && --depth > 0) return;
    if (body != 0) found.push_back({begin, body, at + 1});
    begin = std::string_view::npos;
    body = 0;
  }
  void step() {
    const char c = text[at];
    if (c == '{') {
      depth > 0 ? static_cast<void>(++depth) : open();
    } else if (c == '}') {
      close();
    } else if (c == ';' && depth == 0) {
      begin = std::string_view::npos;
    } else if (begin == std::string_view::npos && !std::isspace(static_cast<unsigned char>(c))) {
      begin = at;
    }
    ++at;
  }
};

bool starts_line(std::string_view text, size_t at) {
  while (at > 0 && (text[at - 1] == ' ' || text[at - 1] == '\t')) --at;
  return at == 0 || text[at - 1] == '\n';
}

std::vector<Definition> definitions_of(std::string_view text) {
  Scanner scanner{.text = text};
  while (scanner.at < text.size()) {
    const bool is_directive = text[scanner.at] == '#' && starts_line(text, scanner.at);
    if (is_directive) {
      scanner.at = directive_end(text, scanner.at);
      continue;
    }
    const size_t next = skipped(text, scanner.at);
    if (next == scanner.at) {
      scanner.step();
    } else {
      scanner.at = next;
    }
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
