// SPDX-License-Identifier: Apache-2.0
// Build files of CUDA as those of HIP, and the check that what comes out still reads as one.
#include <fmt/format.h>

#include "port/cmake_text.h"
#include "port/make_text.h"
#include "port/translate.h"
#include "port/translate_cmake.h"
#include "port/translate_make.h"

namespace ambidex {
namespace {

std::string base_of(const std::string& name) { return name.substr(name.find_last_of('/') + 1); }

bool is_cmake(const std::string& name) {
  return base_of(name) == "CMakeLists.txt" || name.ends_with(".cmake");
}

BuildDraft draft_of(const std::string& name, const std::string& text, const BuildOptions& options) {
  return is_cmake(name) ? translate_cmake(text, options.rename)
                        : translate_make(text, options.rename, options.relocatable);
}

// What is wrong with the text after the edits: it no longer reads, or would change once more.
std::optional<SyntaxFault> fault_after(const std::string& name, const std::string& text,
                                       const BuildOptions& options) {
  const auto fault = is_cmake(name) ? read_cmake(text).fault : read_make(text).fault;
  if (fault) return fault;
  const BuildDraft again = draft_of(name, text, options);
  if (again.edits.empty()) return std::nullopt;
  return SyntaxFault{static_cast<size_t>(again.edits[0].offset),
                     "an edit that is not done with one pass"};
}

}  // namespace

bool is_build_file(const std::string& name) {
  const std::string base = base_of(name);
  return is_cmake(name) || base == "Makefile" || base == "makefile" || base == "GNUmakefile" ||
         name.ends_with(".mk");
}

bool links_across_files(const std::string& name, const std::string& text) {
  return !is_cmake(name) && asks_for_relocatable(text);
}

BuildTranslation translate_build(const std::string& name, const std::string& text,
                                 const BuildOptions& options) {
  BuildDraft draft = draft_of(name, text, options);
  if (draft.edits.empty()) return {{}, std::move(draft.refusals)};
  const std::string out = edited(text, draft.edits);
  if (const auto fault = fault_after(name, out, options)) {
    draft.refusals.push_back(
        {.line = line_at(out, fault->offset),
         .hazard = "R09",
         .rule = "build.refuse",
         .reason = fmt::format("the file was left alone: its translation does not hold ({})",
                               fault->what)});
    draft.edits.clear();
  }
  return {std::move(draft.edits), std::move(draft.refusals)};
}

}  // namespace ambidex
