// SPDX-License-Identifier: Apache-2.0
// `ambidex port translate`: a tree of CUDA sources and build files to HIP, by rules.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ambidex {

struct TranslateEdit {
  int64_t line = 0;    // of the source, from 1
  int64_t offset = 0;  // bytes [offset, offset + length) are replaced
  int64_t length = 0;
  std::string replacement;
  std::string rule;    // "warp.shuffle-width"
  std::string hazard;  // "W01"; empty for a mere change of names
  std::string note;
  bool carried = false;  // part of another edit's replacement
};

struct TranslateRefusal {
  int64_t line = 0;
  std::string hazard;
  std::string rule;
  std::string reason;
};

struct TranslatedFile {
  std::string path;      // where it was found
  std::string name;      // within the tree, "src/scan.cu"
  std::string new_name;  // "src/scan.hip"
  std::string link;      // what it points to, of a symbolic link; then there is no text
  std::string text;      // as found, byte for byte
  std::string new_text;
  std::vector<TranslateEdit> edits;  // by offset
  std::vector<TranslateRefusal> refusals;
};

struct TranslatedTree {
  std::string root;  // the folder; of a single file the folder that holds it
  bool is_file = false;
  std::vector<TranslatedFile> files;    // all of the tree, by name
  std::vector<TranslatedFile> support;  // ambidex_port.h and what it includes; new_text alone
  bool needs_support = false;
};

struct TranslateOptions {
  std::vector<std::string> arguments;  // -D and -I, for the compiler
  bool rename = true;                  // x.cu becomes x.hip
};

/// The tree below `path`, a folder or a file. Nothing is written.
///   throws Error(not_found) if there is no such path, Error(bad_input) if a file cannot be read or
///   two files would have one name
TranslatedTree translate_tree(const std::string& path, const TranslateOptions& options);

/// The text after `edits`, which are in order.
std::string edited(const std::string& text, const std::vector<TranslateEdit>& edits);

/// Edits of a CMakeLists.txt, a *.cmake file, a Makefile or a *.mk file, told by its name.
struct BuildTranslation {
  std::vector<TranslateEdit> edits;
  std::vector<TranslateRefusal> refusals;
};
struct BuildOptions {
  bool rename = true;        // x.cu becomes x.hip
  bool relocatable = false;  // another makefile of the tree links device code across files
};
bool is_build_file(const std::string& name);
BuildTranslation translate_build(const std::string& name, const std::string& text,
                                 const BuildOptions& options);
/// Whether a makefile asks for device code that is linked across files.
bool links_across_files(const std::string& name, const std::string& text);

/// One patch of the tree that `git apply` and `patch -p1` take; files that are renamed need git.
std::string patch_of(const TranslatedTree& tree);

/// throws Error(bad_input) that names what a user has changed below `folder` since it was written;
/// not if `names` is empty
void keep_edits(const std::string& folder, const std::vector<std::string>& names);

/// edits.json: every edit and refusal, by file.
std::string edits_json(const std::vector<TranslatedTree>& trees);

/// The whole tree into the new folder `folder`, which appears complete or not at all; one that an
/// earlier call has made is replaced.
///   throws Error(bad_input) if the folder is there and not of our making
void write_tree(const TranslatedTree& tree, const std::string& folder);

/// Changed files in the place of what they were. A file is its old or its new text at any moment;
/// old names go last.
///   throws Error(bad_input) if a file has changed since it was read, or a new name is taken
void write_in_place(const TranslatedTree& tree);

}  // namespace ambidex
