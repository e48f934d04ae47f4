// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "port/refusal_marks.h"
#include "port/repair_patch.h"
#include "port/translate.h"

namespace ambidex::repair {

Patch without_marks(Patch patch, const Texts& before, const std::vector<Body>& bodies) {
  std::vector<BodyChange> marks;
  for (const Body& body : bodies) {
    const std::string& text = before.at(body.file);
    const MarkSpan mark = refusal_mark_above(text, static_cast<size_t>(body.begin));
    const auto begin = static_cast<int64_t>(mark.begin);
    const bool is_known = std::any_of(marks.begin(), marks.end(), [&](const BodyChange& other) {
      return other.body.file == body.file && other.body.begin == begin;
    });
    if (mark.begin == mark.end || is_known) continue;
    const auto line = 1 + std::count(text.begin(), text.begin() + begin, '\n');
    marks.push_back(
        {.body = body, .before = text.substr(mark.begin, mark.end - mark.begin), .after = ""});
    marks.back().body.begin = begin;
    marks.back().body.line = line;
  }
  for (const BodyChange& mark : marks) {
    std::string& text =
        patch.files.try_emplace(mark.body.file, before.at(mark.body.file)).first->second;
    int64_t at = mark.body.begin;
    for (const BodyChange& change : patch.changes) {
      if (change.body.file != mark.body.file || change.body.begin >= mark.body.begin) continue;
      at += std::ssize(change.after) - std::ssize(change.before);
    }
    text.erase(static_cast<size_t>(at), mark.before.size());
    patch.changes.push_back(mark);
  }
  return patch;
}

std::string diff_of(const Patch& patch, const Texts& before) {
  TranslatedTree tree;
  for (const auto& [name, text] : patch.files) {
    TranslatedFile file{.path = name,
                        .name = name,
                        .new_name = name,
                        .link = {},
                        .text = before.at(name),
                        .new_text = text,
                        .edits = {},
                        .refusals = {}};
    for (const BodyChange& change : patch.changes) {
      if (change.body.file != name) continue;
      file.edits.push_back({.line = change.body.line,
                            .offset = change.body.begin,
                            .length = std::ssize(change.before),
                            .replacement = change.after,
                            .rule = "repair",
                            .hazard = {},
                            .note = {}});
    }
    std::sort(file.edits.begin(), file.edits.end(),
              [](const auto& a, const auto& b) { return a.offset < b.offset; });
    tree.files.push_back(std::move(file));
  }
  return patch_of(tree);
}

}  // namespace ambidex::repair
