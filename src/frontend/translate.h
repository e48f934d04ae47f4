// SPDX-License-Identifier: Apache-2.0
// Rules that make HIP of CUDA, word by word. A rule looks at a file and adds edits and refusals. It
// is right by itself and finds nothing to do in what it has made. To add one: a function in
// src/frontend/translate_<topic>.cc, a line here and in kTranslateRules, a line in CMakeLists.txt.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/launch_words.h"
#include "frontend/words.h"

namespace ambidex {

/// Of an edit's replacement: text, or bytes [first, last) of the source with the edits inside them.
struct Piece {
  std::string text;
  int64_t first = -1;
  int64_t last = -1;
};

struct Edit {
  int64_t first = 0;  // bytes [first, last) of the source are replaced
  int64_t last = 0;
  std::vector<Piece> pieces;
  std::string rule;    // "warp.shuffle-width"
  std::string hazard;  // "W01"; empty for a mere change of names
  std::string note;
};

struct Refusal {
  int64_t offset = 0;
  std::string hazard;
  std::string rule;
  std::string reason;
};

/// What a file must know of the other files of its tree.
struct Tree {
  std::set<std::string, std::less<>>
      declared;                              // functions, types, macros and members of the user's
  std::set<std::string, std::less<>> files;  // base names of the sources: "scan.cu"
  bool renames = true;                       // x.cu becomes x.hip
  KernelUses kernels;
};

struct Translation {
  const Words& words;
  const Tree& tree;
  std::string way;       // to the folder of ambidex_port.h: "../"
  bool is_main = false;  // compiled by itself, not included
  bool is_hip = false;   // it includes a header of HIP's already
  bool needs_port = false;
  bool needs_version = false;               // ambidex_port/preprocessor.h
  std::set<std::string> port_headers;       // "ambidex_port/halves.h", beside ambidex_port.h
  std::set<std::string_view> groups;        // other names of namespace cooperative_groups
  std::set<std::string_view> properties;    // variables of type cudaDeviceProp
  std::map<size_t, int64_t> architectures;  // that an #if, by its directive, is taken for
  std::vector<Edit> edits;
  std::vector<Refusal> refusals;
};

using TranslateRule = void (*)(Translation& translation);

void translate_names(Translation& translation);         // data/api
void translate_warps(Translation& translation);         // W01 W09 W15 W14
void translate_launches(Translation& translation);      // R01 R03 R04
void translate_assembly(Translation& translation);      // N01 W11
void translate_returns(Translation& translation);       // S01
void translate_halves(Translation& translation);        // N08
void translate_matrix(Translation& translation);        // N02
void translate_operators(Translation& translation);     // N21
void translate_volatile(Translation& translation);      // S04
void translate_flags(Translation& translation);         // S08
void translate_waits(Translation& translation);         // S03 S08, by what flags have become
void translate_limits(Translation& translation);        // R02 R05 S06
void translate_refusals(Translation& translation);      // S02 S07 N03
void translate_preprocessor(Translation& translation);  // R08 R09, by what the others refuse
void translate_graphs(Translation& translation);        // R11
void translate_includes(Translation& translation);      // last: what the others need

inline constexpr std::array<TranslateRule, 16> kTranslateRules{
    translate_names,    translate_warps,    translate_launches,     translate_assembly,
    translate_returns,  translate_halves,   translate_matrix,       translate_operators,
    translate_volatile, translate_flags,    translate_waits,        translate_limits,
    translate_graphs,   translate_refusals, translate_preprocessor, translate_includes,
};

/// Replaces word `index` of the file.
void replace_word(Translation& translation, int64_t index, std::string text, std::string_view rule,
                  std::string_view hazard, std::string note = "");
/// Adds text before byte `offset`.
void insert_at(Translation& translation, int64_t offset, std::string text, std::string_view rule,
               std::string_view hazard, std::string note = "");
void refuse_word(Translation& translation, int64_t index, std::string_view rule,
                 std::string_view hazard, std::string reason);

/// Edits in order, without overlaps other than nesting: of two that cross, the one that begins
/// first, or else the longer, stays. Text of the edits that enclose others contains those.
struct PlainEdit {
  int64_t first = 0;
  int64_t last = 0;
  std::string text;
  bool is_carried = false;  // its text is part of the edit's around it
  const Edit* edit = nullptr;
};
std::vector<PlainEdit> resolved(const Words& words, std::vector<Edit>& edits);

/// Names that `words` declares: macros, functions, types and members.
void collect_declared(const Words& words, Tree& tree);

}  // namespace ambidex
