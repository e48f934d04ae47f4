// SPDX-License-Identifier: Apache-2.0
#include "port/build_edits.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

namespace ambidex {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t'; }

// The end of a line's break that starts at `at`, with make's backslash before it or without; `at`
// if none is there.
size_t break_end(std::string_view text, size_t at) {
  size_t i = at;
  if (i < text.size() && text[i] == '\\') ++i;
  if (i < text.size() && text[i] == '\r') ++i;
  return i < text.size() && text[i] == '\n' ? i + 1 : at;
}

// The start of a line's break that ends before `at`; `at` if none does.
size_t break_start(std::string_view text, size_t at) {
  if (at == 0 || text[at - 1] != '\n') return at;
  size_t i = at - 1;
  if (i > 0 && text[i - 1] == '\r') --i;
  if (i > 0 && text[i - 1] == '\\') --i;
  return i;
}

struct ToolkitPlace {
  std::string_view cuda, rocm;
};
constexpr std::array<ToolkitPlace, 9> kPlaces{{{"", ""},
                                               {"/include", "/include"},
                                               {"/lib64", "/lib"},
                                               {"/lib64/stubs", "/lib"},
                                               {"/lib", "/lib"},
                                               {"/targets/x86_64-linux/lib", "/lib"},
                                               {"/targets/x86_64-linux/include", "/include"},
                                               {"/bin", "/bin"},
                                               {"/bin/nvcc", "/bin/hipcc"}}};

// Of "a.cu.cc" or "a.cu.in", which is no .cu file.
bool is_before_source_ending(std::string_view rest) {
  constexpr std::array<std::string_view, 7> kEndings{".cc", ".cpp", ".cxx", ".c",
                                                     ".h",  ".hpp", ".in"};
  return std::any_of(kEndings.begin(), kEndings.end(), [&](std::string_view ending) {
    return rest.starts_with(ending) &&
           (rest.size() == ending.size() || !is_name_char(rest[ending.size()]));
  });
}

void settle_refusals(BuildDraft& draft) {
  std::vector<TranslateRefusal> kept;
  for (size_t i = 0; i < draft.refusals.size(); ++i) {
    const auto at = static_cast<int64_t>(draft.refusal_offsets[i]);
    const bool is_gone =
        std::any_of(draft.edits.begin(), draft.edits.end(), [&](const TranslateEdit& edit) {
          return edit.offset <= at && at < edit.offset + edit.length;
        });
    if (!is_gone) kept.push_back(draft.refusals[i]);
  }
  draft.refusals = std::move(kept);
  draft.refusal_offsets.clear();
  std::stable_sort(
      draft.refusals.begin(), draft.refusals.end(),
      [](const TranslateRefusal& a, const TranslateRefusal& b) { return a.line < b.line; });
}

}  // namespace

int64_t line_at(std::string_view text, size_t offset) {
  offset = std::min(offset, text.size());
  return 1 + std::count(text.begin(), text.begin() + static_cast<int64_t>(offset), '\n');
}

void replace(BuildDraft& draft, size_t begin, size_t end, std::string_view replacement,
             const BuildWhy& why) {
  if (draft.text.substr(begin, end - begin) == replacement) return;
  draft.edits.push_back({.line = line_at(draft.text, begin),
                         .offset = static_cast<int64_t>(begin),
                         .length = static_cast<int64_t>(end - begin),
                         .replacement = std::string(replacement),
                         .rule = std::string(why.rule),
                         .hazard = std::string(why.hazard),
                         .note = std::string(why.note)});
}

void remove(BuildDraft& draft, size_t begin, size_t end, const BuildWhy& why) {
  const std::string_view text = draft.text;
  size_t from = begin;
  while (from > 0 && is_blank(text[from - 1])) --from;
  size_t behind = end;
  while (behind < text.size() && is_blank(text[behind])) ++behind;
  const bool ends_line = break_end(text, behind) != behind;
  const size_t line_before = break_start(text, from);
  if (ends_line && line_before != from) {
    from = line_before;
    if (text[from] == '\\') {  // make: blanks before the backslash go too
      while (from > 0 && is_blank(text[from - 1])) --from;
    }
  } else if (line_before != from && behind < text.size() && text[behind] != ')') {
    from = begin;  // first of its line: what follows takes its place
    end = behind;
  } else if (from == begin) {
    if (from > 0 && text[from - 1] == ';') {
      --from;
    } else if (end < text.size() && text[end] == ';') {
      ++end;
    } else if (behind < text.size() && text[behind] != ')') {
      end = behind;
    }
  }
  replace(draft, from, end, "", why);
}

void refuse(BuildDraft& draft, size_t offset, std::string_view hazard, std::string reason) {
  const int64_t line = line_at(draft.text, offset);
  for (const TranslateRefusal& other : draft.refusals) {
    if (other.line == line && other.reason == reason) return;
  }
  draft.refusal_offsets.push_back(offset);
  draft.refusals.push_back({.line = line,
                            .hazard = std::string(hazard),
                            .rule = "build.refuse",
                            .reason = std::move(reason)});
}

void settle(BuildDraft& draft) {
  std::stable_sort(draft.edits.begin(), draft.edits.end(),
                   [](const TranslateEdit& a, const TranslateEdit& b) {
                     if (a.offset != b.offset) return a.offset < b.offset;
                     if (a.length == 0 || b.length == 0) return a.length == 0 && b.length != 0;
                     return a.length > b.length;
                   });
  std::vector<TranslateEdit> kept;
  for (TranslateEdit& edit : draft.edits) {
    const int64_t taken = kept.empty() ? 0 : kept.back().offset + kept.back().length;
    if (edit.offset < taken) {  // two neighbours may both take the blank between them
      const bool reaches_on = edit.replacement.empty() && edit.offset + edit.length > taken;
      if (!reaches_on) continue;
      edit.length -= taken - edit.offset;
      edit.offset = taken;
    }
    kept.push_back(std::move(edit));
  }
  draft.edits = std::move(kept);
  settle_refusals(draft);
}

bool is_name_char(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

void rename_sources(BuildDraft& draft, size_t begin, size_t end) {
  const std::string_view text = draft.text.substr(0, end);
  for (size_t at = text.find(".cu", begin); at != std::string_view::npos;
       at = text.find(".cu", at + 1)) {
    if (at + 3 < text.size() && is_name_char(text[at + 3])) continue;
    if (is_before_source_ending(text.substr(at + 3))) continue;
    replace(draft, at, at + 3, ".hip", {"build.source", "", "the file is renamed"});
  }
}

std::optional<std::string> toolkit_place(std::string_view below) {
  const std::string_view slash = below.ends_with('/') ? "/" : "";
  below.remove_suffix(slash.size());
  for (const ToolkitPlace& place : kPlaces) {
    if (place.cuda == below) return std::string(place.rocm) + std::string(slash);
  }
  return std::nullopt;
}

void replace_toolkit_paths(BuildDraft& draft, size_t begin, size_t end) {
  constexpr std::string_view kRoot = "/usr/local/cuda";
  const std::string_view text = draft.text.substr(0, end);
  for (size_t at = text.find(kRoot, begin); at != std::string_view::npos;
       at = text.find(kRoot, at + 1)) {
    size_t root_end = at + kRoot.size();
    while (root_end < text.size() && text[root_end] != '/' &&
           (text[root_end] == '-' || text[root_end] == '.' || is_name_char(text[root_end]))) {
      ++root_end;
    }
    size_t stop = root_end;
    while (stop < text.size() &&
           std::string_view(" \t\r\n\"';:,)>}").find(text[stop]) == std::string_view::npos) {
      ++stop;
    }
    const auto place = toolkit_place(text.substr(root_end, stop - root_end));
    if (!place) {
      refuse(draft, at, "N21",
             fmt::format("{}: nothing of ROCm is known to be in this place; name it yourself",
                         text.substr(at, stop - at)));
    } else {
      replace(draft, at, stop, "/opt/rocm" + *place, {"build.path", "", "ROCm's own folder"});
    }
  }
}

}  // namespace ambidex
