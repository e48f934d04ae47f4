// SPDX-License-Identifier: Apache-2.0
// Build files of CUDA as those of HIP, and the check that what comes out still reads as one.
#include <fmt/format.h>

#include <utility>

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

// Of PyTorch's extensions, in Python.
bool is_setup(const std::string& name) { return base_of(name) == "setup.py"; }

// Refuses the lines of a setup.py that a person has to change, which is none of ours to run.
BuildDraft read_setup(const std::string& text, bool rename) {
  BuildDraft draft{.text = text, .edits = {}, .refusals = {}};
  const auto refuse_lines = [&](std::string_view what, const char* reason) {
    int64_t line = 0;  // of the last refusal: one a line
    for (size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += what.size()) {
      const size_t begin = text.rfind('\n', at) + 1;  // npos + 1 is 0
      const bool is_comment = text.substr(begin, at - begin).find('#') != std::string::npos;
      if (is_comment || line_at(text, at) == std::exchange(line, line_at(text, at))) continue;
      refuse(draft, at, "R09", reason);
    }
  };
  for (const char* ending : {".cu'", ".cu\""}) {
    if (rename) refuse_lines(ending, "names a .cu source, which ends in .hip here: name that");
  }
  for (const char* key : {"'nvcc'", "\"nvcc\""}) {
    refuse_lines(key, "these flags are for nvcc, and hipcc gets them: give hipcc's own");
  }
  settle(draft);
  return draft;
}

BuildDraft draft_of(const std::string& name, const std::string& text, const BuildOptions& options) {
  if (is_setup(name)) return read_setup(text, options.rename);
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
         name.ends_with(".mk") || is_setup(name);
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
