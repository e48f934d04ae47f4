// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "port/repair_patch.h"
#include "port/translate.h"

namespace ambidex::repair {

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
